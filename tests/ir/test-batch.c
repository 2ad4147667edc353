/* test-batch.c: graphs whose batch is split compute what they did. */
#include "config.h"

#include "count-ops.h"
#include "graph-results.h"
#include "graph/graph-batch.h"
#include "graph/pass.h"
#include "ir/graph-digest.h"
#include "op-support.h"
#include "quoted-graph.h"
#include "random-model.h"

#include <string.h>

#define N_ROUNDS 200
#define MAX_PARTS 4

static TpGraph *
read_text (const char *text)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (TpGraph) raw = test_graph_new (17, text, &error);
  TpGraph *graph;

  g_assert_no_error (error);
  graph = tp_graph_prepare_with (raw, &(TpPassOptions){ NULL }, &error);
  g_assert_no_error (error);
  return graph;
}

static TpGraph *
split (TpGraph *graph, const gint64 *sizes, int n_sizes)
{
  g_autoptr (GError) error = NULL;
  TpGraph *parts = tp_graph_split_batch (graph, sizes, n_sizes, &error);

  g_assert_no_error (error);
  return parts;
}

/* ---- networks -------------------------------------------------------------- */

#define ATTENTION                                                             \
  "const g 8;const h 8;LayerNormalization x g h -> n;"                        \
  "const wq 8 8;const wk 8 8;const wv 8 8;"                                   \
  "MatMul n wq -> q;MatMul n wk -> k;MatMul n wv -> v;"                       \
  "ints heads 6 5 2 4;ints flat 6 5 8;"                                       \
  "Reshape q heads -> q4;Reshape k heads -> k4;Reshape v heads -> v4;"        \
  "Transpose q4 -> qt perm=0,2,1,3;Transpose k4 -> kt perm=0,2,3,1;"          \
  "Transpose v4 -> vt perm=0,2,1,3;MatMul qt kt -> s;scalar c 0.5;"           \
  "Mul s c -> t;Softmax t -> p axis=3;MatMul p vt -> o;"                      \
  "Transpose o -> ot perm=0,2,1,3;Reshape ot flat -> of;Add of x -> z"

/* Of a batch of 6. */
static const struct
{
  const char *name, *text;
} networks[] = {
  { "image", "in x 6 3 9 9;const w 8 3 3 3;const b 8;"
             "Conv x w b -> c pads=1,1,1,1 strides=2,2;Relu c -> r;"
             "MaxPool r -> m kernel_shape=3,3 strides=2,2;"
             "const d 8 1 3 3;Conv m d -> e group=8 pads=1,1,1,1;"
             "GlobalAveragePool e -> a;Flatten a -> f;const k 8 5;"
             "MatMul f k -> y;Softmax y -> z axis=1" },
  { "attention", "in x 6 5 8;" ATTENTION },
  /* as exporters write it where the batch is known */
  { "token", "in x 6 4 8;const t 6 1 8;Concat t x -> y axis=1;const w 8 8;"
             "MatMul y w -> m;const p 1 5 8;Add m p -> z" },
  { "merged", "in x 6 4 8;ints s 24 8;Reshape x s -> r;const w 8 3;"
              "MatMul r w -> m;ints u 6 4 3;Reshape m u -> z" },
  { "words", "int64 i 6 4;const t 9 8;Gather t i -> e;const p 4 8;"
             "Add e p -> a;const g 8;const h 8;LayerNormalization a g h -> z" },
  { "two inputs", "in x 6 4;in y 6 3;in k 4 5;Concat x y -> c axis=1;"
                  "const w 7 5;MatMul c w -> m;ReduceMax m -> z axes=1;"
                  "MatMul x k -> v" },
  { "shared", "in x 6 4;in y 4;in u 1 4;Exp y -> e;Mul e u -> f;Mul x f -> z" },
  { "heads", "in x 6 5 8;Transpose x -> t perm=1,0,2;const w 8 24;"
             "MatMul t w -> m;ints s 5 6 3 8;Reshape m s -> r;"
             "Transpose r -> u perm=2,0,1,3;ints p 1 1 1;"
             "Split u p -> q k v axis=0;ints h 5 12 4;Reshape q h -> q3;"
             "Reshape k h -> k3;Reshape v h -> v3;"
             "Transpose q3 -> qt perm=1,0,2;Transpose k3 -> kt perm=1,2,0;"
             "Transpose v3 -> vt perm=1,0,2;MatMul qt kt -> a;"
             "Softmax a -> b axis=2;MatMul b vt -> o;"
             "Transpose o -> ot perm=1,0,2;ints f 30 8;Reshape ot f -> of;"
             "const g 8 8;Gemm of g -> gm;ints k4 5 6 8;Reshape gm k4 -> l;"
             "Transpose l -> z perm=1,0,2" },
  { "steps", "in x 6 5 3;Transpose x -> t perm=1,0,2;const w 1 16 3;"
             "const r 1 16 4;LSTM t w r -> y hidden_size=4;ints a 1;"
             "Squeeze y a -> q;Relu q -> z" },
  { "sequence first", "int64 i 5 6;in h 1 6 4;const t 9 3;Gather t i -> x;"
                      "const w 1 12 3;const r 1 12 4;"
                      "GRU x w r -> y v hidden_size=4;ints a 1;"
                      "Squeeze y a -> q;Add q h -> s;Softmax s -> z axis=2" },
  { "other rows", "in x 4 6;in y 4 6;Add x y -> s;Softmax s -> z axis=0" },
  { "unread", "in x 6 4;ints p 1 3;Split x p -> a b axis=1;Relu b -> z;"
              "Transpose x -> t perm=1,0;ints u 2;Unsqueeze t u -> w;"
              "const k 1 8 1;const r 1 8 2;"
              "LSTM w k r -> y h hidden_size=2;ints s 0;Squeeze h s -> v" },
  { "twice", "in x 6 4;ints r 2 1;Tile x r -> t;Relu t -> u;ints s 2 6 4;"
             "Reshape u s -> v;ReduceSum v -> z axes=0 keepdims=0" },
  { "mask", "in x 6 1 4 4;in m 6 4;ints a 1 2;Unsqueeze m a -> n;"
            "ints s 6 3 4 4;Expand n s -> e;Mul x e -> z" },
};

