/* test-reopen.c: a graph on its way through the passes, written to a file and read
 * again, gives the same results; in both formats, after each pass. */
#include "config.h"

#include "format/graph-load.h"
#include "format/graph-write-json.h"
#include "format/graph-write-onnx.h"
#include "format/graph-write.h"
#include "graph/graph-expand.h"
#include "graph/graph-finish.h"
#include "graph/graph-reopen.h"
#include "graph/pass.h"
#include "ir/graph-digest.h"
#include "ir/op.h"
#include "graph-results.h"
#include "quoted-graph.h"
#include "random-model.h"

#include <glib/gstdio.h>
#include <string.h>

#define N_ROUNDS 6
#define MIN_MODELS 300 /* of ONNX's own cases, where they are installed */

enum { JSON, JSON_DATA, ONNX, N_FILES };

typedef struct
{
  char *folder;
  char *paths[N_FILES];
} Work;

static void
work_init (Work *work)
{
  static const char *const names[] = { "a.json", "a.safetensors", "a.onnx" };

  work->folder = g_dir_make_tmp (NULL, NULL);
  for (int i = 0; i < N_FILES; i++)
    work->paths[i] = g_build_filename (work->folder, names[i], NULL);
}

static void
work_clear (Work *work)
{
  for (int i = 0; i < N_FILES; i++)
    {
      g_unlink (work->paths[i]);
      g_free (work->paths[i]);
    }
  g_rmdir (work->folder);
  g_free (work->folder);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Work, work_clear)

static void
check_read (const TpGraph *graph, const char *path, const char *what)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (TpGraph) back = tp_graph_load (path, NULL, &error);

  if (error != NULL)
    g_error ("%s: %s", what, error->message);
  graph_assert_same (graph, back, 1e-5, what);
}

static void
check_after (const Work *work, const TpGraph *graph, const char *last)
{
  const TpPassOptions options = { .last = last };
  g_autoptr (GError) error = NULL;
  g_autoptr (TpGraph) ready = tp_graph_prepare_with (graph, &options, &error);
  g_autoptr (TpGraphBuilder) builder
      = ready == NULL ? NULL : tp_graph_reopen (ready, &error);

  g_assert_no_error (error);
  g_assert_true (tp_graph_write_json (builder, work->paths[JSON],
                                      work->paths[JSON_DATA], NULL,
                                      &error));
  g_assert_true (tp_graph_write_onnx (builder, ready, work->paths[ONNX], NULL,
                                      &error));
  check_read (graph, work->paths[JSON], last);
  check_read (graph, work->paths[ONNX], last);
}

static void
check_each (const TpGraph *graph)
{
  g_auto (Work) work;
  int n;
  const TpPass *const *passes = tp_pass_list (&n);

  work_init (&work);
  for (int i = 0; i < n; i++)
    check_after (&work, graph, passes[i]->name);
}

static void
test_full (void)
{
  g_autoptr (TpGraph) graph = full_model ();

  check_each (graph);
}

static void
test_random (void)
{
  for (int i = 0; i < N_ROUNDS; i++)
    {
      g_autoptr (TpGraph) graph = random_model (g_test_rand_int_range (1, 9));

      check_each (graph);
    }
}

/* Constants that are read in another order, and one that is scaled too. */
static void
test_steps (void)
{
  g_autofree char *text = g_strdup (
      "{'format': 'tplan-graph/1', 'inputs': [{'name': 'x', 'shape': "
      "[1, 200, 3, 3]}], 'initializers': ["
      "{'name': 'c', 'shape': [600, 600], 'random': {'seed': 1}}, "
      "{'name': 'w', 'shape': [200, 1500, 1, 1], 'random': {'seed': 2}}, "
      "{'name': 's', 'shape': [1500], 'random': {'seed': 3}}, "
      "{'name': 'v', 'shape': [1500], 'fill': 2}], 'ops': ["
      "{'type': 'Transpose', 'inputs': ['c'], 'outputs': ['y']}, "
      "{'type': 'ReduceSum', 'inputs': ['y'], 'outputs': ['z']}, "
      "{'type': 'Transpose', 'inputs': ['w'], 'outputs': ['t'], 'attrs': "
      "{'perm': [1, 0, 2, 3]}}, "
      "{'type': 'Conv', 'inputs': ['x', 't'], 'outputs': ['o']}, "
      "{'type': 'BatchNormalization', 'inputs': ['o', 's', 's', 's', 'v'], "
      "'outputs': ['n']}], 'outputs': ['z', 'n']}");
  g_autoptr (TpGraph) graph = NULL;

  graph = test_load_quoted (text);
  check_each (graph);
}

