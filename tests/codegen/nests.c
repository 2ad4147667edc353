#include "config.h"

#include "kernel/kernel-interpret.h"
#include "kernel/kernel-text.h"
#include "kernel/kernel-verify.h"
#include "nest/nest-check.h"
#include "nest/nest-eval.h"
#include "nest/nest-text.h"
#include "nests.h"

#include <math.h>
#include <string.h>

const TpTarget target_avx512 = { 16, 32, 48 << 10, 2 << 20, 2, 1, 1 << 20,
                                TRUE, FALSE };
const TpTarget target_avx2 = { 8, 16, 32 << 10, 512 << 10, 1, 1, 256 << 10,
                                TRUE, FALSE };
const TpTarget target_sse = { 4, 16, 32 << 10, 256 << 10, 3, 1, 64 << 10,
                                TRUE, FALSE };
const TpTarget target_scalar = { 1, 16, 32 << 10, 256 << 10, 1, 1, 64 << 10,
                                TRUE, FALSE };
const TpTarget target_gpu = { 1, 32, 32 << 10, 256 << 10, 4, 64, 32 << 10,
                                TRUE, FALSE };
const TpTarget target_mma = { 1, 32, 32 << 10, 256 << 10, 4, 256, 48 << 10,
                                TRUE, TRUE };

/* ---- nests ------------------------------------------------------------- */

int
add_operand (TpLowered *lowered, gint64 n, gboolean is_constant)
{
  TpOperand operand = { .tensor = -1,
                        .dtype = TPLAN_DTYPE_FLOAT32,
                        .n_elements = n,
                        .is_constant = is_constant };

  return tp_lowered_add_operand (lowered, &operand);
}

static void
set_strides (TpAccess *access, const gint64 *strides, int n)
{
  memcpy (access->stride, strides, n * sizeof *strides);
}

/* Strides of n, c, h, w. */
static void
layout (gint64 c, gint64 h, gint64 w, gboolean is_row_major, gint64 *out)
{
  gint64 row_major[] = { c * h * w, h * w, w, 1 };
  gint64 channels_last[] = { c * h * w, 1, w * c, c };

  memcpy (out, is_row_major ? row_major : channels_last, 4 * sizeof *out);
}

/* Axes: n, group, channel in group, oh, ow | channel, kh, kw. */
static void
add_conv_axes (TpNest *nest, const ConvCase *c, gint64 oh, gint64 ow,
               gboolean reduces_channels)
{
  tp_nest_add_axis (nest, c->n, FALSE);
  tp_nest_add_axis (nest, c->groups, FALSE);
  tp_nest_add_axis (nest, c->o / c->groups, FALSE);
  tp_nest_add_axis (nest, oh, FALSE);
  tp_nest_add_axis (nest, ow, FALSE);
  tp_nest_add_axis (nest, reduces_channels ? c->c / c->groups : 1, TRUE);
  tp_nest_add_axis (nest, c->kh, TRUE);
  tp_nest_add_axis (nest, c->kw, TRUE);
}

static gint64
out_size (gint64 in, gint64 k, const ConvCase *c)
{
  return (in + 2 * c->pad - c->dilation * (k - 1) - 1) / c->stride + 1;
}

/* The windowed load of x; channels as a pool has them, or reduced. */
static int
add_window (TpNest *nest, const ConvCase *c, int operand, double fill,
            gboolean reduces_channels)
{
  TpAccess *x = tp_nest_add_load (nest, operand);
  gint64 s[4];

  layout (c->c, c->h, c->w, c->is_row_major, s);
  x->stride[0] = s[0];
  x->stride[1] = c->c / c->groups * s[1];
  x->stride[reduces_channels ? 5 : 2] = s[1];
  x->stride[3] = c->stride * s[2];
  x->stride[4] = c->stride * s[3];
  x->stride[6] = c->dilation * s[2];
  x->stride[7] = c->dilation * s[3];
  x->offset = -c->pad * (s[2] + s[3]);
  x->fill = fill;
  if (c->pad > 0)
    {
      x->n_guards = 2;
      for (int i = 0; i < 2; i++)
        {
          x->guards[i].coef[3 + i] = c->stride;
          x->guards[i].coef[6 + i] = c->dilation;
          x->guards[i].offset = -c->pad;
          x->guards[i].extent = i == 0 ? c->h : c->w;
        }
    }
  return nest->n_loads - 1;
}

