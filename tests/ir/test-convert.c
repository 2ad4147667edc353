/* test-convert.c: graphs from JSON to ONNX and back, and the other way: the same
 * digest of what is planned, and the same results to the last bit. */
#include "config.h"

#include "format/graph-load.h"
#include "format/graph-write-json.h"
#include "format/graph-write-onnx.h"
#include "format/graph-write.h"
#include "format/load-options.h"
#include "graph/graph-reopen.h"
#include "graph/pass.h"
#include "ir/graph-digest.h"
#include "ir/graph-value.h"
#include "ir/op.h"
#include "graph-results.h"

#include <glib/gstdio.h>
#include <math.h>
#include <string.h>

#define MIN_MODELS 300 /* of ONNX's own cases, where they are installed */

typedef struct
{
  char *folder;
  char *paths[6];             /* of files in it */
} Work;

enum { A_ONNX, A_DATA, B_JSON, B_DATA, C_ONNX, C_DATA };

static void
work_init (Work *work)
{
  static const char *const names[] = { "a.onnx", "a.onnx.data", "b.json",
                                       "b.safetensors", "c.onnx",
                                       "c.onnx.data" };

  work->folder = g_dir_make_tmp (NULL, NULL);
  for (gsize i = 0; i < G_N_ELEMENTS (names); i++)
    work->paths[i] = g_build_filename (work->folder, names[i], NULL);
}

static void
work_clear (Work *work)
{
  for (gsize i = 0; i < G_N_ELEMENTS (work->paths); i++)
    {
      g_unlink (work->paths[i]);
      g_free (work->paths[i]);
    }
  g_rmdir (work->folder);
  g_free (work->folder);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Work, work_clear)

static TpGraphBuilder *
open_graph (const char *path)
{
  const TpLoadOptions options = { .keep_unknown_attrs = TRUE };
  g_autoptr (GError) error = NULL;
  TpGraphBuilder *builder = tp_graph_open (path, &options, &error);

  g_assert_no_error (error);
  builder = tp_graph_builder_decide (builder, &error);
  g_assert_no_error (error);
  return builder;
}

static void
to_onnx (const char *src, const char *dst, const char *data)
{
  g_autoptr (TpGraphBuilder) builder = open_graph (src);
  g_autoptr (TpGraph) types = tp_graph_load (src, NULL, NULL);
  g_autoptr (GError) error = NULL;

  tp_graph_write_onnx (builder, types, dst, data, &error);
  g_assert_no_error (error);
}

static void
to_json (const char *src, const char *dst, const char *data)
{
  g_autoptr (TpGraphBuilder) builder = open_graph (src);
  g_autoptr (GError) error = NULL;

  tp_graph_write_json (builder, dst, data, NULL, &error);
  g_assert_no_error (error);
}

static TpGraph *
load (const char *path)
{
  g_autoptr (GError) error = NULL;
  TpGraph *graph = tp_graph_load (path, NULL, &error);

  g_assert_no_error (error);
  return graph;
}

static char *
digest (const TpGraph *graph)
{
  g_autoptr (TpGraph) prepared = tp_graph_prepare (graph, NULL);

  return prepared == NULL ? g_strdup ("cannot be prepared")
                          : tp_graph_digest (prepared);
}

static void
assert_same (const TpGraph *a, const TpGraph *b, gboolean has_results)
{
  g_autofree char *x = digest (a), *y = digest (b);
  g_autoptr (GPtrArray) p = NULL, q = NULL;

  g_assert_cmpstr (x, ==, y);
  g_assert_cmpint (a->n_outputs, ==, b->n_outputs);
  for (int i = 0; i < a->n_outputs; i++)
    g_assert_cmpstr (a->tensors[a->outputs[i]].name, ==,
                     b->tensors[b->outputs[i]].name);
  if (!has_results)
    return;
  p = graph_run (a);
  q = graph_run (b);
  g_assert_true ((p == NULL) == (q == NULL));
  for (guint i = 0; p != NULL && i < p->len; i++)
    {
      gsize size = a->tensors[a->outputs[i]].count * sizeof (double);

      g_assert_cmpmem (p->pdata[i], size, q->pdata[i], size);
    }
}

