/* test-recipes.c: weights that are computed from constants too large to fold: once,
 * when a session is made; results are those of the graph as it was read. */
#include "config.h"

#include "graph/pass.h"
#include "ir/pools.h"
#include "ir/recipe.h"
#include "nets.h"

#include <string.h>

#define N_CONVS 3             /* of 1.3 MB of weights: more than is folded */
#define N_HIDDEN 544          /* a quarter of the weights likewise */
#define N_THREADS 4
#define TOLERANCE 1e-4

/* ---- models --------------------------------------------------------------- */

/* Of $ weights, read after @. */
static const char conv[]
    = "{'type': 'ReduceMean', 'inputs': ['w$'], 'outputs': ['m$'], "
      "'attrs': {'axes': [1, 2, 3]}}, "
      "{'type': 'Sub', 'inputs': ['w$', 'm$'], 'outputs': ['c$']}, "
      "{'type': 'Pow', 'inputs': ['c$', 'two'], 'outputs': ['q$']}, "
      "{'type': 'ReduceMean', 'inputs': ['q$'], 'outputs': ['v$'], "
      "'attrs': {'axes': [1, 2, 3]}}, "
      "{'type': 'Add', 'inputs': ['v$', 'eps'], 'outputs': ['e$']}, "
      "{'type': 'Sqrt', 'inputs': ['e$'], 'outputs': ['s$']}, "
      "{'type': 'Div', 'inputs': ['c$', 's$'], 'outputs': ['d$']}, "
      "{'type': 'Mul', 'inputs': ['d$', 'gain'], 'outputs': ['k$']}, "
      "{'type': 'Conv', 'inputs': ['@', 'k$'], 'outputs': ['y$'], "
      "'attrs': {'pads': [1, 1, 1, 1]}}, "
      "{'type': 'BatchNormalization', 'inputs': ['y$', 'u', 'b', 'b', 'u'], "
      "'outputs': ['z$']}, "
      "{'type': 'Tanh', 'inputs': ['z$'], 'outputs': ['r$']}, ";

/* Convs whose weights are standardized, each channel by itself, and scaled once more
 * by what follows. */
static char *
write_convs (void)
{
  GString *text = g_string_new (
      "{'format': 'tplan-graph/1', 'opset': 17, 'inputs': [{'name': 'r0', "
      "'shape': [1, 192, 2, 2]}], 'outputs': ['r3'], 'initializers': ["
      "{'name': 'two', 'shape': [], 'data': [2]}, "
      "{'name': 'eps', 'shape': [], 'data': [0.00001]}, "
      "{'name': 'gain', 'shape': [], 'data': [0.02]}, "
      "{'name': 'b', 'shape': [192], 'random': {'seed': 9}}, "
      "{'name': 'u', 'shape': [192], 'fill': 2}");

  for (int i = 1; i <= N_CONVS; i++)
    g_string_append_printf (text,
                            ", {'name': 'w%d', 'shape': [192, 192, 3, 3], "
                            "'random': {'seed': %d, 'std': 0.05}}", i, i);
  g_string_append (text, "], 'ops': [");
  for (int i = 1; i <= N_CONVS; i++)
    {
      g_autofree char *before = g_strdup_printf ("r%d", i - 1);
      g_autofree char *number = g_strdup_printf ("%d", i);
      g_autoptr (GString) block = g_string_new (conv);

      g_string_replace (block, "@", before, 0);
      g_string_replace (block, "$", number, 0);
      g_string_append (text, block->str);
    }
  g_string_truncate (text, text->len - 2);
  g_string_append (text, "]}");
  return g_string_free (text, FALSE);
}

/* An LSTM whose gates another framework had in another order: both weights are cut in
 * four and put together anew. */
static char *
write_lstm (void)
{
  GString *text = g_string_new (
      "{'format': 'tplan-graph/1', 'opset': 17, 'inputs': [{'name': 'x', "
      "'shape': [2, 1, 544]}], 'outputs': ['y'], 'initializers': ["
      "{'name': 'w', 'shape': [2176, 544], 'random': {'seed': 1, 'std': 0.05}}, "
      "{'name': 'r', 'shape': [2176, 544], 'random': {'seed': 2, 'std': 0.05}}, "
      "{'name': 'zero', 'dtype': 'int64', 'shape': [1], 'data': [0]}");

  for (int i = 0; i <= 4; i++)
    g_string_append_printf (text, ", {'name': 'at%d', 'dtype': 'int64', 'shape': "
                                  "[1], 'data': [%d]}", i, i * N_HIDDEN);
  g_string_append (text, "], 'ops': [");
  for (const char *of = "wr"; *of != 0; of++)
    {
      for (int i = 0; i < 4; i++)
        g_string_append_printf (
            text, "{'type': 'Slice', 'inputs': ['%c', 'at%d', 'at%d', 'zero'], "
                  "'outputs': ['%c%d']}, ", *of, i, i + 1, *of, i);
      g_string_append_printf (
          text, "{'type': 'Concat', 'inputs': ['%c0', '%c3', '%c1', '%c2'], "
                "'outputs': ['%c.all'], 'attrs': {'axis': 0}}, "
                "{'type': 'Unsqueeze', 'inputs': ['%c.all', 'zero'], "
                "'outputs': ['%c.set']}, ", *of, *of, *of, *of, *of, *of, *of);
    }
  g_string_append (text, "{'type': 'LSTM', 'inputs': ['x', 'w.set', 'r.set'], "
                         "'outputs': ['y'], 'attrs': {'hidden_size': 544}}]}");
  return g_string_free (text, FALSE);
}

