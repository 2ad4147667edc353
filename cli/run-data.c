/* run-data.c: inputs from files or from a seed, outputs to files, and outputs
 * against the references. */
#include "config.h"

#include "cli/run-data.h"

#include "cli/output.h"
#include "format/file.h"
#include "format/npy.h"
#include "format/tensor-file.h"
#include "ir/op.h"
#include "ops/random-input.h"
#include "ops/reference.h"

#include <errno.h>
#include <glib/gstdio.h>
#include <math.h>
#include <string.h>

/* Below this part of the largest value of a tensor, an error is measured
 * against that part: what is left there is rounding of sums, not of results. */
#define CHECK_FLOOR 0.01

/* Element @i of row-major @data. */
static double
get_element (TpDtype dtype, const void *data, gint64 i)
{
  gsize size = tp_dtype_get_size (dtype);
  double value = 0.0;

  tp_dtype_load_doubles (dtype, (const char *) data + i * size, 1, 1, &value);
  return value;
}

static void *
alloc_tensor (const TpTensor *tensor, GError **error)
{
  void *data = g_try_malloc0 (MAX (tensor->size_bytes, 1));

  if (data == NULL)
    g_set_error (error, TPLAN_ERROR, TPLAN_ERROR_MEMORY,
                 "no memory for tensor '%s' of %" G_GINT64_FORMAT
                 " bytes: free some or cut the batch with --dim",
                 tensor->name, tensor->size_bytes);
  return data;
}

static char *
format_shape (TpDtype dtype, int rank, const gint64 *dims)
{
  g_autoptr (GString) text = g_string_new (tp_dtype_get_name (dtype));

  g_string_append (text, " [");
  for (int i = 0; i < rank; i++)
    g_string_append_printf (text, "%s%" G_GINT64_FORMAT, i == 0 ? "" : ", ",
                            dims[i]);
  g_string_append_c (text, ']');
  return g_string_free (g_steal_pointer (&text), FALSE);
}

/* @text: FILE or FILE:KEY. */
static gboolean
load_input (const TpTensor *tensor, const char *text, void *data,
            GError **error)
{
  g_autofree char *path = NULL, *key = NULL, *want = NULL, *got = NULL;
  g_autoptr (GBytes) bytes = NULL;
  g_autoptr (TpTensorFile) file = NULL;
  TpFileTensor value;

  tp_tensor_file_split (text, &path, &key);
  bytes = tp_file_load (path, TP_FILE_PLAIN, error);
  file = bytes == NULL ? NULL : tp_tensor_file_new (bytes, path, NULL, error);
  if (file == NULL || !tp_tensor_file_get (file, key, &value, error))
    return FALSE;
  if (value.dtype == tensor->dtype && value.rank == tensor->rank
      && memcmp (value.dims, tensor->dims, sizeof (gint64) * value.rank) == 0)
    {
      memcpy (data, value.data, tensor->size_bytes);
      return TRUE;
    }
  want = format_shape (tensor->dtype, tensor->rank, tensor->dims);
  got = format_shape (value.dtype, value.rank, value.dims);
  g_set_error (error, TPLAN_ERROR, TPLAN_ERROR_INPUT,
               "%s: holds %s, but input '%s' is %s: give an array of that "
               "type and shape, or bind other dims with --dim",
               text, got, tensor->name, want);
  return FALSE;
}

/* The file assigned to input @name, or NULL. */
static const char *
find_assignment (char *const *assignments, const char *name)
{
  gsize length = strlen (name);

  for (int i = 0; assignments != NULL && assignments[i] != NULL; i++)
    if (strncmp (assignments[i], name, length) == 0
        && assignments[i][length] == '=')
      return assignments[i] + length + 1;
  return NULL;
}