/* There and back, from whatever @path is, with weights inside and outside. */
static void
check_trip (const char *path, gboolean has_results)
{
  g_auto (Work) work;
  g_autoptr (TpGraph) first = load (path);
  g_autoptr (TpGraph) a = NULL, b = NULL, c = NULL;

  work_init (&work);
  to_onnx (path, work.paths[A_ONNX], work.paths[A_DATA]);
  to_json (work.paths[A_ONNX], work.paths[B_JSON], work.paths[B_DATA]);
  to_onnx (work.paths[B_JSON], work.paths[C_ONNX], NULL);
  a = load (work.paths[A_ONNX]);
  b = load (work.paths[B_JSON]);
  c = load (work.paths[C_ONNX]);
  assert_same (first, a, has_results);
  assert_same (first, b, has_results);
  assert_same (first, c, has_results);
}

/* ---- graphs ------------------------------------------------------------- */

static void
test_mlp (void)
{
  g_autofree char *path = g_test_build_filename (
      G_TEST_DIST, "..", "..", "examples", "mlp.json", NULL);

  check_trip (path, TRUE);
}

/* Small networks of examples/make-networks, where they are made. */
static void
test_networks (void)
{
  static const char *const names[] = { "squeezenet1_1.json", "unet.json" };
  int n = 0;

  for (gsize i = 0; i < G_N_ELEMENTS (names); i++)
    {
      g_autofree char *path = g_test_build_filename (
          G_TEST_BUILT, "..", "..", "examples", names[i], NULL);

      if (!g_file_test (path, G_FILE_TEST_EXISTS))
        continue;
      check_trip (path, FALSE);
      n++;
    }
  if (n == 0)
    g_test_skip ("no networks: make -C examples networks");
}

static void
test_suite (void)
{
  const char *given = g_getenv ("TPLAN_ONNX_TESTDATA");
  g_autofree char *root = g_build_filename (
      given != NULL ? given : "/usr/share/libonnx-testdata/data", "node", NULL);
  g_autoptr (GDir) folder = g_dir_open (root, 0, NULL);
  const char *name;
  int n = 0;

  if (folder == NULL)
    {
      g_test_skip ("libonnx-testdata is not installed");
      return;
    }
  while ((name = g_dir_read_name (folder)) != NULL)
    {
      g_autofree char *path = g_build_filename (root, name, "model.onnx", NULL);
      g_autoptr (TpGraph) graph = tp_graph_load (path, NULL, NULL);

      if (graph == NULL)
        continue;
      g_test_message ("%s", name);
      check_trip (path, TRUE);
      n++;
    }
  g_assert_cmpint (n, >=, MIN_MODELS);
}

/* ---- what stays, word for word ------------------------------------------ */

static const char everything[]
    = "{ \"format\": \"tplan-graph/1\", \"name\": \"all \\\"kinds\\\"\", "
      "\"opset\": 13,\n"
      "  \"dims\": {\"M\": 3, \"N\": 4},\n"
      "  \"inputs\": [\n"
      "    {\"name\": \"x\", \"dtype\": \"float32\", \"shape\": [\"N\", "
      "\"M\"]},\n"
      "    {\"name\": \"i\", \"dtype\": \"int64\", \"shape\": [2]}],\n"
      "  \"outputs\": [\"y\", \"f\"],\n"
      "  \"initializers\": [\n"
      "    {\"name\": \"a\", \"dtype\": \"float32\", \"shape\": [1], "
      "\"data\": [0.1]},\n"
      "    {\"name\": \"b\", \"dtype\": \"int64\", \"shape\": [2], "
      "\"data\": [-9223372036854775807, 9007199254740993]},\n"
      "    {\"name\": \"c\", \"dtype\": \"bool\", \"shape\": [2], "
      "\"data\": [0, 1]},\n"
      "    {\"name\": \"d\", \"dtype\": \"float64\", \"shape\": [], "
      "\"data\": [0.1]},\n"
      "    {\"name\": \"y:t\", \"dtype\": \"uint8\", \"shape\": [2, 1], "
      "\"data\": [0, 255]}],\n"
      "  \"ops\": [\n"
      "    {\"name\": \"mul\", \"type\": \"Mul\", \"inputs\": [\"x\", \"a\"], "
      "\"outputs\": [\"m\"]},\n"
      "    {\"name\": \"u\", \"type\": \"my.own.Op\", \"inputs\": [\"m\", \"\", "
      "\"b\", \"c\", \"d\"], \"outputs\": [\"y\", \"\", \"f\"], \"attrs\": "
      "{\"k\": -7, \"r\": 1e-05, \"s\": \"text \\\\ \\u0001\", \"l\": [1, 2], "
      "\"q\": [0.5, 3.0], \"n\": [\"a\", \"\"], \"t\": {\"tensor\": \"y:t\"}}}] }\n";