static void
set_conv_store (TpNest *nest, const ConvCase *c, int operand)
{
  gint64 s[4];

  layout (c->o, out_size (c->h, c->kh, c), out_size (c->w, c->kw, c),
          c->is_out_row_major, s);
  nest->store.operand = operand;
  nest->store.stride[0] = s[0];
  nest->store.stride[1] = c->o / c->groups * s[1];
  nest->store.stride[2] = s[1];
  nest->store.stride[3] = s[2];
  nest->store.stride[4] = s[3];
}

static int
add_prologue (TpNest *nest, const ConvCase *c, int load, int scale, int shift)
{
  int x = tp_nest_load (nest, load), y;

  for (int i = 0; i < 2; i++)
    {
      TpAccess *a = tp_nest_add_load (nest, i == 0 ? scale : shift);

      a->stride[1] = c->c / c->groups;
      a->stride[5] = 1;
      y = tp_nest_load (nest, nest->n_loads - 1);
      x = tp_nest_binary (nest, i == 0 ? TP_EXPR_MUL : TP_EXPR_ADD, x, y);
    }
  x = tp_nest_binary (nest, TP_EXPR_MAX, x, tp_nest_const (nest, 0.0));
  if (c->pad == 0)
    return x;
  return tp_nest_binary (nest, TP_EXPR_MUL, x, tp_nest_inside (nest, load));
}

static int
add_epilogue (TpNest *nest, const ConvCase *c, int value, int bias,
              int residual)
{
  TpAccess *a = tp_nest_add_load (nest, bias);

  a->stride[1] = c->o / c->groups;
  a->stride[2] = 1;
  value = tp_nest_binary (nest, TP_EXPR_ADD, value,
                          tp_nest_load (nest, nest->n_loads - 1));
  a = tp_nest_add_load (nest, residual);
  set_strides (a, nest->store.stride, 5);
  value = tp_nest_binary (nest, TP_EXPR_ADD, value,
                          tp_nest_load (nest, nest->n_loads - 1));
  value = tp_nest_binary (nest, TP_EXPR_MAX, value, tp_nest_const (nest, 0.0));
  return tp_nest_binary (nest, TP_EXPR_MIN, value, tp_nest_const (nest, 6.0));
}

TpLowered *
new_conv (const ConvCase *c)
{
  TpLowered *lowered = tp_lowered_new ();
  TpNest *nest = tp_nest_new ();
  gint64 oh = out_size (c->h, c->kh, c), ow = out_size (c->w, c->kw, c);
  gint64 cg = c->c / c->groups, n_out = c->n * c->o * oh * ow;
  gint64 w_strides[] = { 0, c->o / c->groups * cg * c->kh * c->kw,
                         cg * c->kh * c->kw, 0, 0, c->kh * c->kw, c->kw, 1 };
  int x = add_operand (lowered, c->n * c->c * c->h * c->w, FALSE);
  int w = add_operand (lowered, c->o * cg * c->kh * c->kw, TRUE);
  int scale = add_operand (lowered, c->c, TRUE);
  int shift = add_operand (lowered, c->c, TRUE);
  int bias = add_operand (lowered, c->o, TRUE);
  int residual = add_operand (lowered, n_out, FALSE);
  int out = add_operand (lowered, n_out, FALSE), value, load;

  add_conv_axes (nest, c, oh, ow, TRUE);
  load = add_window (nest, c, x, 0.0, TRUE);
  set_strides (tp_nest_add_load (nest, w), w_strides, 8);
  value = c->has_prologue ? add_prologue (nest, c, load, scale, shift)
                          : tp_nest_load (nest, load);
  value = tp_nest_binary (nest, TP_EXPR_MUL, value, tp_nest_load (nest, 1));
  value = tp_nest_stage (nest,
                         tp_nest_add_stage (nest, TP_COMBINE_SUM, value));
  set_conv_store (nest, c, out);
  if (c->has_epilogue)
    value = add_epilogue (nest, c, value, bias, residual);
  nest->result = value;
  tp_lowered_take_nest (lowered, nest);
  return lowered;
}