static void
test_network (gconstpointer data)
{
  int i = GPOINTER_TO_INT (data);
  static const gint64 ways[][MAX_PARTS]
      = { { 3, 3 }, { 1, 5 }, { 4, 2 }, { 1, 2, 3 }, { 2, 1, 2, 1 } };
  g_autoptr (TpGraph) graph = read_text (networks[i].text);

  for (gsize k = 0; k < G_N_ELEMENTS (ways); k++)
    {
      int n = 0;
      g_autoptr (TpGraph) parts = NULL;

      while (n < MAX_PARTS && ways[k][n] > 0)
        n++;
      parts = split (graph, ways[k], n);
      graph_assert_same (graph, parts, 1e-6, networks[i].name);
    }
}

/* ---- random ones ----------------------------------------------------------- */

static void
test_random (void)
{
  static const gint64 sizes[] = { 1, 1 };
  int n_split = 0;

  for (int round = 0; round < N_ROUNDS; round++)
    {
      g_autoptr (TpGraph) raw = random_model (g_test_rand_int_range (1, 7));
      g_autoptr (TpGraph) graph
          = tp_graph_prepare_with (raw, &(TpPassOptions){ NULL }, NULL);
      g_autoptr (GError) error = NULL;
      g_autoptr (TpGraph) parts
          = tp_graph_split_batch (graph, sizes, 2, &error);

      if (parts == NULL)
        {
          g_assert_error (error, TPLAN_ERROR, TPLAN_ERROR_USAGE);
          continue;
        }
      n_split++;
      graph_assert_same (graph, parts, 1e-6, "a random network");
    }
  g_test_message ("%d of %d were split", n_split, N_ROUNDS);
  g_assert_cmpint (n_split, >, N_ROUNDS / 4);
}

/* ---- what comes of it ------------------------------------------------------ */

/* Ops that do not depend on the batch are there once, weights too; each micro-batch
 * comes before the next; and it is the same graph every time. */
static void
test_shared (void)
{
  static const gint64 sizes[] = { 2, 3, 1 };
  g_autoptr (TpGraph) graph = read_text (networks[6].text /* shared */);
  g_autoptr (TpGraph) parts = split (graph, sizes, 3);
  g_autoptr (TpGraph) again = split (graph, sizes, 3);
  g_autofree char *first = tp_graph_digest (parts);
  g_autofree char *second = tp_graph_digest (again);
  int last = -1;

  g_assert_cmpstr (first, ==, second);
  g_assert_cmpint (count_ops (parts, "Exp"), ==, 1);
  g_assert_cmpint (count_ops (parts, "Mul"), ==, 1 + 3);
  g_assert_cmpint (count_ops (parts, "Slice"), ==, 3);
  g_assert_cmpint (count_ops (parts, "Concat"), ==, 1);
  for (int i = 0; i < parts->n_nodes; i++)
    {
      const char *number = strrchr (parts->nodes[i].name, ':');
      int part = number == NULL || !g_ascii_isdigit (number[1])
                     ? last
                     : number[1] - '0';

      g_assert_cmpint (part, >=, last);
      last = part;
    }
  g_assert_cmpint (last, ==, 2);
}