/* The same of bytes, which a file may be asked to copy. */
static void
test_bytes (void)
{
  static const TpDimSpec shape[] = { { 500, NULL }, { 600, NULL } };
  const char *const turn[] = { "c" }, *const turned[] = { "t" };
  const char *const add[] = { "x", "t" }, *const added[] = { "y" };
  const TpNode nodes[] = { { .type = "Transpose" }, { .type = "Add" } };
  g_autofree float *values = g_new (float, 600 * 500);
  g_autoptr (TpGraphBuilder) builder = tp_graph_builder_new ("bytes", 17);
  const TpTensor constant = { .name = "c",
                              .rank = 2,
                              .dims = (gint64[]){ 600, 500 },
                              .init = { .kind = TP_INIT_DATA,
                                        .data = values } };
  const TpTensorSpec input = { .name = "x", .rank = 2, .dims = shape };
  g_autoptr (TpGraph) graph = NULL;

  for (int i = 0; i < 600 * 500; i++)
    values[i] = i;
  tp_graph_builder_add_constant (builder, &constant, NULL, NULL);
  tp_graph_builder_add_input (builder, &input, NULL);
  tp_graph_builder_add_node (builder, &nodes[0],
                             (TpNodeNames){ 1, turn, 1, turned }, NULL);
  tp_graph_builder_add_node (builder, &nodes[1],
                             (TpNodeNames){ 2, add, 1, added }, NULL);
  tp_graph_builder_add_output (builder, "y", NULL, NULL);
  graph = tp_graph_builder_finish (builder, NULL, NULL);
  g_assert_nonnull (graph);
  check_each (graph);
}

/* Ops that have costs only keep the shapes said of them. */
static void
test_opaque (void)
{
  g_autofree char *text = g_strdup (
      "{'format': 'tplan-graph/1', 'inputs': [{'name': 'x', 'shape': [2, 3]}], "
      "'ops': [{'type': 'my.Odd', 'inputs': ['x'], 'outputs': ['y', 'z'], "
      "'cost': {'cpu': 7}, 'device': 'cpu', 'shapes': [[4], [5, 6]], 'dtypes': "
      "['float32', 'int64']}], 'outputs': ['y', 'z']}");
  g_auto (Work) work;
  g_autoptr (TpGraph) graph = NULL, back = NULL;
  g_autoptr (TpGraphBuilder) builder = NULL;
  g_autofree char *a = NULL, *b = NULL;

  g_strdelimit (text, "'", '"');
  work_init (&work);
  graph = tp_graph_load_json ("g.json", text, strlen (text), NULL, NULL);
  builder = tp_graph_reopen (graph, NULL);
  g_assert_true (tp_graph_write_json (builder, work.paths[JSON],
                                      work.paths[JSON_DATA], NULL, NULL));
  back = tp_graph_load (work.paths[JSON], NULL, NULL);
  a = tp_graph_digest (graph);
  b = tp_graph_digest (back);
  g_assert_cmpstr (a, ==, b);
}

/* After all passes. */
static void
test_suite (void)
{
  const char *given = g_getenv ("TPLAN_ONNX_TESTDATA");
  g_autofree char *root = g_build_filename (
      given != NULL ? given : "/usr/share/libonnx-testdata/data", "node", NULL);
  g_autoptr (GDir) folder = g_dir_open (root, 0, NULL);
  g_auto (Work) work;
  const char *name;
  int n = 0;

  work_init (&work);
  while (folder != NULL && (name = g_dir_read_name (folder)) != NULL)
    {
      g_autofree char *path = g_build_filename (root, name, "model.onnx", NULL);
      g_autoptr (TpGraph) graph = tp_graph_load (path, NULL, NULL);

      if (graph == NULL)
        continue;
      g_test_message ("%s", name);
      check_after (&work, graph, NULL);
      n++;
    }
  if (folder == NULL)
    g_test_skip ("libonnx-testdata is not installed");
  else
    g_assert_cmpint (n, >=, MIN_MODELS);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/reopen/full", test_full);
  g_test_add_func ("/reopen/random", test_random);
  g_test_add_func ("/reopen/steps", test_steps);
  g_test_add_func ("/reopen/bytes", test_bytes);
  g_test_add_func ("/reopen/opaque", test_opaque);
  g_test_add_func ("/reopen/onnx-suite", test_suite);
  return g_test_run ();
}
