/* attempt.c: see attempt.h. */
#include "config.h"

#include "tests/onnx/attempt.h"

#include "calib/calib.h"
#include "calib/cost-db.h"
#include "calib/lookup.h"
#include "format/graph-load.h"
#include "format/load-options.h"
#include "graph/graph-bind.h"
#include "graph/pass.h"
#include "planner/fuse.h"
#include "planner/place.h"
#include "runtime/session.h"

#include <math.h>
#include <string.h>

#define RELATIVE_TOLERANCE 1e-3
#define ABSOLUTE_TOLERANCE 1e-7
#define ROUNDINGS 4

typedef struct
{
  const OnnxCase *onnx_case;
  const char *device;
  OnnxResult *result;
  GPtrArray *inputs, *outputs;  /* OnnxTensor * */
  GHashTable *bound;            /* char* -> TpInputValue* */
} Attempt;

const char *
onnx_outcome_get_name (OnnxOutcome outcome)
{
  static const char *const names[]
      = { "untried", "running", "passed", "failed", "unsupported", "crashed" };

  return names[outcome];
}

void
onnx_result_set (OnnxResult *result, OnnxOutcome outcome, const char *format,
                 ...)
{
  g_autofree char *reason = NULL;
  va_list args;

  va_start (args, format);
  reason = g_strdup_vprintf (format, args);
  va_end (args);
  g_strlcpy (result->reason, g_strdelimit (reason, "\n", ' '),
             sizeof result->reason);
  result->outcome = outcome;
}

/* A limit that is owned up to is no failure. */
static void
take_error (Attempt *self, const char *step, const GError *error)
{
  const char *text = error->message;
  OnnxOutcome outcome
      = g_error_matches (error, TPLAN_ERROR, TPLAN_ERROR_UNSUPPORTED)
                || g_error_matches (error, TPLAN_ERROR, TPLAN_ERROR_INFEASIBLE)
            ? ONNX_UNSUPPORTED
            : ONNX_FAILED;

  if (g_str_has_prefix (text, self->onnx_case->folder))
    text += strlen (self->onnx_case->folder) + 1;
  onnx_result_set (self->result, outcome, "%s: %s", step, text);
}

/* ---- loading, with inputs bound where shapes hang on them ------------------- */

static gboolean
may_be_bound (const OnnxTensor *input, gboolean is_integer)
{
  return input->value.rank <= 1 && *input->name != 0
         && (!is_integer || input->value.dtype == TPLAN_DTYPE_INT64);
}

static TpGraph *
load_bound (Attempt *self, GError **error)
{
  g_autofree char *path
      = g_build_filename (self->onnx_case->folder, "model.onnx", NULL);
  const TpLoadOptions options = { .values = self->bound };

  return tp_graph_read (path, &options, error);
}

static void
bind (Attempt *self, OnnxTensor *input)
{
  g_hash_table_insert (self->bound, input->name, &input->value);
}

static TpGraph *
load_with_all_bound (Attempt *self, gboolean is_integer)
{
  g_hash_table_remove_all (self->bound);
  for (guint i = 0; i < self->inputs->len; i++)
    if (may_be_bound (self->inputs->pdata[i], is_integer))
      bind (self, self->inputs->pdata[i]);
  return load_bound (self, NULL);
}

/* The fewest that will do: none; one; all lists and numbers of int64, which is
 * what shapes, axes and counts are; all lists and numbers. Binding helps only
 * where a shape hangs on a value: no op is inferred otherwise with constants. */
static TpGraph *
load (Attempt *self, GError **error)
{
  TpGraph *graph = load_bound (self, error);

  for (guint i = 0; graph == NULL && i < self->inputs->len; i++)
    if (may_be_bound (self->inputs->pdata[i], FALSE))
      {
        g_hash_table_remove_all (self->bound);
        bind (self, self->inputs->pdata[i]);
        graph = load_bound (self, NULL);
      }
  if (graph == NULL)
    graph = load_with_all_bound (self, TRUE);
  if (graph == NULL)
    graph = load_with_all_bound (self, FALSE);
  if (graph != NULL)
    g_clear_error (error);
  return graph;
}

/* ---- planning --------------------------------------------------------------- */

static TpCosts *
estimate (const TpGraph *graph, const TpGroups *groups, const char *device,
          GError **error)
{
  const char *both[] = { "cpu", device };
  gboolean is_far = strchr (device, ':') != NULL;
  TpCalibOptions options = { .n_devices = is_far ? 2 : 1,
                             .devices = is_far ? both : &both[1],
                             .n_threads = 1 };
  g_autoptr (TpCostDb) db = tp_cost_db_open ("/dev/null/none", TRUE, error);

  return db == NULL ? NULL
                    : tp_cost_db_lookup (db, graph, groups, &options, error);
}