static void
test_constants (void)
{
  static const gint64 sizes[] = { 4, 2 };
  g_autoptr (TpGraph) graph = NULL, parts = NULL;
  static const char text[]
      = "{'format': 'tplan-graph/1', 'opset': 17, 'inputs': [{'name': 'x', "
        "'shape': [6, 2]}], 'initializers': [{'name': 'a', 'shape': [6, 2], "
        "'data': [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12]}, {'name': 'r', "
        "'shape': [6, 2], 'random': {'seed': 3}}], 'ops': [{'type': 'Add', "
        "'inputs': ['x', 'a'], 'outputs': ['y']}, {'type': 'Mul', 'inputs': "
        "['y', 'r'], 'outputs': ['z']}], 'outputs': ['z']}";

  graph = test_load_quoted (text);
  parts = split (graph, sizes, 2);
  graph_assert_same (graph, parts, 1e-9, "constants in parts");
  /* What is in a file is read where it is; what is random, by an op. */
  g_assert_cmpint (count_ops (parts, "Slice"), ==, 4);
}

/* ---- errors ---------------------------------------------------------------- */

static const struct
{
  const char *text;
  gint64 sizes[3];
  int n_sizes;
  const char *says;
} errors[] = {
  { "in x 6 4;Relu x -> y", { 3, 2 }, 2, "at least 1 and sum to it, which is 6" },
  { "in x 6 4;Relu x -> y", { 7, -1 }, 2, "at least 1" },
  { "in x 6 4;Relu x -> y", { 6, 0 }, 2, "at least 1" },
  { "in x 6 4;Relu x -> y", { 6 }, 1, "at least 1" },
  { "in x 6 4;Relu x -> y", { G_MAXINT64, G_MAXINT64 }, 2, "at least 1" },
  { "in x;Relu x -> y", { 3, 3 }, 2, "which is 0" },
  { "in x 6 4;Softmax x -> y axis=0", { 3, 3 }, 2,
    "op 'y' (Softmax) may read several parts for one" },
  { "in x 6 4;ints s 4 6;Reshape x s -> y", { 3, 3 }, 2,
    "tensor 'y' has no dimension that is it" },
  { "in x 6 4;Transpose x -> t;ints s 24;Reshape t s -> y", { 3, 3 }, 2,
    "output 'y' has it and more in one dimension" },
  { "in x 6 4;const c 4 12;Transpose c -> d;Concat x d -> y axis=0", { 3, 3 },
    2, "tensor 'd' cannot be cut as it is read" },
  { "in x 6 4;ints r 2 1;Tile x r -> y", { 3, 3 }, 2,
    "output 'y' has it and more in one dimension" },
  { "in x 6 4;ints p 6;Split x p -> y axis=0", { 3, 3 }, 2,
    "op 'y' (Split) has sizes for all of it" },
  { "in x 6 4;in y 3 4;Concat x y -> z axis=0", { 3, 3 }, 2,
    "op 'z' (Concat) may read several parts for one" },
  { "in x 6 4;in w 4 6;MatMul x w -> a;MatMul w x -> y", { 3, 3 }, 2,
    "op 'y' (MatMul)" },
};

static void
test_error (gconstpointer data)
{
  int i = GPOINTER_TO_INT (data);
  g_autoptr (TpGraph) graph = read_text (errors[i].text);
  g_autoptr (GError) error = NULL;

  g_assert_null (tp_graph_split_batch (graph, errors[i].sizes,
                                       errors[i].n_sizes, &error));
  g_assert_error (error, TPLAN_ERROR, TPLAN_ERROR_USAGE);
  g_assert_nonnull (strstr (error->message, "the batch cannot be split: "));
  if (strstr (error->message, errors[i].says) == NULL)
    g_error ("'%s' does not say '%s'", error->message, errors[i].says);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  for (gsize i = 0; i < G_N_ELEMENTS (networks); i++)
    {
      g_autofree char *path
          = g_strdup_printf ("/batch/network/%s", networks[i].name);

      g_test_add_data_func (path, GINT_TO_POINTER (i), test_network);
    }
  g_test_add_func ("/batch/random", test_random);
  g_test_add_func ("/batch/shared", test_shared);
  g_test_add_func ("/batch/constants", test_constants);
  for (gsize i = 0; i < G_N_ELEMENTS (errors); i++)
    {
      g_autofree char *path = g_strdup_printf ("/batch/error/%zu", i);

      g_test_add_data_func (path, GINT_TO_POINTER (i), test_error);
    }
  return g_test_run ();
}