static char *(*const models[]) (void) = { write_convs, write_lstm };

static TpGraph *
prepare (const TpGraph *graph)
{
  g_autoptr (GError) error = NULL;
  TpGraph *prepared = tp_graph_prepare (graph, &error);

  g_assert_no_error (error);
  return prepared;
}

static gboolean
reads_constants_alone (const TpGraph *graph, const TpNode *node)
{
  for (int i = 0; i < node->n_inputs; i++)
    if (node->inputs[i] >= 0
        && !tp_tensor_is_constant (&graph->tensors[node->inputs[i]]))
      return FALSE;
  return TRUE;
}

/* How many constants of @graph are computed; *@out_held: of how many there is the
 * value. */
static int
count_recipes (const TpGraph *graph, int *out_held)
{
  int n = 0;

  *out_held = 0;
  for (int i = 0; i < graph->n_tensors; i++)
    {
      const TpInit *init = &graph->tensors[i].init;

      if (init->kind != TP_INIT_RECIPE)
        continue;
      n++;
      *out_held += tp_recipe_get_value (init->recipe, init->output) != NULL;
    }
  return n;
}

/* ---- results -------------------------------------------------------------- */

/* @run: of the graph as it was read, by references, which know of no recipe. */
static void
check_session (TpSession *session, NetRun *run)
{
  g_autoptr (GError) error = NULL;

  for (int i = 0; i < 2; i++)
    {
      net_run_clear_outputs (run);
      g_assert_true (tp_session_run (session, (const void *const *) run->inputs,
                                     run->outputs, &error));
      g_assert_no_error (error);
      g_assert_cmpfloat (net_run_get_error (run), <=, TOLERANCE);
    }
}

static void
check_model (char *(*write) (void), const char *devices)
{
  g_autofree char *text = write ();
  g_autoptr (TpGraph) loaded = net_load (text);
  g_autoptr (TpGraph) graph = prepare (loaded);
  g_autoptr (NetRun) run = net_run_new (loaded, TP_DOMAIN_ANY);
  int n_held;

  g_assert_cmpint (count_recipes (graph, &n_held), >=, 2);
  for (int i = 0; i < graph->n_nodes; i++)
    g_assert_false (reads_constants_alone (graph, &graph->nodes[i]));
  /* The second finds nothing of the first. */
  for (int i = 0; i < 2; i++)
    {
      g_autoptr (GError) error = NULL;
      g_autoptr (TpPlan) plan = net_plan_random (graph, devices);
      g_autoptr (TpSession) session
          = tp_session_new (graph, plan, NULL, &error);

      g_assert_no_error (error);
      count_recipes (graph, &n_held);
      g_assert_cmpint (n_held, ==, 0);
      check_session (session, run);
    }
}

static void
test_results (gconstpointer devices)
{
  if (!net_need_devices (devices))
    return;
  for (gsize i = 0; i < G_N_ELEMENTS (models); i++)
    check_model (models[i], devices);
}

/* What no step of a run names is not run. */
static void
test_steps (void)
{
  g_autoptr (GError) error = NULL;
  g_autofree char *text = write_convs ();
  g_autoptr (TpGraph) graph = net_load_prepared (text);
  g_autoptr (TpPlan) plan = net_plan (graph, "ref", "0");
  g_autoptr (TpSession) session = tp_session_new (graph, plan, NULL, &error);
  const TpSessionStep *steps;
  int n_steps, n_ops = 0;

  g_assert_no_error (error);
  steps = tp_session_get_steps (session, &n_steps);
  for (int i = 0; i < n_steps; i++)
    if (steps[i].node >= 0)
      {
        const char *type = graph->nodes[steps[i].node].type;

        g_assert_true (strcmp (type, "Conv") == 0 || strcmp (type, "Tanh") == 0
                       || strcmp (type, "Relayout") == 0);
        n_ops++;
      }
  g_assert_cmpint (n_ops, >=, 2 * N_CONVS);
}

/* ---- several at a time ---------------------------------------------------- */

typedef struct
{
  TpGraph *graph;
  NetRun *run;                /* of others, too: only read */
  const char *device;
  float *found;
} Worker;

static gpointer
work (gpointer data)
{
  Worker *it = data;
  g_autoptr (GError) error = NULL;
  g_autoptr (TpPlan) plan = net_plan (it->graph, it->device, "0");
  g_autoptr (TpSession) session
      = tp_session_new (it->graph, plan, NULL, &error);
  void *outputs[] = { it->found };

  g_assert_no_error (error);
  g_assert_true (tp_session_run (session,
                                 (const void *const *) it->run->inputs, outputs,
                                 &error));
  return NULL;
}