/* Every op pinned to the device. */
static TpPlan *
plan (TpGraph **graph, const char *device, GError **error)
{
  g_autofree char *pin = g_strconcat ("*=", device, NULL);
  const char *pins[] = { (*graph)->n_nodes > 0 ? pin : NULL, NULL };
  g_autoptr (TpGroups) groups = NULL;
  g_autoptr (TpCosts) costs = NULL;
  TpGraph *pinned = tp_graph_pin (*graph, pins, error);

  if (pinned == NULL)
    return NULL;
  tp_graph_unref (*graph);
  *graph = pinned;
  groups = tp_fuse_find (pinned, NULL);
  costs = estimate (pinned, groups, device, error);
  return costs == NULL ? NULL
                       : tp_place (pinned, groups, costs, "time", error);
}

/* ---- comparing -------------------------------------------------------------- */

/* What was computed in @dtype step by step may be some roundings off: of itself, and
 * where sums cancel, of @largest, which is in the same tensor. */
static gboolean
is_close (double a, double b, TpDtype dtype, double largest)
{
  double rounding = ROUNDINGS * tp_dtype_get (dtype)->rounding;
  double relative = MAX (RELATIVE_TOLERANCE, rounding);

  return a == b || (isnan (a) && isnan (b))
         || fabs (a - b) <= ABSOLUTE_TOLERANCE + relative * fabs (b)
                                + rounding * largest;
}

static double
get_element (TpDtype dtype, const void *data, gint64 i)
{
  gint64 size = (gint64) tp_dtype_get_size (dtype);
  double value;

  tp_dtype_load_doubles (dtype, (const char *) data + i * size, 1, 1, &value);
  return value;
}

/* Of those that are numbers. */
static double
find_largest (const OnnxTensor *tensor)
{
  double largest = 0.0;

  for (gint64 i = 0; i < tensor->count; i++)
    {
      double x = fabs (get_element (tensor->value.dtype, tensor->value.data, i));

      if (x > largest && isfinite (x))
        largest = x;
    }
  return largest;
}

static gboolean
compare_reals (Attempt *self, int output, const OnnxTensor *want,
               const void *got)
{
  TpDtype dtype = want->value.dtype;
  double largest = find_largest (want);

  for (gint64 i = 0; i < want->count; i++)
    {
      double a = get_element (dtype, got, i);
      double b = get_element (dtype, want->value.data, i);

      if (is_close (a, b, dtype, largest))
        continue;
      onnx_result_set (self->result, ONNX_FAILED,
                       "value: output %d, element %" G_GINT64_FORMAT
                       ": %.9g, expected %.9g", output, i, a, b);
      return FALSE;
    }
  return TRUE;
}

static gboolean
compare_bytes (Attempt *self, int output, const OnnxTensor *want,
               const void *got)
{
  gint64 size = tp_dtype_get_size (want->value.dtype), i = 0;
  const char *a = got, *b = want->value.data;

  while (i < want->count && memcmp (a + i * size, b + i * size, size) == 0)
    i++;
  if (i == want->count)
    return TRUE;
  onnx_result_set (self->result, ONNX_FAILED,
                   "value: output %d, element %" G_GINT64_FORMAT " of %s",
                   output, i, tp_dtype_get_name (want->value.dtype));
  return FALSE;
}

static char *
format_dims (int rank, const gint64 *dims)
{
  g_autoptr (GString) text = g_string_new ("[");

  for (int i = 0; i < rank; i++)
    g_string_append_printf (text, "%s%" G_GINT64_FORMAT, i > 0 ? ", " : "",
                            dims[i]);
  g_string_append_c (text, ']');
  return g_string_free (g_steal_pointer (&text), FALSE);
}

static gboolean
compare_type (Attempt *self, int output, const OnnxTensor *want,
              const TpTensor *got)
{
  const TpInputValue *value = &want->value;
  g_autofree char *a = format_dims (got->rank, got->dims);
  g_autofree char *b = format_dims (value->rank, value->dims);

  if (got->dtype != value->dtype)
    onnx_result_set (self->result, ONNX_FAILED,
                     "dtype: output %d is %s, expected %s", output,
                     tp_dtype_get_name (got->dtype),
                     tp_dtype_get_name (value->dtype));
  else if (strcmp (a, b) != 0)
    onnx_result_set (self->result, ONNX_FAILED,
                     "shape: output %d is %s, expected %s", output, a, b);
  else
    return TRUE;
  return FALSE;
}

static gboolean
compare_output (Attempt *self, int output, const TpTensor *tensor,
                const void *got)
{
  OnnxTensor want = *(const OnnxTensor *) self->outputs->pdata[output];

  /* files up to release 1.18 have the bits of bfloat16, and call them uint16 */
  if (tensor->dtype == TPLAN_DTYPE_BFLOAT16
      && want.value.dtype == TPLAN_DTYPE_UINT16)
    want.value.dtype = TPLAN_DTYPE_BFLOAT16;
  if (!compare_type (self, output, &want, tensor))
    return FALSE;
  return !tp_dtype_is_integer (tensor->dtype)
             ? compare_reals (self, output, &want, got)
             : compare_bytes (self, output, &want, got);
}

/* ---- running ---------------------------------------------------------------- */

