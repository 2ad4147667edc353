/* test-view.c: a plan drawn is a graph that cgraph reads back. */
#include "config.h"

#include "no-fork.h"
#include "view/blocks.h"
#include "view/dot.h"
#include "view/render.h"

#include <cgraph.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#define N_OPS 6
#define LONG_NS (600 * G_GINT64_CONSTANT (1000000000))

/* A chain of ops x -> t0 -> ... -> t5, placed by hand. */
typedef struct
{
  TpGraph graph;
  TpTensor tensors[N_OPS + 1];
  TpNode nodes[N_OPS];
  int ids[N_OPS + 1];
  TpPlan plan;
  TpPlacement placements[N_OPS];
  TpTransfer transfers[2];
  int members[2];
  TpGroup group;
  TpGroups groups;
  char *devices[3];
} Chain;

static char chain_name[] = "chain";
static char cpu_name[] = "cpu";
static char gpu_name[] = "sim:gpu";

static void
chain_init (Chain *chain)
{
  static const gint64 dims[] = { 2, 3 };
  static const char *const names[]
      = { "a", "b <&> \"c\"", "d\n\x1b[31m", "\xff\xfe", "e\\l\\N", "f" };

  memset (chain, 0, sizeof *chain);
  for (int i = 0; i <= N_OPS; i++)
    {
      chain->ids[i] = i;
      chain->tensors[i] = (TpTensor){ .name = i ? names[i - 1] : "x",
                                      .rank = 2,
                                      .dims = dims,
                                      .producer = i - 1,
                                      .n_consumers = i < N_OPS,
                                      .consumers = &chain->ids[i],
                                      .is_input = i == 0,
                                      .is_output = i == N_OPS };
    }
  for (int i = 0; i < N_OPS; i++)
    {
      chain->nodes[i] = (TpNode){ .name = names[i],
                                  .type = "Relu",
                                  .n_inputs = 1,
                                  .inputs = &chain->ids[i],
                                  .n_outputs = 1,
                                  .outputs = &chain->ids[i + 1] };
      chain->placements[i] = (TpPlacement){
        .node = i, .device = i == 2 || i == 3, .time_ns = 1500 * (i + 1)
      };
    }
  chain->transfers[0] = (TpTransfer){ 2, 0, 1, 24, 7000 };
  chain->transfers[1] = (TpTransfer){ 4, 1, 0, 24, 8000 };
  chain->members[0] = 2;
  chain->members[1] = 3;
  chain->group = (TpGroup){ .n_nodes = 2, .nodes = chain->members };
  chain->groups = (TpGroups){ .n_groups = 1, .groups = &chain->group };
  chain->devices[0] = cpu_name;
  chain->devices[1] = gpu_name;
  chain->graph = (TpGraph){ .n_tensors = N_OPS + 1, .tensors = chain->tensors,
                            .n_nodes = N_OPS, .nodes = chain->nodes };
  chain->plan = (TpPlan){ .graph_name = chain_name, .n_devices = 2,
                          .devices = chain->devices, .n_placements = N_OPS,
                          .placements = chain->placements,
                          .groups = &chain->groups, .n_transfers = 2,
                          .transfers = chain->transfers, .cost_ns = 40000,
                          .bound_ns = 40000, .best_single = 0,
                          .best_single_ns = 50000, .is_simulated = TRUE };
}

static char *
chain_draw (Chain *chain, int max_nodes)
{
  g_autoptr (GError) error = NULL;
  char *dot = tp_view_to_dot (&chain->plan, &chain->graph, max_nodes, &error);

  g_assert_no_error (error);
  return dot;
}

static int
count_edges (Agraph_t *graph, const char *colour)
{
  int n = 0;

  for (Agnode_t *node = agfstnode (graph); node; node = agnxtnode (graph, node))
    for (Agedge_t *edge = agfstout (graph, node); edge;
         edge = agnxtout (graph, edge))
      n += g_strcmp0 (agget (edge, (char *) "color"), colour) == 0;
  return n;
}

static void
test_parts (void)
{
  Chain chain;
  chain_init (&chain);
  g_autofree char *dot = chain_draw (&chain, 100);
  Agraph_t *graph = agmemread (dot);

  g_assert_nonnull (graph);
  /* ops, an input, an output, a legend */
  g_assert_cmpint (agnnodes (graph), ==, N_OPS + 3);
  g_assert_cmpint (agnedges (graph), ==, N_OPS + 1);
  g_assert_cmpint (count_edges (graph, "#c81e1e"), ==, 2);
  g_assert_nonnull (agsubg (graph, (char *) "cluster_g0", FALSE));
  g_assert_cmpint (
      agnnodes (agsubg (graph, (char *) "cluster_g0", FALSE)), ==, 2);
  g_assert_nonnull (strstr (dot, "24 B\\n 7.00 µs"));
  g_assert_nonnull (strstr (dot, "simulated"));
  g_assert_nonnull (strstr (dot, "2 ops, 10.5 µs"));
  agclose (graph);
}