static gboolean
check_assignments (const TpGraph *graph, char *const *assignments,
                   GError **error)
{
  for (int i = 0; assignments != NULL && assignments[i] != NULL; i++)
    {
      char *const one[] = { assignments[i], NULL };
      gboolean is_known = FALSE;

      for (int k = 0; k < graph->n_inputs; k++)
        is_known = is_known
                   || find_assignment (
                          one, graph->tensors[graph->inputs[k]].name)
                          != NULL;
      if (!is_known)
        {
          g_set_error (error, TPLAN_ERROR, TPLAN_ERROR_USAGE,
                       "input '%s' is not NAME=FILE with an input of "
                       "graph '%s'; its first is '%s'",
                       assignments[i], graph->name,
                       graph->n_inputs == 0
                           ? "(none)"
                           : graph->tensors[graph->inputs[0]].name);
          return FALSE;
        }
    }
  return TRUE;
}

gboolean
tp_run_data_init (TpRunData *data, const TpGraph *graph,
                  char *const *assignments, gint64 seed, GError **error)
{
  data->graph = graph;
  data->inputs = g_new0 (void *, graph->n_inputs + 1);
  data->outputs = g_new0 (void *, graph->n_outputs + 1);
  if (!check_assignments (graph, assignments, error))
    return FALSE;
  for (int i = 0; i < graph->n_inputs; i++)
    {
      const TpTensor *tensor = &graph->tensors[graph->inputs[i]];
      const char *path = find_assignment (assignments, tensor->name);

      data->inputs[i] = alloc_tensor (tensor, error);
      if (data->inputs[i] == NULL)
        return FALSE;
      if (path == NULL)
        tp_random_input_write (graph, graph->inputs[i], (guint64) seed + i,
                               sqrt (3.0), data->inputs[i]);
      else if (!load_input (tensor, path, data->inputs[i], error))
        return FALSE;
    }
  for (int i = 0; i < graph->n_outputs; i++)
    {
      data->outputs[i]
          = alloc_tensor (&graph->tensors[graph->outputs[i]], error);
      if (data->outputs[i] == NULL)
        return FALSE;
    }
  return TRUE;
}

static void
free_list (void **list, int n)
{
  for (int i = 0; list != NULL && i < n; i++)
    g_free (list[i]);
  g_free (list);
}

void
tp_run_data_clear (TpRunData *data)
{
  if (data->graph == NULL)
    return;
  free_list (data->inputs, data->graph->n_inputs);
  free_list (data->outputs, data->graph->n_outputs);
}

/* A name from a graph as one file name. */
static char *
make_file_name (const char *folder, const char *name)
{
  g_autofree char *clean = g_utf8_make_valid (name, -1);
  g_autofree char *file = NULL;

  for (char *at = clean; *at != 0; at++)
    if (*at == '/' || (guchar) *at < 0x20 || *at == 0x7f)
      *at = '_';
  if (*clean == '.')
    *clean = '_';
  file = g_strdup_printf ("%.200s.npy", clean);
  return g_build_filename (folder, file, NULL);
}

gboolean
tp_run_data_save (const TpRunData *data, const TpCli *cli, const char *folder,
                  GError **error)
{
  const TpGraph *graph = data->graph;

  if (g_mkdir_with_parents (folder, 0777) != 0)
    {
      g_set_error (error, TPLAN_ERROR, TPLAN_ERROR_FAILED,
                   "cannot make folder '%s': %s", folder, g_strerror (errno));
      return FALSE;
    }
  for (int i = 0; i < graph->n_outputs; i++)
    {
      const TpTensor *tensor = &graph->tensors[graph->outputs[i]];
      g_autofree char *path = make_file_name (folder, tensor->name);

      if (!tp_cli_check_output (cli, path, error)
          || !tp_npy_save (path, tensor, data->outputs[i], error))
        return FALSE;
      tp_cli_note (cli, "wrote %s", path);
    }
  return TRUE;
}

char *
tp_run_errors_format (const TpRunErrors *errors, double tolerance)
{
  g_autofree char *flushed
      = errors->n_flushed == 0
            ? g_strdup ("")
            : g_strdup_printf ("; 0 for %" G_GINT64_FORMAT " denormals",
                               errors->n_flushed);

  return g_strdup_printf (
      "%s: relative error %.2g (limit %.2g), absolute %.2g, at '%s'%s",
      errors->max_rel_error <= tolerance ? "good" : "WRONG",
      errors->max_rel_error, tolerance, errors->max_abs_error,
      errors->worst_op == NULL ? "" : errors->worst_op, flushed);
}

