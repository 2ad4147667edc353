/* test-conformance.c: devices x ops x shapes, walked from both tables. Every
 * device gives what the references give, within the tolerance of the op, for
 * the cases of the op tests and for random shapes, in three layouts. `make check` draws
 * one of the three, and of an op's cases every third for drivers of OpenCL;
 * `make check-full` takes all. */
#include "config.h"

#include "../ir/op-support.h"
#include "nets.h"
#include "ops/lower.h"
#include "random-ops.h"
#include "runtime/devices.h"
#include "runtime/strided.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define UNITS_PER_COMPILE 200
#define ROUNDS 3              /* of random ops; one where each takes long */
#define STEP 3                /* of an op's cases, where each takes long */
#define GPU_STEP 8
#define DOUBLE_ERROR 1e-12    /* of what is of float64, whatever the op */

typedef struct
{
  int opset;
  const char *text;
} Case;

static const Case cases[] = {
#include "../ir/op-cases.inc"
};

/* One unit to try: a node, or all nodes of a graph as a group. */
typedef struct
{
  TpGraph *graph;
  char *text;
  GPtrArray *values;          /* of all tensors, row-major doubles */
  int n_nodes;
  int *nodes;
  TpLowered *lowered;         /* NULL: the device runs nodes */
  int n_tensors;              /* its operands */
  int *tensors;
  TpBuf **bufs;
} Trial;

static void
trial_free (Trial *trial)
{
  tp_graph_unref (trial->graph);
  g_ptr_array_unref (trial->values);
  g_clear_pointer (&trial->lowered, tp_lowered_free);
  g_free (trial->text);
  g_free (trial->nodes);
  g_free (trial->tensors);
  g_free (trial->bufs);
  g_free (trial);
}

/* ---- making trials --------------------------------------------------------- */

static void
take_tensors (Trial *trial)
{
  const TpUnit unit = { .graph = trial->graph, .n_nodes = trial->n_nodes,
                        .nodes = trial->nodes, .lowered = trial->lowered };
  g_autoptr (TpArray) operands = tp_unit_list_operands (&unit);

  trial->n_tensors = operands->len;
  trial->tensors = g_new (int, trial->n_tensors);
  trial->bufs = g_new0 (TpBuf *, trial->n_tensors + 1);
  for (int i = 0; i < trial->n_tensors; i++)
    trial->tensors[i] = tp_array_index (operands, TpUnitOperand, i).tensor;
}

/* Views are no units. */
static void
add_trial (GPtrArray *trials, TpGraph *graph, const char *text,
           GPtrArray *values, const int *nodes, int n_nodes,
           gboolean runs_nodes)
{
  g_autoptr (TpLowered) lowered = NULL;
  Trial *trial;

  if (graph->nodes[nodes[0]].op->kind == TP_OP_VIEW)
    return;
  if (!runs_nodes)
    {
      lowered = tp_lower_nodes (graph, nodes, n_nodes, NULL);
      if (lowered == NULL)
        return;
    }
  trial = g_new0 (Trial, 1);
  trial->graph = tp_graph_ref (graph);
  trial->text = g_strdup (text);
  trial->values = g_ptr_array_ref (values);
  trial->n_nodes = n_nodes;
  trial->nodes = g_memdup2 (nodes, n_nodes * sizeof nodes[0]);
  trial->lowered = g_steal_pointer (&lowered);
  take_tensors (trial);
  g_ptr_array_add (trials, trial);
}

/* "group;" in front: all nodes as one unit too. Reals are of type @real: of narrow
 * ones single nodes alone, for the references of several round nothing between. */
static void
add_trials (GPtrArray *trials, const Case *it, TpDtype real, TestLayout layout,
            gboolean runs_nodes)
{
  g_autoptr (GError) error = NULL;
  const char *text = it->text;
  gboolean is_group = g_str_has_prefix (text, "group;");
  g_autoptr (TpGraph) graph = NULL;
  g_autoptr (GPtrArray) values = NULL;
  g_autofree int *nodes = NULL;
  gboolean is_positive = FALSE;

  if ((real != TPLAN_DTYPE_FLOAT32 && test_text_is_of_float32 (text))
      || (real == TPLAN_DTYPE_FLOAT64 && strstr (text, "float16 ") != NULL))
    return;
  graph = test_graph_new_of (real, it->opset, is_group ? text + 6 : text, &error);

  g_assert_no_error (error);
  if (!tp_dtype_holds_results (real) && graph->n_nodes > 1)
    return;
  test_graph_set_layout (graph, layout);
  nodes = g_new (int, graph->n_nodes + 1);
  for (int i = 0; i < graph->n_nodes; i++)
    {
      nodes[i] = i;
      is_positive |= graph->nodes[i].op->domain == TP_DOMAIN_POSITIVE;
    }
  values = test_graph_run (graph, is_positive);
  for (int i = 0; i < graph->n_nodes; i++)
    add_trial (trials, graph, text, values, &i, 1, runs_nodes);
  if (is_group)
    add_trial (trials, graph, text, values, nodes, graph->n_nodes,
               runs_nodes);
}

