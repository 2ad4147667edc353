/* batch.c: batches of any size, on plans for some sizes.
 *
 *   tplan optimize model.onnx --dim N=1,4,16 -o tiers.json
 *   cc batch.c $(pkg-config --cflags --libs tplan) -o batch
 *   ./batch tiers.json N 3
 *
 * Asked for 3, the file gives its plan for 4: the batch is filled up with rows whose
 * results nobody reads. Here row i of the first input is filled with i. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <tplan.h>

static TplanPlan *
load_tier (const char *path, const char *dim, gint64 size, GError **error)
{
  TplanDim dims[2];
  TplanLoadOptions options;

  memset (dims, 0, sizeof dims);
  dims[0].name = dim;
  dims[0].value = size;
  memset (&options, 0, sizeof options);
  options.dims = dims;
  return tplan_plan_load_full (path, NULL, &options, error);
}

static GPtrArray *
make_arrays (const TplanTensor *tensors, int n)
{
  GPtrArray *arrays = g_ptr_array_new_with_free_func (g_free);

  for (int i = 0; i < n; i++)
    g_ptr_array_add (arrays, g_malloc0 (tensors[i].size_bytes));
  return arrays;
}

/* Rows beyond @size stay zero. */
static void
fill_rows (const TplanTensor *tensor, float *values, gint64 size)
{
  gint64 n_rows = tensor->rank > 0 ? tensor->dims[0] : 1;
  gint64 width = tensor->size_bytes / (gint64) sizeof *values / n_rows;

  for (gint64 i = 0; i < MIN (size, n_rows); i++)
    for (gint64 k = 0; k < width; k++)
      values[i * width + k] = (float) i;
}

static gboolean
run_batch (const TplanPlan *plan, gint64 size, GError **error)
{
  const TplanGraph *graph = tplan_plan_get_graph (plan);
  int n_inputs, n_outputs;
  const TplanTensor *in = tplan_graph_get_inputs (graph, &n_inputs);
  const TplanTensor *out = tplan_graph_get_outputs (graph, &n_outputs);
  g_autoptr (GPtrArray) inputs = make_arrays (in, n_inputs);
  g_autoptr (GPtrArray) outputs = make_arrays (out, n_outputs);
  g_autoptr (TplanSession) session = tplan_session_new (plan, 0, error);

  if (session == NULL)
    return FALSE;
  if (in[0].dtype != TPLAN_DTYPE_FLOAT32 || out[0].dtype != TPLAN_DTYPE_FLOAT32)
    {
      g_set_error (error, TPLAN_ERROR, TPLAN_ERROR_USAGE,
                   "this example has float32 in its batches");
      return FALSE;
    }
  fill_rows (&in[0], (float *) inputs->pdata[0], size);
  if (!tplan_session_run (session, (const void *const *) inputs->pdata,
                          outputs->pdata, error))
    return FALSE;
  printf ("plan for %d rows\n", (int) in[0].dims[0]);
  for (gint64 i = 0; i < size; i++)
    printf ("row %d: %g\n", (int) i,
            ((float *) outputs->pdata[0])[out[0].size_bytes / out[0].dims[0]
                                          / (gint64) sizeof (float) * i]);
  return TRUE;
}

int
main (int argc, char **argv)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (TplanPlan) plan = NULL;

  if (argc != 4 || atoi (argv[3]) < 1)
    {
      fprintf (stderr, "usage: %s TIERS DIMENSION SIZE\n", argv[0]);
      return 2;
    }
  plan = load_tier (argv[1], argv[2], atoi (argv[3]), &error);
  if (plan != NULL && run_batch (plan, atoi (argv[3]), &error))
    return 0;
  fprintf (stderr, "%s\n", error->message);
  return 1;
}
