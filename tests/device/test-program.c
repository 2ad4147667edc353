/* test-program.c: devices run a program made by hand, in place of the one that
 * schedules would make: a recurrence over buffers of every integer type, whose
 * tail is repeated. */
#include "config.h"

#include "runtime/device.h"
#include "runtime/devices.h"
#include "schedule/program.h"

#include <string.h>

#define N 37

enum
{
  X,  /* int32 */
  Y,  /* int64, one more */
  UP, /* bool: did y change? */
  LOW /* uint8: of y */
};

static const TpDtype dtypes[] = { TPLAN_DTYPE_INT32, TPLAN_DTYPE_INT64,
                                  TPLAN_DTYPE_BOOL, TPLAN_DTYPE_UINT8 };
static const gint64 counts[] = { N, N + 1, N, N };
#define N_OPERANDS ((int) G_N_ELEMENTS (dtypes))

/* ---- the program --------------------------------------------------------- */

static TpValue
binary (TpKernel *kernel, TpInstrOp op, TpValue a, gint64 b)
{
  return tp_k_binary (kernel, op, a, tp_k_index (kernel, b));
}

/* Before the recurrence: y[0] += 1000 */
static TpKernel *
make_start (void)
{
  TpKernel *kernel = tp_kernel_new ("start");
  TpValue zero = tp_k_index (kernel, 0), value;

  tp_kernel_add_buffer (kernel, TP_SPACE_GLOBAL, TPLAN_DTYPE_INT64,
                        N + 1, TRUE);
  value = tp_k_load (kernel, 0, zero, 1, -1);
  value = binary (kernel, TP_I_IADD, value, 1000);
  tp_k_store (kernel, 0, zero, value, -1);
  return kernel;
}

/* y[i + 1] = 2 y[i] + x[N - 1 - i] */
static TpKernel *
make_step (void)
{
  TpKernel *kernel = tp_kernel_new ("step");
  TpValue i = tp_k_iteration (kernel), value, at;

  kernel->n_iterations = N;
  tp_kernel_add_buffer (kernel, TP_SPACE_GLOBAL, TPLAN_DTYPE_INT32, N, FALSE);
  tp_kernel_add_buffer (kernel, TP_SPACE_GLOBAL, TPLAN_DTYPE_INT64,
                        N + 1, TRUE);
  value = binary (kernel, TP_I_IMUL, tp_k_load (kernel, 1, i, 1, -1), 2);
  at = tp_k_binary (kernel, TP_I_ISUB, tp_k_index (kernel, N - 1), i);
  value = tp_k_binary (kernel, TP_I_IADD, value,
                       tp_k_load (kernel, 0, at, 1, -1));
  tp_k_store (kernel, 1, binary (kernel, TP_I_IADD, i, 1), value, -1);
  return kernel;
}

/* up[i] = y[i + 1] != y[i], low[i] = y[i + 1] */
static TpKernel *
make_notes (void)
{
  TpKernel *kernel = tp_kernel_new ("notes");
  TpValue i = tp_k_iteration (kernel), before, after;

  kernel->n_iterations = N;
  tp_kernel_add_buffer (kernel, TP_SPACE_GLOBAL, TPLAN_DTYPE_INT64,
                        N + 1, FALSE);
  tp_kernel_add_buffer (kernel, TP_SPACE_GLOBAL, TPLAN_DTYPE_BOOL, N, TRUE);
  tp_kernel_add_buffer (kernel, TP_SPACE_GLOBAL, TPLAN_DTYPE_UINT8, N, TRUE);
  before = tp_k_load (kernel, 0, i, 1, -1);
  after = tp_k_load (kernel, 0, binary (kernel, TP_I_IADD, i, 1), 1, -1);
  tp_k_store (kernel, 1, i, tp_k_binary (kernel, TP_I_ISUB, after, before),
              -1);
  tp_k_store (kernel, 2, i, after, -1);
  return kernel;
}

static void
add_step (TpProgram *program, TpKernel *kernel, const TpArg *args)
{
  TpStep *step;

  program->steps = g_renew (TpStep, program->steps, program->n_steps + 1);
  step = &program->steps[program->n_steps++];
  step->kernel = kernel;
  step->n_args = kernel->n_buffers;
  step->args = g_memdup2 (args, step->n_args * sizeof *args);
}