/* JSON of our own form comes back byte for byte. */
static void
test_everything (void)
{
  g_auto (Work) work;
  g_autofree char *path = NULL, *back = NULL;

  work_init (&work);
  path = g_build_filename (work.folder, "e.json", NULL);
  g_file_set_contents (path, everything, -1, NULL);
  to_onnx (path, work.paths[A_ONNX], NULL);
  to_json (work.paths[A_ONNX], work.paths[B_JSON], work.paths[B_DATA]);
  g_file_get_contents (work.paths[B_JSON], &back, NULL, NULL);
  g_assert_cmpstr (back, ==, everything);
  g_assert_false (g_file_test (work.paths[B_DATA], G_FILE_TEST_EXISTS));
  g_unlink (path);
}

/* Pins, costs and shapes stay in JSON; so do seeds. */
static void
test_json_only (void)
{
  static const char text[]
      = "{ \"format\": \"tplan-graph/1\", \"opset\": 17,\n"
        "  \"inputs\": [\n"
        "    {\"name\": \"x\", \"dtype\": \"float32\", \"shape\": [2]}],\n"
        "  \"outputs\": [\"z\"],\n"
        "  \"initializers\": [\n"
        "    {\"name\": \"w\", \"dtype\": \"float32\", \"shape\": [2], "
        "\"random\": {\"seed\": 7, \"std\": 0.3}},\n"
        "    {\"name\": \"v\", \"dtype\": \"int32\", \"shape\": [2], "
        "\"fill\": -3}],\n"
        "  \"ops\": [\n"
        "    {\"name\": \"a\", \"type\": \"Add\", \"inputs\": [\"x\", \"w\"], "
        "\"outputs\": [\"y\"], \"device\": [\"cpu\"]},\n"
        "    {\"name\": \"o\", \"type\": \"Odd\", \"inputs\": [\"y\", \"v\"], "
        "\"outputs\": [\"z\"], \"cost\": {\"cpu\": 12}, \"shapes\": [[2]], "
        "\"dtypes\": [\"int32\"]}] }\n";
  g_auto (Work) work;
  g_autofree char *path = NULL, *back = NULL;

  work_init (&work);
  path = g_build_filename (work.folder, "j.json", NULL);
  g_file_set_contents (path, text, -1, NULL);
  to_json (path, work.paths[B_JSON], work.paths[B_DATA]);
  g_file_get_contents (work.paths[B_JSON], &back, NULL, NULL);
  g_assert_cmpstr (back, ==, text);
  g_unlink (path);
}