static gboolean
is_full (void)
{
  return g_getenv ("TPLAN_TEST_FULL") != NULL;
}

/* Which cases are tried: of those that end in the same op every @step-th, so at least
 * one. */
static GArray *
draw_cases (int step)
{
  GArray *drawn = g_array_new (FALSE, FALSE, sizeof (int));
  g_autoptr (GHashTable) seen = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);

  for (int i = 0; i < (int) G_N_ELEMENTS (cases); i++)
    {
      const char *last = strrchr (cases[i].text, ';');
      const char *node = last == NULL ? cases[i].text : last + 1;
      char *op = g_strndup (node, strcspn (node, " "));
      int n = GPOINTER_TO_INT (g_hash_table_lookup (seen, op));

      g_hash_table_insert (seen, op, GINT_TO_POINTER (n + 1));
      if (n % step == 0)
        g_array_append_val (drawn, i);
    }
  return drawn;
}

/* Case @i in its types, in `make check` in one layout by chance. Drivers of OpenCL take
 * long over each kernel: they get one in `make check-full` too, and few types. */
static void
add_case (GPtrArray *trials, int i, const TpDeviceInfo *info, gboolean is_slow)
{
  gboolean is_all = is_full () && !is_slow, runs_nodes = info->runs_nodes;
  int first = is_all ? 0 : g_test_rand_int_range (0, TEST_N_LAYOUTS);
  int end = is_all ? TEST_N_LAYOUTS : first + 1;
  int few = is_slow ? 4 : is_full () ? 1 : 2;

  for (int layout = first; layout < end; layout++)
    add_trials (trials, &cases[i], TPLAN_DTYPE_FLOAT32, layout, runs_nodes);
  if (i % few == 0)
    add_trials (trials, &cases[i],
                g_test_rand_bit () ? TPLAN_DTYPE_FLOAT16 : TPLAN_DTYPE_BFLOAT16,
                g_test_rand_int_range (0, TEST_N_LAYOUTS), runs_nodes);
  if (info->target.has_float64 && (is_full () || i % few == 1))
    add_trials (trials, &cases[i], TPLAN_DTYPE_FLOAT64,
                g_test_rand_int_range (0, TEST_N_LAYOUTS), runs_nodes);
}

static GPtrArray *
make_trials (const TpDeviceInfo *info, gboolean is_slow, int step)
{
  int n_rounds = is_slow && !is_full () ? 1 : ROUNDS;
  g_autoptr (GArray) drawn = draw_cases (step);
  GPtrArray *trials
      = g_ptr_array_new_with_free_func ((GDestroyNotify) trial_free);

  for (guint i = 0; i < drawn->len; i++)
    add_case (trials, g_array_index (drawn, int, i), info, is_slow);
  for (int i = 0; i < n_rounds * random_op_count (); i++)
    {
      g_autofree char *text = random_op (i);

      add_trials (trials, &(Case){ 17, text }, TPLAN_DTYPE_FLOAT32,
                  g_test_rand_int_range (0, TEST_N_LAYOUTS), info->runs_nodes);
    }
  return trials;
}

/* ---- running them ----------------------------------------------------------- */

static void
assert_good (gboolean is_good, const Trial *trial, GError **error)
{
  if (!is_good)
    g_error ("%s: %s", trial->text, (*error)->message);
}

/* Inputs get their values, the others NaN; constants are the device's. */
static void
fill_buf (TpDevice *device, Trial *trial, int i)
{
  const TpTensor *tensor = &trial->graph->tensors[trial->tensors[i]];
  g_autoptr (GError) error = NULL;
  g_autofree void *data = g_malloc (tensor->size_bytes + 1);
  gboolean is_output = FALSE;

  for (int j = 0; j < trial->n_nodes; j++)
    is_output |= tensor->producer == trial->nodes[j];
  memset (data, 0xff, tensor->size_bytes);
  if (!is_output)
    tp_strided_from_doubles (tensor, trial->values->pdata[trial->tensors[i]],
                             data);
  trial->bufs[i] = device->ops->alloc (device, NULL, 0, tensor->size_bytes,
                                       &error);
  assert_good (trial->bufs[i] != NULL, trial, &error);
  assert_good (tp_device_write (device, trial->bufs[i], data,
                                tensor->size_bytes, &error),
               trial, &error);
}