TpLowered *
new_pool (const ConvCase *c, gboolean is_max)
{
  TpLowered *lowered = tp_lowered_new ();
  TpNest *nest = tp_nest_new ();
  gint64 oh = out_size (c->h, c->kh, c), ow = out_size (c->w, c->kw, c);
  int x = add_operand (lowered, c->n * c->c * c->h * c->w, FALSE);
  int out = add_operand (lowered, c->n * c->o * oh * ow, FALSE);
  int load, value, count;

  add_conv_axes (nest, c, oh, ow, FALSE);
  load = add_window (nest, c, x, is_max ? -INFINITY : 0.0, FALSE);
  set_conv_store (nest, c, out);
  value = tp_nest_add_stage (nest, is_max ? TP_COMBINE_MAX : TP_COMBINE_SUM,
                             tp_nest_load (nest, load));
  value = tp_nest_stage (nest, value);
  if (!is_max)
    {
      count = tp_nest_add_stage (nest, TP_COMBINE_SUM,
                                 tp_nest_inside (nest, load));
      value = tp_nest_binary (nest, TP_EXPR_DIV, value,
                              tp_nest_stage (nest, count));
    }
  nest->result = value;
  tp_lowered_take_nest (lowered, nest);
  return lowered;
}

TpLowered *
new_matmul (const MatmulCase *c)
{
  TpLowered *lowered = tp_lowered_new ();
  TpNest *nest = tp_nest_new ();
  int a = add_operand (lowered, c->batch * c->m * c->k, FALSE);
  int b = add_operand (lowered, c->batch * c->k * c->n, c->is_w_constant);
  int bias = add_operand (lowered, c->n, TRUE);
  int out = add_operand (lowered, c->batch * c->m * c->n, FALSE), value;
  gint64 sa[] = { c->m * c->k, c->trans_a ? 1 : c->k, 0,
                  c->trans_a ? c->m : 1 };
  gint64 sb[] = { c->k * c->n, 0, c->trans_b ? c->k : 1,
                  c->trans_b ? 1 : c->n };
  gint64 so[] = { c->m * c->n, c->trans_out ? 1 : c->n,
                  c->trans_out ? c->m : 1, 0 };
  gint64 sv[] = { 0, 0, 1, 0 };

  tp_nest_add_axis (nest, c->batch, FALSE);
  tp_nest_add_axis (nest, c->m, FALSE);
  tp_nest_add_axis (nest, c->n, FALSE);
  tp_nest_add_axis (nest, c->k, TRUE);
  set_strides (tp_nest_add_load (nest, a), sa, 4);
  set_strides (tp_nest_add_load (nest, b), sb, 4);
  set_strides (&nest->store, so, 4);
  nest->store.operand = out;
  value = tp_nest_binary (nest, TP_EXPR_MUL, tp_nest_load (nest, 0),
                          tp_nest_load (nest, 1));
  value = tp_nest_stage (nest,
                         tp_nest_add_stage (nest, TP_COMBINE_SUM, value));
  if (c->has_bias)
    {
      set_strides (tp_nest_add_load (nest, bias), sv, 4);
      value = tp_nest_binary (nest, TP_EXPR_ADD, value,
                              tp_nest_load (nest, 2));
    }
  nest->result
      = c->has_tanh ? tp_nest_unary (nest, TP_EXPR_TANH, value) : value;
  tp_lowered_take_nest (lowered, nest);
  return lowered;
}

