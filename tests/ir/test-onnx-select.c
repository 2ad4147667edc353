/* test-onnx-select.c: NonZero, Compress and Unique of values that are known before a
 * run, against loops over all elements that know no order and no strides; and what is
 * said where they are not known. */
#include "config.h"

#include "tests/ir/onnx-if-support.h"
#include "tests/ir/onnx-loop-support.h"
#include "tests/ir/onnx-support.h"

#include "include/tplan.h"

#define INT64 7
#define BOOL 9
#define MOST 64               /* elements */

/* A constant, k. */
typedef struct
{
  int rank;
  gint64 dims[3], count;
  gint64 values[MOST];
} Drawn;

static void
draw (Drawn *k, gint64 base)
{
  k->rank = g_test_rand_int_range (1, 4);
  k->count = 1;
  for (int d = 0; d < k->rank; d++)
    k->count *= k->dims[d] = g_test_rand_int_range (1, 5);
  for (gint64 i = 0; i < k->count; i++)
    k->values[i] = base + g_test_rand_int_range (-1, 3);
  k->values[g_test_rand_int_range (0, (int) k->count)] = base + 2;
}

static Msg *
constant_new (const char *name, int rank, const gint64 *dims,
              const gint64 *values, gint64 n)
{
  Msg *tensor = tensor_new (name, INT64, rank, dims);

  for (gint64 i = 0; i < n; i++)
    msg_int (tensor, 7, values[i]);
  return tensor;
}

/* Where element @i of @k is along @axis. */
static gint64
find_place (const Drawn *k, gint64 i, int axis)
{
  for (int d = k->rank - 1; d > axis; d--)
    i /= k->dims[d];
  return i % k->dims[axis];
}

/* A model that gives constants, one of them y. */
static void
expect (Msg *graph, const char *output, int rank, const gint64 *dims,
        const GArray *values)
{
  g_autofree char *name = g_strconcat ("want-", output, NULL);

  msg_take (graph, 5, constant_new (name, rank, dims,
                                    (const gint64 *) (void *) values->data,
                                    values->len));
  msg_take (graph, 1, node_new ("Identity", name, NULL, output));
}

static GArray *
list_new (void)
{
  return g_array_new (FALSE, FALSE, sizeof (gint64));
}

static void
test_non_zero (void)
{
  for (int round = 0; round < 60; round++)
    {
      g_autoptr (TpGraph) graph = NULL, straight = NULL;
      g_autoptr (GArray) places = list_new ();
      Msg *inner = graph_new (), *wanted = graph_new ();
      gint64 dims[2];
      Drawn k;

      draw (&k, 0);
      dims[0] = k.rank;
      for (int d = 0; d < k.rank; d++)
        for (gint64 i = 0; i < k.count; i++)
          if (k.values[i] != 0)
            {
              gint64 place = find_place (&k, i, d);

              g_array_append_val (places, place);
            }
      dims[1] = places->len / k.rank;
      msg_take (inner, 5, constant_new ("k", k.rank, k.dims, k.values, k.count));
      msg_take (inner, 1, node_new ("NonZero", "k", NULL, "y"));
      graph = load_well (inner);
      expect (wanted, "y", 2, dims, places);
      straight = load_well (wanted);
      assert_is (graph, straight);
    }
}

/* Of x, 2 x 3, what is wanted along an axis, or of all. */
static void
test_compress (void)
{
  for (int round = 0; round < 60; round++)
    {
      int which = round % 5, axis = which - 3; /* -3: none */
      int most = which == 0 ? 6 : axis % 2 == 0 ? 2 : 3;
      int n = g_test_rand_int_range (1, most + 1);
      g_autoptr (TpGraph) graph = NULL, straight = NULL;
      g_autoptr (GArray) indices = list_new ();
      Msg *inner = graph_new (), *wanted = graph_new ();
      Msg *node = node_new ("Compress", "x", "c", "y"), *gather;
      gint64 length = n, last = g_test_rand_int_range (0, n), flat = -1;
      Msg *condition = tensor_new ("c", BOOL, 1, &length);

      for (gint64 i = 0; i < n; i++)
        {
          int is_wanted = i == last || g_test_rand_bit ();

          msg_int (condition, 5, is_wanted);
          if (is_wanted)
            g_array_append_val (indices, i);
        }
      if (which > 0)
        add_ints (node, "axis", 0, axis, 0);
      msg_take (inner, 5, condition);
      msg_take (inner, 1, node);
      graph = load_well (inner);
      length = indices->len;
      msg_take (wanted, 5, constant_new ("i", 1, &length,
                                         (const gint64 *) (void *) indices->data,
                                         length));
      length = 1;
      msg_take (wanted, 5, constant_new ("s", 1, &length, &flat, 1));
      msg_take (wanted, 1, node_new ("Reshape", "x", "s", "f"));
      gather = node_new ("Gather", which > 0 ? "x" : "f", "i", "y");
      add_ints (gather, "axis", 0, which > 0 ? axis : 0, 0);
      msg_take (wanted, 1, gather);
      straight = load_well (wanted);
      assert_is (graph, straight);
    }
}

/* ---- Unique --------------------------------------------------------------------- */

/* Less, like or more than 0: all at index @a of @axis (-1: element @a) to all at @b. */
static int
compare (const Drawn *k, int axis, gint64 a, gint64 b)
{
  g_autoptr (GArray) first = list_new (), second = list_new ();

  for (gint64 i = 0; i < k->count; i++)
    {
      gint64 at = axis < 0 ? i : find_place (k, i, axis);

      if (at == a)
        g_array_append_val (first, k->values[i]);
      if (at == b)
        g_array_append_val (second, k->values[i]);
    }
  for (guint i = 0; i < first->len; i++)
    {
      gint64 x = g_array_index (first, gint64, i);
      gint64 y = g_array_index (second, gint64, i);

      if (x != y)
        return x < y ? -1 : 1;
    }
  return 0;
}