/* Whether @name is of another input than that at @i. */
static gboolean
is_of_another (const TpGraph *graph, int i, const char *name)
{
  for (int k = 0; k < graph->n_inputs; k++)
    if (k != i && strcmp (name, graph->tensors[graph->inputs[k]].name) == 0)
      return TRUE;
  return FALSE;
}

/* What is bound, or has no elements, is a constant. */
static gboolean
is_fed (const Attempt *self, const OnnxTensor *input)
{
  return input->count > 0 && !g_hash_table_contains (self->bound, input->name);
}

/* Inputs of @graph, in its order: by name, or by place where files say none, or one that
 * no input has. FALSE where a file is missing or of another shape. */
static gboolean
take_inputs (Attempt *self, const TpGraph *graph, const void **data)
{
  guint next = 0;

  for (int i = 0; i < graph->n_inputs; i++)
    {
      const TpTensor *input = &graph->tensors[graph->inputs[i]];
      const OnnxTensor *from;

      while (next < self->inputs->len && !is_fed (self, self->inputs->pdata[next]))
        next++;
      from = next < self->inputs->len ? self->inputs->pdata[next++] : NULL;
      if (from == NULL || from->size_bytes != input->size_bytes
          || is_of_another (graph, i, from->name))
        {
          onnx_result_set (self->result, ONNX_FAILED,
                           "input '%s' is not what the test has as %u",
                           input->name, next - 1);
          return FALSE;
        }
      data[i] = from->value.data;
    }
  return TRUE;
}

static gboolean
check_outputs (Attempt *self, const TpGraph *graph, void **data)
{
  for (int i = 0; i < graph->n_outputs; i++)
    if (!compare_output (self, i, &graph->tensors[graph->outputs[i]],
                         data[i]))
      return FALSE;
  onnx_result_set (self->result, ONNX_PASSED, "%s", "");
  return TRUE;
}

static void
run_session (Attempt *self, const TpGraph *graph, TpSession *session)
{
  g_autofree const void **inputs = g_new0 (const void *, graph->n_inputs + 1);
  g_autoptr (GPtrArray) outputs = g_ptr_array_new_with_free_func (g_free);
  g_autoptr (GError) error = NULL;

  if (!take_inputs (self, graph, inputs))
    return;
  for (int i = 0; i < graph->n_outputs; i++)
    {
      gint64 size = graph->tensors[graph->outputs[i]].size_bytes;
      void *data = g_malloc (size + 1);

      memset (data, 0xff, size);
      g_ptr_array_add (outputs, data);
    }
  if (tp_session_run (session, inputs, outputs->pdata, &error))
    check_outputs (self, graph, outputs->pdata);
  else
    take_error (self, "run", error);
}

static void
plan_and_run (Attempt *self, TpGraph *loaded)
{
  const TpDeviceOptions options = { .n_threads = 1 };
  g_autoptr (GError) error = NULL;
  g_autoptr (TpGraph) graph = tp_graph_prepare (loaded, &error);
  g_autoptr (TpPlan) placed = NULL;
  g_autoptr (TpSession) session = NULL;

  if (graph == NULL)
    {
      take_error (self, "prepare", error);
      return;
    }
  self->result->n_nodes = graph->n_nodes;
  placed = plan (&graph, self->device, &error);
  if (placed == NULL)
    {
      take_error (self, "plan", error);
      return;
    }
  session = tp_session_new (graph, placed, &options, &error);
  if (session == NULL)
    take_error (self, "session", error);
  else
    run_session (self, graph, session);
}

static void
attempt (Attempt *self)
{
  g_autoptr (GError) error = NULL, no_values = NULL;
  g_autoptr (GPtrArray) inputs
      = onnx_tensors_load (self->onnx_case->folder, "input", &no_values);
  g_autoptr (GPtrArray) outputs
      = no_values != NULL ? NULL
                          : onnx_tensors_load (self->onnx_case->folder,
                                               "output", &no_values);
  g_autoptr (GPtrArray) none = g_ptr_array_new ();
  g_autoptr (TpGraph) graph = NULL;

  self->inputs = no_values != NULL ? none : inputs;
  self->outputs = outputs;
  graph = load (self, &error);
  self->result->n_bound = g_hash_table_size (self->bound);
  if (graph == NULL)
    take_error (self, "load", error);
  else if (no_values != NULL)
    take_error (self, "values", no_values);
  else if (graph->n_outputs != (int) outputs->len)
    onnx_result_set (self->result, ONNX_FAILED, "%d outputs, expected %u",
                     graph->n_outputs, outputs->len);
  else
    plan_and_run (self, graph);
}

void
onnx_attempt (const OnnxCase *onnx_case, const char *device,
              OnnxResult *result)
{
  g_autoptr (GHashTable) bound = g_hash_table_new (g_str_hash, g_str_equal);
  Attempt self = { .onnx_case = onnx_case, .device = device,
                   .result = result, .bound = bound };
  gint64 start = g_get_monotonic_time ();

  attempt (&self);
  result->time_ns = 1000 * (g_get_monotonic_time () - start);
}
