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

#include <fenv.h>
#include <glib/gstdio.h>
#include <math.h>
#include <string.h>

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

/* Of the graph, and states. */
static int
count_inputs (const TpRunData *data)
{
  return data->graph->n_inputs + data->n_states;
}

static int
find_index (const TpRunData *data, int i)
{
  return i < data->graph->n_inputs
             ? data->graph->inputs[i]
             : data->states[i - data->graph->n_inputs];
}

static const TpTensor *
find_input (const TpRunData *data, int i)
{
  return &data->graph->tensors[find_index (data, i)];
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
check_assignments (const TpRunData *data, char *const *assignments,
                   GError **error)
{
  const TpGraph *graph = data->graph;

  for (int i = 0; assignments != NULL && assignments[i] != NULL; i++)
    {
      char *const one[] = { assignments[i], NULL };
      gboolean is_known = FALSE;

      for (int k = 0; k < count_inputs (data); k++)
        is_known = is_known
                   || find_assignment (one, find_input (data, k)->name) != NULL;
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
  data->states = tp_graph_list_states (graph, &data->n_states);
  data->inputs = g_new0 (void *, count_inputs (data) + 1);
  data->outputs = g_new0 (void *, graph->n_outputs + 1);
  if (!check_assignments (data, assignments, error))
    return FALSE;
  for (int i = 0; i < count_inputs (data); i++)
    {
      const TpTensor *tensor = find_input (data, i);
      const char *path = find_assignment (assignments, tensor->name);

      data->inputs[i] = alloc_tensor (tensor, error);
      if (data->inputs[i] == NULL)
        return FALSE;
      if (path != NULL && !load_input (tensor, path, data->inputs[i], error))
        return FALSE;
      if (path == NULL && i < graph->n_inputs)
        tp_random_input_write (graph, graph->inputs[i], (guint64) seed + i,
                               sqrt (3.0), data->inputs[i]);
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
  free_list (data->inputs, count_inputs (data));
  free_list (data->outputs, data->graph->n_outputs);
  g_free (data->states);
}

gboolean
tp_run_data_reset (const TpRunData *data, TplanSession *session,
                   GError **error)
{
  for (int i = data->graph->n_inputs; i < count_inputs (data); i++)
    if (!tplan_session_set_state (session, find_input (data, i)->name,
                                  data->inputs[i], error))
      return FALSE;
  return TRUE;
}

/* A name from a graph as one file name. */
static char *
clean_name (const char *name)
{
  char *clean = g_utf8_make_valid (name, -1);

  for (char *at = clean; *at != 0; at++)
    if (*at == '/' || (guchar) *at < 0x20 || *at == 0x7f)
      *at = '_';
  if (*clean == '.')
    *clean = '_';
  return clean;
}

static char *
make_file_name (const char *folder, const char *name)
{
  g_autofree char *clean = clean_name (name);
  g_autofree char *file = g_strdup_printf ("%.200s.npy", clean);

  return g_build_filename (folder, file, NULL);
}

char *
tp_run_data_name_folder (const char *folder, const char *name)
{
  g_autofree char *clean = clean_name (name);
  g_autofree char *own = g_strdup_printf ("%.200s", clean);

  return g_build_filename (folder, own, NULL);
}

gboolean
tp_run_data_check_folder (const TpRunData *data, const TpCli *cli,
                          const char *folder, GError **error)
{
  const TpGraph *graph = data->graph;

  if (!tp_cli_check_folder (folder, error))
    return FALSE;
  for (int i = 0; i < graph->n_outputs; i++)
    {
      g_autofree char *path
          = make_file_name (folder, graph->tensors[graph->outputs[i]].name);

      if (g_file_test (folder, G_FILE_TEST_IS_DIR)
          && !tp_cli_check_output (cli, path, error))
        return FALSE;
    }
  return TRUE;
}

gboolean
tp_run_data_save (const TpRunData *data, const TpCli *cli, const char *folder,
                  GError **error)
{
  const TpGraph *graph = data->graph;

  if (!tp_cli_make_folder (folder, error))
    return FALSE;
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

/* All inputs as the references take them; NULL with an error. */
static GPtrArray *
make_doubles (const TpRunData *data, GError **error)
{
  g_autoptr (GPtrArray) inputs = g_ptr_array_new_with_free_func (g_free);

  for (int i = 0; i < count_inputs (data); i++)
    {
      const TpTensor *tensor = find_input (data, i);
      double *values = g_try_new (double, MAX (tensor->count, 1));

      if (values == NULL)
        {
          g_set_error (error, TPLAN_ERROR, TPLAN_ERROR_MEMORY,
                       "no memory for tensor '%s' as doubles", tensor->name);
          return NULL;
        }
      tp_dtype_load_doubles (tensor->dtype, data->inputs[i], 1, tensor->count,
                             values);
      g_ptr_array_add (inputs, values);
    }
  return g_steal_pointer (&inputs);
}

GPtrArray *
tp_run_data_get_reference (const TpRunData *data, gboolean keep_all,
                           GError **error)
{
  g_autoptr (GPtrArray) inputs = make_doubles (data, error);

  if (inputs == NULL)
    return NULL;
  return tp_graph_run_reference (
      data->graph, (const double *const *) inputs->pdata, keep_all, error);
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

/* Each output by itself: what rounding does to one excuses no other. */
static void
compare_outputs (const TpRunData *data, const GPtrArray *wanted,
                 const TpRunBounds *bounds, TpRunErrors *out_errors)
{
  const TpGraph *graph = data->graph;

  *out_errors = (TpRunErrors){ .limit = bounds[0].limit };
  for (int i = 0; i < graph->n_outputs; i++)
    {
      const TpTensor *tensor = &graph->tensors[graph->outputs[i]];
      const TpRunAnswer got = { tensor, tensor->dtype, data->outputs[i],
                                find_worker (graph, tensor), 0.0 };
      TpRunErrors its = { .bounds = bounds[i], .limit = bounds[i].limit };

      tp_run_errors_add (&its, &got, wanted->pdata[i]);
      tp_run_errors_join (out_errors, &its);
    }
}

static gboolean
check (const TpRunData *data, double limit, TpRunErrors *out_errors,
       GError **error)
{
  int n = data->graph->n_outputs;
  double slack = data->is_relaxed ? TP_RUN_RELAXED : 1;
  g_autofree TpRunBounds *bounds = g_new0 (TpRunBounds, n + 1);
  g_autoptr (GPtrArray) inputs = make_doubles (data, error);
  const double *const *in
      = inputs == NULL ? NULL : (const double *const *) inputs->pdata;
  g_autoptr (GPtrArray) wanted
      = in == NULL ? NULL
                   : tp_graph_run_reference (data->graph, in, FALSE, error);

  if (wanted == NULL)
    return FALSE;
  for (int i = 0; i <= n; i++)
    bounds[i].limit = limit < 0 ? slack * TP_RUN_LIMIT : limit;
  compare_outputs (data, wanted, bounds, out_errors);
  if (limit >= 0 || tp_run_errors_are_good (out_errors))
    return TRUE;
  if (!tp_run_bounds_find (data->graph, in, wanted, bounds, error))
    return FALSE;
  for (int i = 0; i <= n; i++)
    {
      bounds[i].rounding_rel *= slack;
      bounds[i].rounding_abs *= slack;
    }
  compare_outputs (data, wanted, bounds, out_errors);
  return TRUE;
}

gboolean
tp_run_data_check (const TpRunData *data, double limit,
                   TpRunErrors *out_errors, GError **error)
{
  fenv_t mode;
  gboolean is_done;

  fegetenv (&mode);
  fesetenv (FE_DFL_ENV);
  is_done = check (data, limit, out_errors, error);
  fesetenv (&mode);
  return is_done;
}