/* ---- running ----------------------------------------------------------- */

void **
get_step_buffers (const TpStep *step, void *const *operands,
                  void *const *packs, void *const *workspaces)
{
  void **buffers = g_new0 (void *, step->n_args + 1);

  for (int i = 0; i < step->n_args; i++)
    {
      const TpArg *arg = &step->args[i];

      buffers[i] = arg->kind == TP_ARG_OPERAND  ? operands[arg->index]
                   : arg->kind == TP_ARG_PACKED ? packs[arg->index]
                                                : workspaces[arg->index];
    }
  return buffers;
}

gboolean
run_program (const TpProgram *program, void *const *operands, StepFunc func,
             gpointer data, GError **error)
{
  g_autoptr (GPtrArray) packs = g_ptr_array_new_with_free_func (g_free);
  g_autoptr (GPtrArray) spaces = g_ptr_array_new_with_free_func (g_free);

  for (int i = 0; i < program->n_packs; i++)
    {
      const TpPack *pack = &program->packs[i];

      g_ptr_array_add (packs, g_malloc0 (tp_pack_get_bytes (pack) + 1));
      tp_pack_run (pack, operands[pack->operand], packs->pdata[i]);
    }
  for (int i = 0; i < program->n_workspaces; i++)
    g_ptr_array_add (spaces, g_malloc0 (program->workspace_bytes[i] + 1));
  for (gint64 t = 0; t < program->n_iterations; t++)
    for (int i = t == 0 ? 0 : program->first_repeated_step;
         i < program->n_steps; i++)
      {
        g_autofree void **buffers = get_step_buffers (
            &program->steps[i], operands, packs->pdata, spaces->pdata);

        if (!func (&program->steps[i], buffers, t, data, error))
          return FALSE;
      }
  return TRUE;
}

static gboolean
interpret_step (const TpStep *step, void *const *buffers, gint64 iteration,
                gpointer data, GError **error)
{
  return tp_kernel_interpret (step->kernel, buffers, iteration, error);
}

gboolean
run_by_interpreter (const TpProgram *program, void *const *operands,
                    GError **error)
{
  return run_program (program, operands, interpret_step, NULL, error);
}

/* ---- memory ------------------------------------------------------------ */

static double
read_memory (const void *memory, TpDtype dtype, gint64 i)
{
  const char *at = (const char *) memory + i * (gint64) tp_dtype_get_size (dtype);
  double value;

  tp_dtype_load_doubles (dtype, at, 1, 1, &value);
  return value;
}

/* Writes a value by chance; indices among them are in range or not. */
static void
write_memory (void *memory, TpDtype dtype, gint64 i)
{
  double value;

  switch (dtype)
    {
    case TPLAN_DTYPE_INT64:
      ((gint64 *) memory)[i] = g_test_rand_int_range (-9, 10);
      return;
    case TPLAN_DTYPE_INT32:
      ((gint32 *) memory)[i] = g_test_rand_int_range (-9, 10);
      return;
    case TPLAN_DTYPE_UINT8:
      ((guint8 *) memory)[i] = g_test_rand_int_range (0, 256);
      return;
    case TPLAN_DTYPE_BOOL:
      ((guint8 *) memory)[i] = g_test_rand_bit ();
      return;
    case TPLAN_DTYPE_INT8:
      ((gint8 *) memory)[i] = g_test_rand_int_range (-128, 128);
      return;
    case TPLAN_DTYPE_INT16:
      ((gint16 *) memory)[i] = g_test_rand_int_range (-9, 10);
      return;
    case TPLAN_DTYPE_UINT16:
      ((guint16 *) memory)[i] = g_test_rand_int_range (0, 65536);
      return;
    case TPLAN_DTYPE_UINT32:
      ((guint32 *) memory)[i] = g_test_rand_int_range (0, 256);
      return;
    case TPLAN_DTYPE_FLOAT32:
      ((float *) memory)[i] = (float) g_test_rand_double_range (-1.0, 1.0);
      return;
    case TPLAN_DTYPE_FLOAT64:
      ((double *) memory)[i] = g_test_rand_double_range (-1.0, 1.0);
      return;
    default:
      value = g_test_rand_double_range (-1.0, 1.0);
      tp_dtype_store_doubles (dtype, &value, 1, (guint16 *) memory + i);
    }
}