/* Values JSON cannot say go to the second file. */
static void
test_not_finite (void)
{
  static const float values[] = { INFINITY, 1, -INFINITY };
  g_auto (Work) work;
  g_autoptr (TpGraphBuilder) builder = tp_graph_builder_new ("n", 17);
  g_autoptr (TpGraph) graph = NULL;
  TpTensor constant = { .name = "__metadata__",
                        .dtype = TPLAN_DTYPE_FLOAT32,
                        .rank = 1,
                        .dims = (gint64[]){ 3 },
                        .init = { .kind = TP_INIT_DATA, .data = values } };
  float back[3];

  work_init (&work);
  tp_graph_builder_add_constant (builder, &constant, NULL, NULL);
  tp_graph_builder_add_output (builder, "__metadata__", NULL, NULL);
  g_assert_true (tp_graph_write_json (builder, work.paths[B_JSON],
                                      work.paths[B_DATA], NULL, NULL));
  graph = load (work.paths[B_JSON]);
  tp_tensor_write_value (&graph->tensors[graph->outputs[0]], back);
  g_assert_cmpmem (back, sizeof back, values, sizeof values);
}

/* Nor can it say what all elements of a constant are, if that is no number. */
static void
test_not_finite_fill (void)
{
  g_auto (Work) work;
  g_autoptr (TpGraphBuilder) builder = tp_graph_builder_new ("n", 17);
  g_autoptr (TpGraph) graph = NULL;
  TpTensor constant = { .name = "c",
                        .dtype = TPLAN_DTYPE_FLOAT32,
                        .rank = 1,
                        .dims = (gint64[]){ 3 },
                        .init = { .kind = TP_INIT_FILL, .value = NAN } };
  float back[3];

  work_init (&work);
  tp_graph_builder_add_constant (builder, &constant, NULL, NULL);
  tp_graph_builder_add_output (builder, "c", NULL, NULL);
  g_assert_true (tp_graph_write_json (builder, work.paths[B_JSON],
                                      work.paths[B_DATA], NULL, NULL));
  graph = load (work.paths[B_JSON]);
  tp_tensor_write_value (&graph->tensors[graph->outputs[0]], back);
  g_assert_true (isnan (back[0]) && isnan (back[2]));
}

static void
write_graph (const char *path, const char *inputs, const char *op)
{
  g_autofree char *text = g_strdup_printf (
      "{ \"format\": \"tplan-graph/1\", \"opset\": 17, \"inputs\": [%s], "
      "\"outputs\": [\"y\"], \"ops\": [%s] }", inputs, op);

  g_assert_true (g_file_set_contents (path, text, -1, NULL));
}

/* An attribute that is no number is said, and nothing is written. */
static void
test_not_finite_attr (void)
{
  g_auto (Work) work;
  g_autoptr (TpGraphBuilder) builder = NULL;
  g_autoptr (GError) error = NULL;

  work_init (&work);
  write_graph (work.paths[B_JSON], "{\"name\": \"x\", \"shape\": [2]}",
               "{\"name\": \"l\", \"type\": \"LeakyRelu\", \"inputs\": [\"x\"], "
               "\"outputs\": [\"y\"], \"attrs\": {\"alpha\": 1e200}}");
  builder = open_graph (work.paths[B_JSON]);
  g_unlink (work.paths[B_JSON]);
  g_assert_false (tp_graph_write_json (builder, work.paths[B_JSON],
                                       work.paths[B_DATA], NULL, &error));
  g_assert_error (error, TPLAN_ERROR, TPLAN_ERROR_UNSUPPORTED);
  g_assert_nonnull (strstr (error->message, "op 'l': attribute 'alpha' is inf"));
  g_assert_false (g_file_test (work.paths[B_JSON], G_FILE_TEST_EXISTS));
}

/* Inputs without elements are not planned, but converted, there and back. */
static void
test_empty_input (void)
{
  g_auto (Work) work;
  g_autoptr (TpGraphBuilder) builder = NULL, back = NULL;

  work_init (&work);
  write_graph (work.paths[B_JSON], "{\"name\": \"x\", \"shape\": [0, 4]}",
               "{\"type\": \"Relu\", \"inputs\": [\"x\"], "
               "\"outputs\": [\"y\"]}");
  builder = open_graph (work.paths[B_JSON]);
  g_assert_true (tp_graph_write_onnx (builder, NULL, work.paths[A_ONNX], NULL,
                                      NULL));
  to_json (work.paths[A_ONNX], work.paths[C_ONNX], work.paths[B_DATA]);
  g_assert_cmpint (g_rename (work.paths[C_ONNX], work.paths[B_JSON]), ==, 0);
  back = open_graph (work.paths[B_JSON]);
  g_assert_nonnull (back);
}

