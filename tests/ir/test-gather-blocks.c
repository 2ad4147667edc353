/* test-gather-blocks.c: GatherBlockQuantized of ONNX Runtime: what it gives is worked out here
 * element by element, from bytes that are drawn. */
#include "config.h"

#include "ops/reference.h"
#include "quoted-graph.h"

#define ROWS 5
#define WIDTH 24              /* elements of a row */
#define MOST 512

typedef struct
{
  int bits, block;
  gboolean has_zeros;
} Case;

static const Case cases[] = {
  { 2, 8, FALSE }, { 2, 8, TRUE },   { 4, 8, FALSE }, { 4, 8, TRUE },
  { 4, 16, TRUE }, { 4, 32, FALSE }, { 8, 8, FALSE }, { 8, 16, TRUE },
};

/* @count drawn below @most. */
static void
append_list (GString *text, int *out, int count, int most)
{
  for (int i = 0; i < count; i++)
    {
      out[i] = g_test_rand_int_range (0, most);
      g_string_append_printf (text, "%s%d", i == 0 ? "[" : ", ", out[i]);
    }
  g_string_append (text, "]}");
}

/* Element @i of row @row, of rows of @n bytes, the lowest bits first. */
static int
get_code (const int *bytes, int n, int bits, int row, int i)
{
  int each = 8 / bits;

  return bytes[row * n + i / each] >> (i % each * bits) & ((1 << bits) - 1);
}

/* What the graph @text, which has no inputs, gives. */
static double *
run (const char *text)
{
  g_autoptr (TpGraph) graph = test_load_quoted (text);
  g_autoptr (GError) error = NULL;
  g_autoptr (GPtrArray) values = tp_graph_run_reference (graph, NULL, FALSE, &error);

  g_assert_no_error (error);
  return g_memdup2 (values->pdata[0],
                    graph->tensors[graph->outputs[0]].count * sizeof (double));
}

static void
test_bytes (gconstpointer user)
{
  const Case *c = user;
  int n_blocks = (WIDTH - 1) / c->block + 1, each = 8 / c->bits;
  int n_zero_bytes = (n_blocks - 1) / each + 1;
  int data[MOST], scales[MOST], zeros[MOST], rows[4];
  g_autoptr (GString) text = g_string_new (NULL);
  g_autofree double *found = NULL;

  g_string_printf (text, "{'format': 'tplan-graph/1', 'opset': 17, 'inputs': [], "
                   "'initializers': [{'name': 'w', 'dtype': 'uint8', 'shape': [%d, %d], "
                   "'data': ", ROWS, WIDTH / each);
  append_list (text, data, ROWS * WIDTH / each, 256);
  g_string_append_printf (text, ", {'name': 's', 'shape': [%d, %d], 'data': ", ROWS,
                          n_blocks);
  append_list (text, scales, ROWS * n_blocks, 9);
  g_string_append_printf (text, ", {'name': 'z', 'dtype': 'uint8', 'shape': [%d, %d], "
                          "'data': ", ROWS, n_zero_bytes);
  append_list (text, zeros, ROWS * n_zero_bytes, 256);
  g_string_append (text, ", {'name': 'i', 'dtype': 'int64', 'shape': [2, 2], 'data': ");
  append_list (text, rows, 4, ROWS);
  g_string_append_printf (text, "], 'ops': [{'type': 'com.microsoft.GatherBlockQuantized', "
                          "'inputs': ['w', 'i', 's'%s], 'outputs': ['y'], 'attrs': "
                          "{'bits': %d, 'block_size': %d}}], 'outputs': ['y']}",
                          c->has_zeros ? ", 'z'" : "", c->bits, c->block);
  found = run (text->str);
  for (int k = 0; k < 4 * WIDTH; k++)
    {
      int row = rows[k / WIDTH], i = k % WIDTH, block = i / c->block;
      int code = get_code (data, WIDTH / each, c->bits, row, i);
      int zero = c->has_zeros ? get_code (zeros, n_zero_bytes, c->bits, row, block)
                              : 1 << (c->bits - 1);

      g_assert_cmpfloat (found[k], ==, (code - zero) * scales[row * n_blocks + block]);
    }
}

/* Numbers of four bits, one in each byte, whose blocks are along the first dimension. */
static void
test_columns (gconstpointer user)
{
  gboolean is_signed = user == NULL;

  int data[MOST], scales[MOST], columns[3];
  g_autoptr (GString) text = g_string_new (NULL);
  g_autofree double *found = NULL;

  g_string_printf (text, "{'format': 'tplan-graph/1', 'opset': 17, 'inputs': [], "
                   "'initializers': [{'name': 'w', 'dtype': '%s', 'shape': [6, 7], "
                   "'data': ", is_signed ? "int8" : "uint8");
  append_list (text, data, 42, 8);
  g_string_append (text, ", {'name': 's', 'shape': [3, 7], 'data': ");
  append_list (text, scales, 21, 9);
  g_string_append (text, ", {'name': 'i', 'dtype': 'int64', 'shape': [3], 'data': ");
  append_list (text, columns, 3, 7);
  g_string_append_printf (
      text, "], 'ops': [{'type': 'com.microsoft.GatherBlockQuantized', 'inputs': "
      "['w', 'i', 's'], 'outputs': ['y'], 'attrs': {'block_size': 2, "
      "'data_dtype': %d, 'gather_axis': 1, 'quantize_axis': 0}}], 'outputs': ['y']}",
      is_signed ? 22 : 21);
  found = run (text->str);
  for (int k = 0; k < 18; k++)
    g_assert_cmpfloat (found[k], ==, data[k / 3 * 7 + columns[k % 3]]
                                     * scales[k / 6 * 7 + columns[k % 3]]);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autofree char *path
          = g_strdup_printf ("/gather-blocks/bits-%d/block-%d/%s", cases[i].bits,
                             cases[i].block, cases[i].has_zeros ? "zeros" : "middle");

      g_test_add_data_func (path, &cases[i], test_bytes);
    }
  g_test_add_data_func ("/gather-blocks/columns/int4", NULL, test_columns);
  g_test_add_data_func ("/gather-blocks/columns/uint4", cases, test_columns);
  return g_test_run ();
}