/* A tensor that is read twice has one buffer. */
static void
fill_bufs (TpDevice *device, Trial *trial)
{
  for (int i = 0; i < trial->n_tensors; i++)
    {
      int tensor = trial->tensors[i];

      if (tensor < 0 || tp_tensor_is_constant (&trial->graph->tensors[tensor]))
        continue;
      for (int j = 0; j < i && trial->bufs[i] == NULL; j++)
        if (trial->tensors[j] == tensor)
          trial->bufs[i] = trial->bufs[j];
      if (trial->bufs[i] == NULL)
        fill_buf (device, trial, i);
    }
}

static void
free_bufs (TpDevice *device, Trial *trial)
{
  for (int i = 0; i < trial->n_tensors; i++)
    {
      for (int j = i + 1; j < trial->n_tensors; j++)
        if (trial->bufs[j] == trial->bufs[i])
          trial->bufs[j] = NULL;
      if (trial->bufs[i] != NULL)
        device->ops->free_buf (device, trial->bufs[i]);
    }
}

/* Relative to the element, or to the mean of all where it is smaller than
 * that: sums cancel. Rounding once to the type is no fault, and float32 before may
 * turn it the other way. Integers and truth values are exact. */
static void
compare (const Trial *trial, const TpTensor *tensor, const double *found,
         const double *expected, double tolerance)
{
  gboolean is_real = !tp_dtype_is_integer (tensor->dtype);
  gboolean is_double = tensor->dtype == TPLAN_DTYPE_FLOAT64;
  double square = 0;

  tolerance = is_double ? DOUBLE_ERROR : is_real ? tolerance : 0;
  if (tolerance > 0 && !tp_dtype_holds_results (tensor->dtype))
    tolerance += 2 * tp_dtype_get (tensor->dtype)->rounding;
  for (gint64 i = 0; i < tensor->count; i++)
    square += isfinite (expected[i])
                ? expected[i] * expected[i] / tensor->count : 0;
  for (gint64 i = 0; i < tensor->count; i++)
    {
      double want = is_real && !is_double ? (float) expected[i] : expected[i];
      double scale;

      /* Inputs are about 1: what cancels keeps their error. */
      scale = MAX (MAX (fabs (want), sqrt (square)), 0.01);
      tp_dtype_round (tensor->dtype, &want, 1);
      if (found[i] == want || (isnan (found[i]) && isnan (want))
          || fabs (found[i] - want) <= tolerance * scale)
        continue;
      g_error ("%s: tensor '%s' element %" G_GINT64_FORMAT " is %.9g, expected "
               "%.9g within %g", trial->text, tensor->name, i, found[i], want,
               tolerance * scale);
    }
}

static void
check_outputs (TpDevice *device, Trial *trial)
{
  double tolerance = 0;

  for (int i = 0; i < trial->n_nodes; i++)
    tolerance += trial->graph->nodes[trial->nodes[i]].op->tolerance;
  for (int i = 0; i < trial->n_tensors; i++)
    {
      g_autoptr (GError) error = NULL;
      const TpTensor *tensor
          = trial->tensors[i] < 0 ? NULL
                                  : &trial->graph->tensors[trial->tensors[i]];
      g_autofree void *data = NULL;
      g_autofree double *found = NULL;

      if (tensor == NULL || trial->bufs[i] == NULL)
        continue;
      data = g_malloc (tensor->size_bytes + 1);
      found = g_new (double, tensor->count + 1);
      assert_good (tp_device_read (device, trial->bufs[i], data,
                                   tensor->size_bytes, &error),
                   trial, &error);
      tp_strided_to_doubles (tensor, data, found);
      compare (trial, tensor, found, trial->values->pdata[trial->tensors[i]],
               tolerance);
    }
}

static void
run_trial (TpDevice *device, TpCode *code, int unit, Trial *trial)
{
  g_autoptr (GError) error = NULL;
  TpLaunch *launch;

  fill_bufs (device, trial);
  launch = device->ops->bind (device, code, unit, trial->bufs, &error);
  assert_good (launch != NULL, trial, &error);
  assert_good (device->ops->launch (device, launch, &error), trial, &error);
  assert_good (device->ops->launch (device, NULL, &error), trial, &error);
  check_outputs (device, trial);
  device->ops->free_launch (device, launch);
  free_bufs (device, trial);
}