static void
test_escapes (void)
{
  Chain chain;
  chain_init (&chain);
  g_autofree char *dot = chain_draw (&chain, 100);

  g_assert_true (g_utf8_validate (dot, -1, NULL));
  g_assert_null (strchr (dot, '\x1b'));
  g_assert_nonnull (strstr (dot, "b &lt;&amp;&gt; &quot;c&quot;"));
}

static void
test_runs (void)
{
  Chain chain;
  chain_init (&chain);
  g_autofree char *dot = chain_draw (&chain, N_OPS - 1);
  Agraph_t *graph = agmemread (dot);

  /* three runs, an input, an output, a legend */
  g_assert_cmpint (agnnodes (graph), ==, 3 + 3);
  g_assert_cmpint (agnedges (graph), ==, 4);
  agclose (graph);
}

/* ---- blocks --------------------------------------------------------------- */

/* A chain of layers of "a", "b", ... between a head and a tail, all on device 0
 * but node @elsewhere. */
typedef struct
{
  TpGraph graph;
  TpPlan plan;
} Layers;

static void
layers_init (Layers *layers, int n_layers, int period, int elsewhere)
{
  static const char *const types[] = { "a", "b", "c", "d", "e", "f", "g", "h" };
  int n = n_layers * period + 2;

  memset (layers, 0, sizeof *layers);
  layers->graph.n_nodes = n;
  layers->graph.nodes = g_new0 (TpNode, n);
  layers->plan.n_devices = 2;
  layers->plan.n_placements = n;
  layers->plan.placements = g_new0 (TpPlacement, n);
  for (int i = 0; i < n; i++)
    {
      layers->graph.nodes[i].type
          = i == 0       ? "head"
            : i == n - 1 ? "tail"
                         : types[(i - 1) % period];
      layers->plan.placements[i].node = i;
      layers->plan.placements[i].device = i == elsewhere;
    }
}

static void
layers_clear (Layers *layers)
{
  g_free (layers->graph.nodes);
  g_free (layers->plan.placements);
}

/* Every node once and in order, repetitions that repeat. */
static void
assert_blocks (const Layers *layers, const GArray *blocks, int max_blocks)
{
  int next = 0;

  g_assert_cmpint (blocks->len, <=, max_blocks);
  for (guint i = 0; i < blocks->len; i++)
    {
      const TpBlock *block = &g_array_index (blocks, TpBlock, i);
      int period = block->n_nodes / block->n_repeats;

      g_assert_cmpint (block->first, ==, next);
      g_assert_cmpint (block->n_nodes, >, 0);
      g_assert_cmpint (period * block->n_repeats, ==, block->n_nodes);
      next += block->n_nodes;
      for (int k = block->first; k + period < next && block->n_repeats > 1; k++)
        {
          g_assert_cmpstr (layers->graph.nodes[k].type, ==,
                           layers->graph.nodes[k + period].type);
          g_assert_cmpint (layers->plan.placements[k].device, ==,
                           layers->plan.placements[k + period].device);
        }
    }
  g_assert_cmpint (next, ==, layers->graph.n_nodes);
}

static void
test_repetition (void)
{
  Layers layers;
  layers_init (&layers, 12, 5, -1);
  g_autoptr (GArray) blocks = tp_blocks_new (&layers.plan, &layers.graph, 10);
  const TpBlock *block = &g_array_index (blocks, TpBlock, 1);

  assert_blocks (&layers, blocks, 10);
  g_assert_cmpint (blocks->len, ==, 3);
  g_assert_cmpint (block->n_repeats, ==, 12);
  layers_clear (&layers);
}

static void
test_blocks (void)
{
  for (int i = 0; i < 200; i++)
    {
      int n_layers = g_test_rand_int_range (1, 40);
      int period = g_test_rand_int_range (1, 9);
      int max_blocks = g_test_rand_int_range (1, 30);
      Layers layers;
      layers_init (&layers, n_layers, period,
                   g_test_rand_int_range (-1, n_layers * period));
      g_autoptr (GArray) blocks
          = tp_blocks_new (&layers.plan, &layers.graph, max_blocks);

      assert_blocks (&layers, blocks, max_blocks);
      layers_clear (&layers);
    }
}

/* A tensor that several ops of the other device read is copied once. */
static void
test_copy_once (void)
{
  static const int readers[] = { 2, 3 };
  Chain chain;
  chain_init (&chain);
  chain.tensors[2].n_consumers = 2;
  chain.tensors[2].consumers = readers;
  g_autofree char *dot = chain_draw (&chain, 100);
  Agraph_t *graph = agmemread (dot);
  const char *first = strstr (dot, "24 B\\n 7.00 µs");

  g_assert_cmpint (count_edges (graph, "#c81e1e"), ==, 3);
  g_assert_nonnull (first);
  g_assert_null (strstr (first + 1, "24 B\\n 7.00 µs"));
  g_assert_nonnull (strstr (dot, "style=dashed"));
  agclose (graph);
}