static gboolean
is_close (double expected, double got, double tolerance)
{
  return fabs (expected - got) <= tolerance || expected == got
         || (isnan (expected) && isnan (got));
}

/* Terms of the longest sum: its rounding error grows with them. */
static gint64
count_terms (const TpLowered *lowered)
{
  gint64 most = 1;

  for (int i = 0; i < lowered->n_nests; i++)
    {
      const TpNest *nest = lowered->nests[i];
      gint64 n = 1;

      for (int a = 0; a < nest->n_axes; a++)
        n *= nest->axes[a].is_reduce ? nest->axes[a].extent : 1;
      most = MAX (most, n);
    }
  return most;
}

static gboolean
has_singles (const TpLowered *lowered)
{
  for (int i = 0; i < lowered->n_nests; i++)
    for (int k = 0; k < lowered->nests[i]->n_exprs; k++)
      {
        const TpExpr *e = &lowered->nests[i]->exprs[k];

        if (!e->is_integer && !e->is_double)
          return TRUE;
      }
  return FALSE;
}

/* Infinity, where @value is too large for @dtype. */
static double
keep (TpDtype dtype, double value)
{
  gint64 memory = 0;
  double kept;

  if (tp_dtype_is_integer (dtype) || tp_dtype_holds_results (dtype))
    return value;
  tp_dtype_store_doubles (dtype, &value, 1, &memory);
  kept = read_memory (&memory, dtype, 0);
  return isinf (kept) ? kept : value;
}

static void
compare (const TpLowered *lowered, const TpProgram *program, int operand,
         const double *expected, const void *memory)
{
  TpDtype dtype = lowered->operands[operand].dtype;
  double largest = 0.2; /* sums cancel, or are clipped behind the sum */
  double tolerance = 0.0;

  for (gint64 i = 0; i < lowered->operands[operand].n_elements; i++)
    if (isfinite (keep (dtype, expected[i])))
      largest = MAX (largest, fabs (expected[i]));
  if (!tp_dtype_is_integer (dtype))
    tolerance = has_singles (lowered)
                    ? 2e-5 * largest + 2e-7 * count_terms (lowered)
                    : 1e-12 * largest + 1e-15 * count_terms (lowered);
  if (!tp_dtype_holds_results (dtype)) /* rounded once more; integers: by 0 */
    tolerance += tp_dtype_get (dtype)->rounding * largest;
  for (gint64 i = 0; i < lowered->operands[operand].n_elements; i++)
    if (!is_close (keep (dtype, expected[i]), read_memory (memory, dtype, i),
                   tolerance))
      {
        g_autofree char *text = tp_lowered_to_text (lowered);

        g_test_message ("%s\n%s", program->schedule, text);
        g_test_message ("operand %d element %d: %g, not %g", operand, (int) i,
                        read_memory (memory, dtype, i), expected[i]);
        g_test_fail ();
        return;
      }
}

static void
verify (const TpLowered *lowered, const TpProgram *program)
{
  for (int i = 0; i < program->n_steps; i++)
    {
      g_autoptr (GError) error = NULL;

      if (tp_kernel_verify (program->steps[i].kernel, &error))
        continue;
      g_test_message ("%s: %s\n%s\n%s", program->schedule, error->message,
                      tp_lowered_to_text (lowered),
                      tp_kernel_to_text (program->steps[i].kernel));
      g_test_fail ();
    }
}