/* Each of both ops is followed by its domain. */
static void
check_domains (const char *path)
{
  static const char *const types[] = { "FastGelu", "MatMulNBits" };
  g_autofree char *bytes = NULL;
  gsize n = 0;

  g_assert_true (g_file_get_contents (path, &bytes, &n, NULL));
  for (gsize i = 0; i < G_N_ELEMENTS (types); i++)
    {
      const char *at = memmem (bytes, n, types[i], strlen (types[i]));
      const char *domain = NULL;

      /* the name of the op, then its type */
      while (at != NULL && (at == bytes || at[-1] != (char) strlen (types[i])))
        at = memmem (at + 1, n - (gsize) (at + 1 - bytes), types[i],
                     strlen (types[i]));
      g_assert_nonnull (at);
      domain = memmem (at, MIN (n - (gsize) (at - bytes), 32), "com.microsoft",
                       13);
      g_assert_nonnull (domain);
    }
}

/* Ops of our own names that ONNX Runtime has in a domain of its own are written there,
 * and are the same when they are read. */
static void
test_contributed (void)
{
  static const char text[]
      = "{\"format\": \"tplan-graph/1\", \"opset\": 17, \"inputs\": [{\"name\": "
        "\"x\", \"shape\": [2, 16]}], \"initializers\": [{\"name\": \"q\", "
        "\"dtype\": \"uint8\", \"shape\": [3, 1, 8], \"fill\": 90}, {\"name\": "
        "\"s\", \"shape\": [3, 1], \"fill\": 0.5}], \"ops\": [{\"type\": "
        "\"FastGelu\", \"inputs\": [\"x\"], \"outputs\": [\"g\"]}, {\"type\": "
        "\"MatMulNBits\", \"inputs\": [\"g\", \"q\", \"s\"], \"outputs\": "
        "[\"y\"], \"attrs\": {\"K\": 16, \"N\": 3, \"bits\": 4, "
        "\"block_size\": 16}}], \"outputs\": [\"y\"]}";
  g_auto (Work) work = { NULL };
  g_autoptr (GError) error = NULL;
  g_autoptr (TpGraphBuilder) builder = NULL;
  g_autoptr (TpGraph) graph = NULL, simple = NULL;

  work_init (&work);
  g_assert_true (g_file_set_contents (work.paths[B_JSON], text, -1, NULL));
  to_onnx (work.paths[B_JSON], work.paths[A_ONNX], work.paths[A_DATA]);
  builder = open_graph (work.paths[A_ONNX]);
  g_assert_nonnull (builder);
  graph = tp_graph_load (work.paths[A_ONNX], NULL, &error);
  g_assert_no_error (error);
  simple = tp_graph_simplify (graph, &error);
  g_assert_no_error (error);
  g_assert_cmpint (simple->n_nodes, ==, 2);
  g_assert_cmpstr (simple->nodes[0].type, ==, "FastGelu");
  g_assert_cmpstr (simple->nodes[1].type, ==, "MatMulNBits");
  check_domains (work.paths[A_ONNX]);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/convert/mlp", test_mlp);
  g_test_add_func ("/convert/networks", test_networks);
  g_test_add_func ("/convert/onnx-suite", test_suite);
  g_test_add_func ("/convert/everything", test_everything);
  g_test_add_func ("/convert/json-only", test_json_only);
  g_test_add_func ("/convert/not-finite", test_not_finite);
  g_test_add_func ("/convert/not-finite-fill", test_not_finite_fill);
  g_test_add_func ("/convert/not-finite-attr", test_not_finite_attr);
  g_test_add_func ("/convert/empty-input", test_empty_input);
  g_test_add_func ("/convert/contributed", test_contributed);
  return g_test_run ();
}