static void
test_render (void)
{
  Chain chain;
  chain_init (&chain);
  g_autofree char *dot = chain_draw (&chain, 100);
  g_autoptr (GError) error = NULL;
  g_autoptr (GBytes) svg = tp_view_render (dot, "svg", LONG_NS, &error);
  g_assert_no_error (error);
  g_autoptr (GBytes) png = tp_view_render (dot, "png", LONG_NS, &error);
  g_assert_no_error (error);
  g_autofree char *text
      = g_strndup (g_bytes_get_data (svg, NULL), g_bytes_get_size (svg));

  g_assert_nonnull (strstr (text, "<svg"));
  g_assert_nonnull (strstr (text, "</svg>"));
  g_assert_cmpmem (g_bytes_get_data (png, NULL), 4, "\x89PNG", 4);
}

static void
test_render_limit (void)
{
  Chain chain;
  chain_init (&chain);
  g_autofree char *dot = chain_draw (&chain, 100);
  g_autoptr (GError) error = NULL;

  g_assert_null (tp_view_render (dot, "svg", 1000, &error));
  g_assert_error (error, TPLAN_ERROR, TPLAN_ERROR_LIMIT);
}

static void
test_render_format (void)
{
  Chain chain;
  chain_init (&chain);
  g_autofree char *dot = chain_draw (&chain, 100);
  g_autoptr (GError) error = NULL;

  g_assert_null (tp_view_render (dot, "nosuch", LONG_NS, &error));
  g_assert_error (error, TPLAN_ERROR, TPLAN_ERROR_FAILED);
}

static void
test_render_fork (void)
{
  int n_open = count_open_descriptors ();

  for (int i = 0; i < 2; i++)
    {
      g_autoptr (GError) error = NULL;

      refuse_forks (i == 0);
      g_assert_null (tp_view_render ("graph {}", "nosuch", LONG_NS, &error));
      g_assert_error (error, TPLAN_ERROR, TPLAN_ERROR_FAILED);
      g_assert_cmpint (count_open_descriptors (), ==, n_open);
    }
}

/* A drawing of more bytes than a pipe holds. */
static char *
make_long_dot (void)
{
  g_autoptr (GString) dot = g_string_new ("digraph {");

  for (int i = 0; i < 1000; i++)
    g_string_append_printf (dot, "v%d -> v%d;", i, i + 1);
  g_string_append (dot, "}");
  return g_string_free (g_steal_pointer (&dot), FALSE);
}

static gboolean
has_child (pid_t process)
{
  g_autofree char *path
      = g_strdup_printf ("/proc/%d/task/%d/children", process, process);
  g_autofree char *text = NULL;

  return g_file_get_contents (path, &text, NULL, NULL) && text[0] != '\0';
}

/* Until every process below this one is gone. */
static gboolean
wait_for_all (int limit_ms)
{
  for (; limit_ms > 0; limit_ms -= 10)
    {
      while (waitpid (-1, NULL, WNOHANG) > 0)
        continue;
      if (!has_child (getpid ()))
        return TRUE;
      g_usleep (10000);
    }
  return FALSE;
}

static void
test_render_killed (void)
{
  g_autofree char *dot = make_long_dot ();
  gboolean is_alone;
  pid_t drawer;

  g_assert_cmpint (prctl (PR_SET_CHILD_SUBREAPER, 1), ==, 0);
  drawer = fork ();
  if (drawer == 0)
    {
      setpgid (0, 0);
      tp_view_render (dot, "svg", LONG_NS, NULL);
      _exit (0);
    }
  for (int i = 0; i < 1000 && !has_child (drawer); i++)
    g_usleep (1000);
  kill (drawer, SIGKILL);
  is_alone = wait_for_all (120000);
  kill (-drawer, SIGKILL);
  g_assert_true (is_alone);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/view/parts", test_parts);
  g_test_add_func ("/view/escapes", test_escapes);
  g_test_add_func ("/view/runs", test_runs);
  g_test_add_func ("/view/copy-once", test_copy_once);
  g_test_add_func ("/view/repetition", test_repetition);
  g_test_add_func ("/view/blocks", test_blocks);
  g_test_add_func ("/view/render", test_render);
  g_test_add_func ("/view/render-limit", test_render_limit);
  g_test_add_func ("/view/render-format", test_render_format);
  g_test_add_func ("/view/render-fork", test_render_fork);
  g_test_add_func ("/view/render-killed", test_render_killed);
  return g_test_run ();
}