/* The schedule of @program makes it again. */
static void
check_schedule (const TpLowered *lowered, const TpTarget *target,
                const TpProgram *program)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (TpProgram) again
      = tp_program_new (lowered, target, program->schedule, &error);

  g_assert_no_error (error);
  g_assert_cmpstr (again->schedule, ==, program->schedule);
  g_assert_cmpint (again->n_steps, ==, program->n_steps);
  for (int i = 0; i < program->n_steps; i++)
    {
      g_autofree char *text = tp_kernel_to_text (program->steps[i].kernel);
      g_autofree char *other = tp_kernel_to_text (again->steps[i].kernel);

      g_assert_cmpstr (text, ==, other);
    }
}

void
check_lowered (TpLowered *lowered, const TpTarget *target, RunFunc run)
{
  check_targets (lowered, target, 1, run);
}

void
check_targets (TpLowered *lowered, const TpTarget *targets, int n, RunFunc run)
{
  g_autoptr (TpLowered) owned = lowered;
  g_autoptr (GPtrArray) programs
      = g_ptr_array_new_with_free_func ((GDestroyNotify) tp_program_free);

  for (int i = 0; i < n; i++)
    {
      g_autoptr (GError) error = NULL;
      TpProgram *program = tp_program_new (owned, &targets[i], NULL, &error);

      g_assert_no_error (error);
      g_ptr_array_add (programs, program);
      check_schedule (owned, &targets[i], program);
    }
  check_programs (owned, (TpProgram *const *) programs->pdata, n, run);
}

void
check_program (const TpLowered *lowered, const TpProgram *program,
               RunFunc run)
{
  check_programs (lowered, (TpProgram *const *) &program, 1, run);
}

/* What @program makes of a copy of @memory is @expected. */
static void
check_run (const TpLowered *lowered, const TpProgram *program, RunFunc run,
           const GPtrArray *memory, const GPtrArray *expected)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GPtrArray) copy = g_ptr_array_new_with_free_func (g_free);

  verify (lowered, program);
  if (g_test_failed ())
    return;
  for (int i = 0; i < lowered->n_operands; i++)
    g_ptr_array_add (copy,
                     g_memdup2 (memory->pdata[i],
                                (lowered->operands[i].n_elements + 1)
                                    * tp_dtype_get_size (lowered->operands[i].dtype)));
  if (!run (program, copy->pdata, &error))
    {
      g_test_message ("%s: %s", program->schedule, error->message);
      g_test_fail ();
      return;
    }
  for (int i = 0; i < lowered->n_nests; i++)
    {
      int out = lowered->nests[i]->store.operand;

      if (!lowered->operands[out].is_scratch)
        compare (lowered, program, out, expected->pdata[out], copy->pdata[out]);
    }
}

void
check_programs (const TpLowered *lowered, TpProgram *const *programs, int n,
                RunFunc run)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GPtrArray) doubles = g_ptr_array_new_with_free_func (g_free);
  g_autoptr (GPtrArray) memory = g_ptr_array_new_with_free_func (g_free);

  g_assert_true (tp_lowered_check (lowered, &error));
  for (int i = 0; i < lowered->n_operands; i++)
    {
      gint64 size = lowered->operands[i].n_elements;
      TpDtype dtype = lowered->operands[i].dtype;
      double *d = g_new (double, size + 1);
      void *m = g_malloc0_n (size + 1, tp_dtype_get_size (dtype));

      for (gint64 j = 0; j < size; j++)
        {
          write_memory (m, dtype, j);
          d[j] = read_memory (m, dtype, j);
        }
      g_ptr_array_add (doubles, d);
      g_ptr_array_add (memory, m);
    }
  tp_lowered_eval (lowered, (double **) doubles->pdata);
  for (int i = 0; i < n && !g_test_failed (); i++)
    check_run (lowered, programs[i], run, memory, doubles);
}