GPtrArray *
tp_run_data_get_reference (const TpRunData *data, gboolean keep_all,
                           GError **error)
{
  const TpGraph *graph = data->graph;
  g_autoptr (GPtrArray) inputs = g_ptr_array_new_with_free_func (g_free);

  for (int i = 0; i < graph->n_inputs; i++)
    {
      const TpTensor *tensor = &graph->tensors[graph->inputs[i]];
      double *values = g_try_new (double, MAX (tensor->count, 1));

      if (values == NULL)
        {
          g_set_error (error, TPLAN_ERROR, TPLAN_ERROR_MEMORY,
                       "no memory for tensor '%s' as doubles", tensor->name);
          return NULL;
        }
      for (gint64 k = 0; k < tensor->count; k++)
        values[k] = get_element (tensor->dtype, data->inputs[i], k);
      g_ptr_array_add (inputs, values);
    }
  return tp_graph_run_reference (
      graph, (const double *const *) inputs->pdata, keep_all, error);
}

/* An error that cannot be counted is infinite. */
static double
find_error (double got, double want)
{
  if (isnan (want) && isnan (got))
    return 0;
  if (got == want)
    return 0;
  return isfinite (got) && isfinite (want) ? fabs (got - want) : HUGE_VAL;
}

/* Whether a device did what it may, which has no denormals in the type whose
 * @least normal number that is. */
static gboolean
is_zero_for (double got, double want, double least)
{
  return got == 0 && want != 0 && fabs (want) <= least;
}

/* The op that computed @tensor: views only pass it on. */
static const char *
find_worker (const TpGraph *graph, const TpTensor *tensor)
{
  while (tensor->producer >= 0)
    {
      const TpNode *node = &graph->nodes[tensor->producer];

      if (node->op == NULL || node->op->kind != TP_OP_VIEW
          || node->n_inputs == 0 || node->inputs[0] < 0)
        return node->name;
      tensor = &graph->tensors[node->inputs[0]];
    }
  return NULL;
}

void
tp_run_errors_add (TpRunErrors *errors, const TpRunAnswer *got,
                   const double *want)
{
  const TpTensor *tensor = got->tensor;
  double least = tp_dtype_get (tensor->dtype)->least_normal;
  double largest = 0;

  for (gint64 i = 0; i < tensor->count; i++)
    if (isfinite (want[i]))
      largest = MAX (largest, fabs (want[i]));
  largest = MAX (CHECK_FLOOR * largest, least);
  for (gint64 i = 0; i < tensor->count; i++)
    {
      double value = get_element (got->dtype, got->values, i);
      gboolean is_flushed = is_zero_for (value, want[i], least);
      double error = is_flushed ? 0 : find_error (value, want[i]);
      double scale = MAX (fabs (want[i]), largest);
      double relative = error == 0 ? 0 : scale > 0 ? error / scale : HUGE_VAL;

      errors->n_flushed += is_flushed;
      errors->max_abs_error = MAX (errors->max_abs_error, error);
      if (errors->worst_output != NULL && relative <= errors->max_rel_error)
        continue;
      errors->max_rel_error = relative;
      errors->worst_output = tensor->name;
      errors->worst_op = got->op;
    }
}

gboolean
tp_run_data_check (const TpRunData *data, TpRunErrors *out_errors,
                   GError **error)
{
  const TpGraph *graph = data->graph;
  g_autoptr (GPtrArray) wanted
      = tp_run_data_get_reference (data, FALSE, error);

  if (wanted == NULL)
    return FALSE;
  *out_errors = (TpRunErrors) { 0 };
  for (int i = 0; i < graph->n_outputs; i++)
    {
      const TpTensor *tensor = &graph->tensors[graph->outputs[i]];
      TpRunAnswer got = { tensor, tensor->dtype, data->outputs[i],
                          find_worker (graph, tensor) };

      tp_run_errors_add (out_errors, &got, wanted->pdata[i]);
    }
  return TRUE;
}