/* The linker puts it in the place of tp_program_new (). */
TpProgram *__wrap_tp_program_new (const TpLowered *lowered,
                                  const TpTarget *target,
                                  const char *schedule, GError **error);

static TpProgram *(*forge) (void); /* NULL: the program above */

TpProgram *
__wrap_tp_program_new (const TpLowered *lowered, const TpTarget *target,
                       const char *schedule, GError **error)
{
  static const TpArg start[] = { { TP_ARG_OPERAND, Y } };
  static const TpArg step[] = { { TP_ARG_OPERAND, X }, { TP_ARG_OPERAND, Y } };
  static const TpArg notes[] = { { TP_ARG_OPERAND, Y },
                                 { TP_ARG_OPERAND, UP },
                                 { TP_ARG_OPERAND, LOW } };
  TpProgram *program;

  if (forge != NULL)
    return forge ();
  program = g_new0 (TpProgram, 1);
  add_step (program, make_start (), start);
  add_step (program, make_step (), step);
  add_step (program, make_notes (), notes);
  program->n_iterations = N;
  program->first_repeated_step = 1;
  program->schedule = g_strdup ("by hand");
  return program;
}

/* ---- running it ---------------------------------------------------------- */

static TpLowered *
make_lowered (void)
{
  TpLowered *lowered = tp_lowered_new ();

  for (int i = 0; i < N_OPERANDS; i++)
    {
      TpOperand operand = { .tensor = i, .dtype = dtypes[i],
                            .n_elements = counts[i], .is_output = i != X };

      tp_lowered_add_operand (lowered, &operand);
    }
  return lowered;
}

static void
copy (TpDevice *device, TpBuf *buf, void *data, int i, gboolean is_write)
{
  g_autoptr (GError) error = NULL;
  TpCopy all = { buf, data,
                 counts[i] * (gint64) tp_dtype_get_size (dtypes[i]), is_write };

  device->ops->copy (device, &all, &error);
  g_assert_no_error (error);
}

/* After @n_launches, each of which begins with y[0] one thousand up. */
static void
check (const gint32 *x, const gint64 *y, const guint8 *up, const guint8 *low,
       int n_launches)
{
  guint64 expected = 1000 * (guint64) n_launches, before;

  g_assert_cmpint (y[0], ==, (gint64) expected);
  for (int i = 0; i < N; i++)
    {
      before = expected;
      expected = 2 * expected + (guint64) (gint64) x[N - 1 - i];
      g_assert_cmpint (y[i + 1], ==, (gint64) expected);
      g_assert_cmpint (up[i], ==, expected != before);
      g_assert_cmpint (low[i], ==, (guint8) expected);
    }
}

static void
run_launches (TpDevice *device, TpLaunch *launch, TpBuf **bufs, gint32 *x)
{
  g_autoptr (GError) error = NULL;
  gint64 y[N + 1] = { 0 };
  guint8 up[N], low[N];

  copy (device, bufs[X], x, X, TRUE);
  copy (device, bufs[Y], y, Y, TRUE);
  for (int n = 1; n <= 3; n++)
    {
      g_assert_true (device->ops->launch (device, launch, &error));
      copy (device, bufs[Y], y, Y, FALSE);
      copy (device, bufs[UP], up, UP, FALSE);
      copy (device, bufs[LOW], low, LOW, FALSE);
      check (x, y, up, low, n);
    }
}

static void
run_on (TpDevice *device)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (TpLowered) lowered = make_lowered ();
  TpUnit unit = { .lowered = lowered };
  TpCode *code = device->ops->compile (device, &unit, 1, &error);
  TpBuf *bufs[N_OPERANDS];
  TpLaunch *launch;
  gint32 x[N];

  g_assert_no_error (error);
  for (int i = 0; i < N; i++)
    x[i] = g_test_rand_int_range (-1000, 1000);
  x[N - 1] = -1000;           /* once y does not change */
  for (int i = 0; i < N_OPERANDS; i++)
    bufs[i] = device->ops->alloc (
        device, NULL, 0, counts[i] * (gint64) tp_dtype_get_size (dtypes[i]),
        &error);
  launch = device->ops->bind (device, code, 0, bufs, &error);
  g_assert_no_error (error);
  run_launches (device, launch, bufs, x);
  device->ops->free_launch (device, launch);
  device->ops->free_code (device, code);
  for (int i = 0; i < N_OPERANDS; i++)
    device->ops->free_buf (device, bufs[i]);
}