/* Sessions of one graph that are made at the same time share what is computed, and
 * nothing of it is left. */
static void
test_threads (gconstpointer device)
{
  g_autofree char *text = write_lstm ();
  g_autoptr (TpGraph) loaded = net_load (text);
  g_autoptr (TpGraph) graph = prepare (loaded);
  g_autoptr (NetRun) run = net_run_new (loaded, TP_DOMAIN_ANY);
  gsize size_bytes = graph->tensors[graph->outputs[0]].size_bytes;
  Worker workers[N_THREADS];
  GThread *threads[N_THREADS];
  int n_held;

  if (!net_need_devices (device))
    return;
  for (int i = 0; i < N_THREADS; i++)
    {
      workers[i] = (Worker){ graph, run, device, g_malloc0 (size_bytes) };
      threads[i] = g_thread_new ("session", work, &workers[i]);
    }
  for (int i = 0; i < N_THREADS; i++)
    {
      g_thread_join (threads[i]);
      memcpy (run->outputs[0], workers[i].found, size_bytes);
      g_assert_cmpfloat (net_run_get_error (run), <=, TOLERANCE);
      g_free (workers[i].found);
    }
  count_recipes (graph, &n_held);
  g_assert_cmpint (n_held, ==, 0);
}

/* ---- limits of memory ------------------------------------------------------- */

static gint64
count_raw_bytes (const TpGraph *graph)
{
  gint64 bytes = 0;

  for (int i = 0; i < graph->n_tensors; i++)
    if (graph->tensors[i].init.kind == TP_INIT_RECIPE)
      bytes += graph->tensors[i].size_bytes;
  return bytes;
}

/* What a session of @graph takes; 0: more than @limit, with @out_wanted. */
static gint64
try_limit (TpGraph *graph, gint64 limit, gint64 *out_wanted)
{
  const TpCostRows rows = { graph->n_nodes, 0, graph->n_tensors };
  g_autoptr (GError) error = NULL;
  g_autoptr (TpPlan) plan = net_plan (graph, "cpu", "0");
  g_autoptr (TpSession) session = NULL;
  TpSessionMemory memory;
  const char *said;

  plan->costs = tp_costs_new_sized (plan->n_devices,
                                    (const char *const *) plan->devices, &rows);
  plan->memory_limits = g_new0 (gint64, tp_pools_count_rows (plan->costs) + 1);
  plan->memory_limits[0] = limit;
  session = tp_session_new (graph, plan, NULL, &error);
  if (session != NULL)
    {
      tp_session_get_memory (session, 0, &memory);
      return memory.arena_bytes + memory.weight_bytes + memory.workspace_bytes;
    }
  g_assert_error (error, TPLAN_ERROR, TPLAN_ERROR_MEMORY);
  g_assert_nonnull (strstr (error->message, "while weights are computed"));
  said = strstr (error->message, "takes ");
  *out_wanted = g_ascii_strtoll (said + strlen ("takes "), NULL, 10);
  return 0;
}

/* Limits hold while a session is made, when what was computed is there beside what
 * kernels want of it. */
static void
test_limits (void)
{
  g_autofree char *text = write_convs ();
  g_autoptr (TpGraph) graph = net_load_prepared (text);
  gint64 all, wanted = 0, less = 0;

  if (!net_need_devices ("cpu"))
    return;
  all = try_limit (graph, G_MAXINT64 / 4, NULL);
  g_assert_cmpint (all, >, 0);
  g_assert_cmpint (try_limit (graph, all, &wanted), ==, 0);
  g_assert_cmpint (wanted, >, all);
  /* The values are there together, and those that they are made of before. */
  g_assert_cmpint (wanted, >=, 2 * count_raw_bytes (graph));
  g_assert_cmpint (try_limit (graph, wanted, NULL), ==, all);
  g_assert_cmpint (try_limit (graph, wanted - 1, &less), ==, 0);
  g_assert_cmpint (less, ==, wanted);
}

int
main (int argc, char **argv)
{
  static const char *const devices[]
      = { "cpu", "ref", "cpu ref", "cpu opencl:0", "cpu sim:laptop-gpu" };

  g_test_init (&argc, &argv, NULL);
  for (gsize i = 0; i < G_N_ELEMENTS (devices); i++)
    {
      g_autofree char *path
          = g_strdup_printf ("/recipes/results/%s", devices[i]);

      g_test_add_data_func (path, devices[i], test_results);
    }
  g_test_add_func ("/recipes/steps", test_steps);
  g_test_add_func ("/recipes/limits", test_limits);
  g_test_add_data_func ("/recipes/threads/cpu", "cpu", test_threads);
  g_test_add_data_func ("/recipes/threads/ref", "ref", test_threads);
  return g_test_run ();
}