/* Parts that are like none before, in their order or as they come. */
static GArray *
find_firsts (const Drawn *k, int axis, gint64 n, gboolean is_sorted)
{
  GArray *firsts = list_new ();

  for (gint64 i = 0; i < n; i++)
    {
      gboolean is_new = TRUE;
      guint at = 0;

      for (guint j = 0; j < firsts->len; j++)
        {
          int order = compare (k, axis, g_array_index (firsts, gint64, j), i);

          is_new &= order != 0;
          at += order < 0 || !is_sorted;
        }
      if (is_new)
        g_array_insert_val (firsts, at, i);
    }
  return firsts;
}

static void
expect_unique (Msg *graph, const Drawn *k, int axis, gboolean is_sorted)
{
  gint64 n = axis < 0 ? k->count : k->dims[axis], length;
  g_autoptr (GArray) firsts = find_firsts (k, axis, n, is_sorted);
  g_autoptr (GArray) numbers = list_new (), counts = list_new ();
  Msg *gather = node_new ("Gather", axis < 0 ? "flat" : "k", "want-i", "y");
  const gint64 zero = 0;

  for (guint j = 0; j < firsts->len; j++)
    g_array_append_val (counts, zero);
  for (gint64 i = 0; i < n; i++)
    for (gint64 j = 0; j < firsts->len; j++)
      if (compare (k, axis, g_array_index (firsts, gint64, j), i) == 0)
        {
          g_array_append_val (numbers, j);
          g_array_index (counts, gint64, j)++;
        }
  length = firsts->len;
  expect (graph, "i", 1, &length, firsts);
  expect (graph, "n", 1, &n, numbers);
  expect (graph, "c", 1, &length, counts);
  msg_take (graph, 5, constant_new ("k", k->rank, k->dims, k->values, k->count));
  msg_take (graph, 5, constant_new ("flat", 1, &k->count, k->values, k->count));
  add_ints (gather, "axis", 0, MAX (axis, 0), 0);
  msg_take (graph, 1, gather);
}

static void
test_unique (void)
{
  for (int round = 0; round < 120; round++)
    {
      g_autoptr (TpGraph) graph = NULL, straight = NULL;
      Msg *inner = graph_new (), *wanted = graph_new ();
      Msg *node = node_new ("Unique", "k", NULL, "y");
      gboolean is_sorted = round % 2;
      int axis;
      Drawn k;

      /* beyond what a double holds apart, too */
      draw (&k, round % 3 == 0 ? (G_GINT64_CONSTANT (1) << 60) : 0);
      axis = g_test_rand_int_range (-1, k.rank);
      msg_string (node, 2, "i");
      msg_string (node, 2, "n");
      msg_string (node, 2, "c");
      if (axis >= 0)
        add_ints (node, "axis", 0, round % 4 < 2 ? axis : axis - k.rank, 0);
      add_ints (node, "sorted", 0, is_sorted, 0);
      msg_take (inner, 5, constant_new ("k", k.rank, k.dims, k.values, k.count));
      msg_take (inner, 1, node);
      expect_unique (wanted, &k, axis, is_sorted);
      for (const char *name = "inc"; *name != '\0'; name++)
        {
          const char output[] = { *name, '\0' };

          add_output (inner, output);
          add_output (wanted, output);
        }
      graph = load_well (inner);
      straight = load_well (wanted);
      assert_is (graph, straight);
    }
}

/* ---- what is not known ------------------------------------------------------------ */

static void
test_unknown (void)
{
  static const gint64 dims[] = { 2 };
  Msg *graph = graph_new ();
  Msg *condition = tensor_new ("c", BOOL, 1, (const gint64[]){ 3 });
  Msg *node = node_new ("Compress", "x", "c", "y");

  msg_take (graph, 1, node_new ("NonZero", "x", NULL, "y"));
  assert_fails (graph, TPLAN_ERROR_UNSUPPORTED,
                "*NonZero*: its input 'x' is not known before a run*--value x=*");
  graph = graph_new ();
  add_bool_input (graph, "c", 1, dims);
  msg_take (graph, 1, node_new ("Compress", "x", "c", "y"));
  assert_fails (graph, TPLAN_ERROR_UNSUPPORTED,
                "*Compress*: its condition 'c' is not known before a run*");
  graph = graph_new ();
  for (int i = 0; i < 3; i++)
    msg_int (condition, 5, 1);
  add_ints (node, "axis", 0, 0, 0);
  msg_take (graph, 5, condition);
  msg_take (graph, 1, node);
  assert_fails (graph, TPLAN_ERROR_INPUT, "*its condition wants element 2 of 2");
  graph = graph_new ();
  node = node_new ("Unique", "k", NULL, "y");
  add_ints (node, "axis", 0, 1, 0);
  msg_take (graph, 5, constant_new ("k", 1, dims, (const gint64[]){ 1, 2 }, 2));
  msg_take (graph, 1, node);
  assert_fails (graph, TPLAN_ERROR_INPUT, "*axis 1 of a tensor of 1 dimensions");
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/onnx-select/non-zero", test_non_zero);
  g_test_add_func ("/onnx-select/compress", test_compress);
  g_test_add_func ("/onnx-select/unique", test_unique);
  g_test_add_func ("/onnx-select/unknown", test_unknown);
  return g_test_run ();
}