static void
test_device (gconstpointer data)
{
  TpDeviceOptions options = { .n_threads = 2 };
  g_autoptr (GError) error = NULL;
  g_autoptr (TpDevice) device = tp_device_open (data, &options, &error);

  if (device == NULL)
    g_test_skip (error->message);
  else
    run_on (device);
}

/* ---- kernels that are wrong ------------------------------------------------ */

/* Writes element @at of a buffer of @n bytes, which is the argument @arg. */
static TpProgram *
forge_store (gint64 at, gint64 n, TpArg arg)
{
  TpProgram *program = g_new0 (TpProgram, 1);
  TpKernel *kernel = tp_kernel_new ("forged_kernel");

  tp_kernel_add_buffer (kernel, TP_SPACE_GLOBAL, TPLAN_DTYPE_UINT8, n, TRUE);
  tp_k_store (kernel, 0, tp_k_index (kernel, at), tp_k_index (kernel, 1), -1);
  program->n_workspaces = 1;
  program->workspace_bytes = g_new (gint64, 1);
  program->workspace_bytes[0] = N;
  program->n_iterations = 1;
  program->first_repeated_step = 1;
  program->schedule = g_strdup ("forged");
  add_step (program, kernel, &arg);
  return program;
}

static TpProgram *
forge_wild_index (void)
{
  return forge_store (N, N, (TpArg) { TP_ARG_OPERAND, LOW });
}

static TpProgram *
forge_operand_size (void)
{
  return forge_store (N, N + 1, (TpArg) { TP_ARG_OPERAND, LOW });
}

static TpProgram *
forge_workspace_size (void)
{
  return forge_store (N, N + 1, (TpArg) { TP_ARG_WORKSPACE, 0 });
}

static TpProgram *
forge_written_input (void)
{
  return forge_store (0, 1, (TpArg) { TP_ARG_OPERAND, X });
}

/* The kernel is proved for one iteration and runs twice. */
static TpProgram *
forge_iterations (void)
{
  TpProgram *program = forge_store (0, 1, (TpArg) { TP_ARG_OPERAND, LOW });

  program->first_repeated_step = 0;
  program->n_iterations = 2;
  return program;
}

static TpProgram *
forge_nothing_wrong (void)
{
  return forge_store (N - 1, N, (TpArg) { TP_ARG_WORKSPACE, 0 });
}

static void
refuse_on (TpDevice *device)
{
  static TpProgram *(*const forgeries[]) (void)
      = { forge_wild_index, forge_operand_size, forge_workspace_size,
          forge_written_input, forge_iterations };
  const int first = 0;
  TpNode node = { .name = "forged_op" };
  TpGraph graph = { .ref_count = 1, .n_nodes = 1, .nodes = &node };
  g_autoptr (TpLowered) lowered = make_lowered ();
  const TpUnit unit = { .graph = &graph, .n_nodes = 1, .nodes = &first,
                        .lowered = lowered };
  g_autoptr (GError) error = NULL;
  TpCode *code;

  for (gsize i = 0; i < G_N_ELEMENTS (forgeries); i++)
    {
      forge = forgeries[i];
      g_assert_null (device->ops->compile (device, &unit, 1, &error));
      g_assert_error (error, TPLAN_ERROR, TPLAN_ERROR_FAILED);
      g_assert_nonnull (strstr (error->message, "op 'forged_op': "));
      g_assert_nonnull (strstr (error->message, "kernel 'forged_kernel'"));
      g_clear_error (&error);
    }
  forge = forge_nothing_wrong;
  code = device->ops->compile (device, &unit, 1, &error);
  forge = NULL;
  g_assert_no_error (error);
  device->ops->free_code (device, code);
}

static void
test_refuse (gconstpointer data)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (TpDevice) device = tp_device_open (data, NULL, &error);

  if (device == NULL)
    g_test_skip (error->message);
  else
    refuse_on (device);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_data_func ("/program/cpu", "cpu", test_device);
  g_test_add_data_func ("/program/opencl:0", "opencl:0", test_device);
  g_test_add_data_func ("/program/refuse/cpu", "cpu", test_refuse);
  g_test_add_data_func ("/program/refuse/opencl:0", "opencl:0", test_refuse);
  return g_test_run ();
}