static void
run_trials (TpDevice *device, GPtrArray *trials, guint first, guint end)
{
  g_autoptr (GError) error = NULL;
  g_autofree TpUnit *units = g_new0 (TpUnit, end - first + 1);
  TpCode *code;

  for (guint i = first; i < end; i++)
    {
      const Trial *trial = trials->pdata[i];

      units[i - first] = (TpUnit){ .graph = trial->graph,
                                   .n_nodes = trial->n_nodes,
                                   .nodes = trial->nodes,
                                   .lowered = trial->lowered };
    }
  code = device->ops->compile (device, units, end - first, &error);
  g_assert_no_error (error);
  g_assert_cmpint (code->n_units, ==, end - first);
  for (guint i = first; i < end; i++)
    {
      g_assert_nonnull (code->schedules[i - first]);
      run_trial (device, code, i - first, trials->pdata[i]);
    }
  device->ops->free_code (device, code);
}

/* $TPLAN_TEST_PART "3/24": only every 24th of all, from the third; so on a driver that is
 * met for the first time a crash costs little, and parts run beside each other. */
static GPtrArray *
take_part (GPtrArray *trials)
{
  const char *text = g_getenv ("TPLAN_TEST_PART");
  GPtrArray *part;
  guint which, n;

  if (text == NULL || sscanf (text, "%u/%u", &which, &n) != 2 || which < 1
      || which > n)
    return trials;
  part = g_ptr_array_new_with_free_func ((GDestroyNotify) trial_free);
  for (guint i = 0; i < trials->len; i++)
    if (i % n == which - 1)
      g_ptr_array_add (part, trials->pdata[i]);
    else
      trial_free (trials->pdata[i]);
  g_ptr_array_set_free_func (trials, NULL);
  g_ptr_array_unref (trials);
  return part;
}

static void
check_device (const char *name, int step)
{
  g_autofree char *reason = NULL;
  g_autoptr (TpDevice) device = net_try_device (name, &reason);
  g_autoptr (GPtrArray) trials = NULL;
  TpDeviceInfo info;

  if (device == NULL)
    {
      g_test_skip (reason);
      return;
    }
  device->ops->describe (device, &info);
  g_assert_cmpstr (info.name, ==, name);
  g_assert_cmpint (strlen (info.identity), >, 0);
  trials = make_trials (&info, strchr (name, ':') != NULL, step);
  g_assert_cmpint (trials->len, >, 80);
  trials = take_part (trials);
  g_test_message ("%s: %u units", info.description, trials->len);
  for (guint i = 0; i < trials->len; i += UNITS_PER_COMPILE)
    run_trials (device, trials, i, MIN (i + UNITS_PER_COMPILE, trials->len));
  g_assert_cmpint (device->used_bytes, ==, 0);
  g_assert_cmpint (device->peak_bytes, >, 0);
  tp_device_info_clear (&info);
}

static void
test_device (gconstpointer name)
{
  gboolean is_some = !is_full () && g_getenv ("TPLAN_TEST_PART") == NULL;

  check_device (name, is_some && strchr (name, ':') != NULL ? STEP : 1);
}

/* Schedules for GPUs on whatever there is. */
static void
test_gpu_style (void)
{
  g_setenv ("TPLAN_OPENCL_LOCAL_SIZE", "16", TRUE);
  check_device ("opencl:0", is_full () ? 1 : GPU_STEP);
  g_unsetenv ("TPLAN_OPENCL_LOCAL_SIZE");
}

/* Every record of the table; of numbered ones every number. */
static void
add_device (const TpDeviceOps *ops)
{
  const char *reason;
  int n = ops->which == NULL ? 1 : MAX (ops->count (&reason), 1);

  for (int i = 0; i < n; i++)
    {
      g_autofree char *name
          = ops->which == NULL              ? g_strdup (ops->name)
            : strcmp (ops->which, "N") == 0 ? g_strdup_printf ("%s:%d",
                                                               ops->name, i)
                                            : g_strdup_printf (
                                                "%s:desktop-gpu", ops->name);
      g_autofree char *path = g_strconcat ("/conformance/", name, NULL);

      g_test_add_data_func_full (path, g_strdup (name), test_device, g_free);
    }
}

int
main (int argc, char **argv)
{
  int n;
  const TpDeviceOps *const *devices = tp_device_list (&n);

  g_test_init (&argc, &argv, NULL);
  for (int i = 0; i < n; i++)
    add_device (devices[i]);
  g_test_add_func ("/conformance/gpu-style", test_gpu_style);
  return g_test_run ();
}
