/* model-names.c: see model-names.h. */
#include "config.h"

#include "cli/model-names.h"

#include "api/load.h"
#include "cli/hint-plan.h"
#include "cli/planning.h"
#include "cli/values.h"
#include "format/graph-load.h"
#include "graph/graph-bind.h"

static TpGraphBuilder *
open_model (const TpCli *cli, const char *path)
{
  const TplanLoadOptions given = tp_cli_load_options (cli, NULL);
  g_auto (TpLoad) load = { 0 };
  g_autofree char *graph = NULL;

  if (path == NULL || !g_file_test (path, G_FILE_TEST_IS_REGULAR))
    return NULL;
  graph = tp_cli_is_plan (path) ? tp_hint_find_graph (path) : g_strdup (path);
  if (graph == NULL || !tp_load_init (&load, &given, NULL))
    return NULL;
  load.options.dims = NULL;
  load.options.outputs = NULL; /* which may be half typed */
  return tp_graph_open (graph, &load.options, NULL);
}

static void
add_dims (GPtrArray *names, TpGraphBuilder *builder)
{
  g_autoptr (TpDims) none = tp_dims_new (), assumed = tp_dims_new ();

  for (int i = 0; i < tp_dims_size (builder->dims); i++)
    g_ptr_array_add (names, g_strdup (tp_dims_get_name (builder->dims, i)));
  tp_graph_builder_assume (builder, none, assumed);
  for (int i = 0; i < tp_dims_size (assumed); i++)
    g_ptr_array_add (names, g_strdup (tp_dims_get_name (assumed, i)));
}

static void
add_tensors (GPtrArray *names, TpGraphBuilder *builder, const TpArray *list)
{
  for (guint i = 0; i < list->len; i++)
    g_ptr_array_add (
        names, g_strdup (tp_draft_tensor (builder->draft,
                                          tp_array_index (list, int, i))
                             ->name));
}

/* Those that the file leaves out have names that begin with '#'. */
static void
add_made (GPtrArray *names, TpGraphBuilder *builder)
{
  for (guint i = 0; i < builder->draft->nodes->len; i++)
    {
      const TpNode *node = tp_draft_node (builder->draft, i);

      for (int k = 0; k < node->n_outputs; k++)
        {
          const char *name
              = tp_draft_tensor (builder->draft, node->outputs[k])->name;

          if (node->branch == 0 && *name != '#')
            g_ptr_array_add (names, g_strdup (name));
        }
    }
}

GPtrArray *
tp_cli_list_model_names (const TpCli *cli, const char *path, TpModelNames which)
{
  g_autoptr (TpGraphBuilder) builder = open_model (cli, path);
  g_autoptr (GPtrArray) names = g_ptr_array_new_with_free_func (g_free);

  if (builder == NULL)
    return g_steal_pointer (&names);
  switch (which)
    {
    case TP_NAMES_INPUTS:
      add_tensors (names, builder, builder->draft->inputs);
      break;
    case TP_NAMES_OUTPUTS:
      add_tensors (names, builder, builder->draft->outputs);
      break;
    case TP_NAMES_MADE:
      add_made (names, builder);
      break;
    case TP_NAMES_DIMS:
      add_dims (names, builder);
      break;
    }
  return g_steal_pointer (&names);
}
