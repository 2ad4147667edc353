/* embed.c: plan a model for this machine and run it, from C.
 *
 *   cc embed.c $(pkg-config --cflags --libs tplan) -o embed
 *   ./embed model.onnx [DEVICE...] [NAME=N...]
 *
 * NAME=N gives a dimension that the model leaves open its value, as in N=8. */
#include <stdio.h>
#include <string.h>
#include <tplan.h>

/* One array per tensor, of zeros. */
static GPtrArray *
make_arrays (const TplanTensor *tensors, int n)
{
  GPtrArray *arrays = g_ptr_array_new_with_free_func (g_free);

  for (int i = 0; i < n; i++)
    g_ptr_array_add (arrays, g_malloc0 (tensors[i].size_bytes));
  return arrays;
}

/* The dimensions among @words, ended by one without a name; the others, which are
 * devices, come to stand before %NULL. */
static TplanDim *
take_dims (char **words)
{
  TplanDim *dims = g_new0 (TplanDim, g_strv_length (words) + 1);
  int n_dims = 0, n_devices = 0;

  for (int i = 0; words[i] != NULL; i++)
    {
      char *equals = strchr (words[i], ':') == NULL ? strchr (words[i], '=') : NULL;

      if (equals == NULL)
        {
          words[n_devices++] = words[i];
          continue;
        }
      *equals = '\0';
      dims[n_dims].name = words[i];
      dims[n_dims++].value = g_ascii_strtoll (equals + 1, NULL, 10);
    }
  words[n_devices] = NULL;
  return dims;
}

static gboolean
plan_and_run (const char *model, const TplanDim *dims,
              const char *const *devices, GError **error)
{
  g_autoptr (TplanGraph) graph = tplan_graph_load (model, dims, error);
  g_autoptr (TplanCosts) costs
      = graph == NULL ? NULL : tplan_costs_open (NULL, devices, 0, error);
  g_autoptr (TplanPlan) plan
      = costs == NULL ? NULL : tplan_graph_optimize (graph, costs, NULL, error);
  g_autoptr (TplanSession) session
      = plan == NULL ? NULL : tplan_session_new (plan, 0, error);
  int n_inputs, n_outputs, n_devices;
  const TplanTensor *tensors;
  const TplanDevice *used;
  g_autoptr (GPtrArray) inputs = NULL, outputs = NULL;

  if (session == NULL)
    return FALSE;
  tensors = tplan_graph_get_inputs (graph, &n_inputs);
  inputs = make_arrays (tensors, n_inputs);
  tensors = tplan_graph_get_outputs (graph, &n_outputs);
  outputs = make_arrays (tensors, n_outputs);
  used = tplan_plan_get_devices (plan, &n_devices);
  for (int i = 0; i < n_devices; i++)
    printf ("%s: %d ops\n", used[i].name, used[i].n_ops);
  printf ("predicted: %.3f ms\n", tplan_plan_get_cost_ns (plan) / 1e6);
  for (int i = 0; i < 5; i++)
    {
      if (!tplan_session_run (session, (const void *const *) inputs->pdata,
                              outputs->pdata, error))
        return FALSE;
      printf ("run %d: %.3f ms\n", i, tplan_session_get_time_ns (session) / 1e6);
    }
  return TRUE;
}

int
main (int argc, char **argv)
{
  g_autoptr (GError) error = NULL;
  g_autofree TplanDim *dims = NULL;

  if (argc < 2)
    {
      fprintf (stderr, "usage: %s MODEL [DEVICE...] [NAME=N...]\n", argv[0]);
      return 2;
    }
  dims = take_dims (argv + 2);
  if (plan_and_run (argv[1], dims,
                    argv[2] != NULL ? (const char *const *) argv + 2 : NULL,
                    &error))
    return 0;
  fprintf (stderr, "%s\n", error->message);
  return 1;
}
