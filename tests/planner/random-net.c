/* random-net.c: see random-net.h. */
#include "config.h"

#include "random-net.h"

#include "fuse-case.h"

/* All matrices of 4 columns, or what is made of them. */
typedef struct
{
  GString *ops;
  GPtrArray *names;           /* char * */
  GArray *rows, *columns;     /* int */
  GHashTable *read;           /* those that some op reads */
} Net;

static void
add_tensor (Net *net, const char *name, int n_rows, int n_columns)
{
  g_ptr_array_add (net->names, g_strdup (name));
  g_array_append_val (net->rows, n_rows);
  g_array_append_val (net->columns, n_columns);
}

static int
get_size (const Net *net, int tensor, gboolean is_rows)
{
  return g_array_index (is_rows ? net->rows : net->columns, int, tensor);
}

/* One of the last few that nobody reads, mostly; of the shape of @like, unless that is
 * -1. */
static int
pick (const Net *net, int like)
{
  int n = (int) net->names->len;

  for (int i = 0; i < 20; i++)
    {
      int from = g_test_rand_int_range (0, 4) > 0 ? MAX (0, n - 3) : 0;
      int tensor = g_test_rand_int_range (from, n);

      if (g_hash_table_contains (net->read, net->names->pdata[tensor])
          && g_test_rand_int_range (0, 10) > 0)
        continue;
      if (like < 0
          || (get_size (net, tensor, TRUE) == get_size (net, like, TRUE)
              && get_size (net, tensor, FALSE) == get_size (net, like, FALSE)))
        return tensor;
    }
  return like < 0 ? 0 : like;
}

static const char *
take (const Net *net, int tensor)
{
  char *name = net->names->pdata[tensor];

  g_hash_table_add (net->read, name);
  return name;
}

/* "type" of @inputs, as JSON, of some device. */
static void
add_op (Net *net, int index, const char *type, const char *inputs,
        const char *attrs)
{
  static const char *const pins[]
      = { ",\"device\":\"cpu\"", ",\"device\":\"opencl:0\"",
          ",\"device\":[\"opencl:0\",\"cpu\"]" };
  int pin = g_test_rand_int_range (0, 12 * G_N_ELEMENTS (pins));

  g_string_append_printf (
      net->ops, "%s{\"name\":\"t%d\",\"type\":\"%s\",\"inputs\":[%s],"
      "\"outputs\":[\"t%d\"]%s%s}", index > 0 ? "," : "", index, type, inputs,
      index, attrs, pin < (int) G_N_ELEMENTS (pins) ? pins[pin] : "");
}

static void
add_join (Net *net, int index, int first)
{
  g_autoptr (GString) inputs = g_string_new (NULL);
  int n = g_test_rand_int_range (1, 5), n_rows = 0;

  for (int i = 0; i < n; i++)
    {
      int tensor = i == 0 ? first : pick (net, -1);

      if (get_size (net, tensor, FALSE) != get_size (net, first, FALSE))
        continue;
      g_string_append_printf (inputs, "%s\"%s\"", n_rows > 0 ? "," : "",
                              take (net, tensor));
      n_rows += get_size (net, tensor, TRUE);
    }
  add_op (net, index, "Concat", inputs->str, ",\"attrs\":{\"axis\":0}");
  add_tensor (net, "", n_rows, get_size (net, first, FALSE));
}

static const struct
{
  const char *type;
  int n_inputs;
  const char *attrs;
} simple[] = {
  { "Relu", 1, "" },
  { "Tanh", 1, "" },
  { "Add", 2, "" },
  { "Mul", 2, "" },
  { "Softmax", 1, "" },
  { "Flatten", 1, ",\"attrs\":{\"axis\":1}" },
  { "Clip", 1, "" },
  { "Softmax", 1, ",\"attrs\":{\"axis\":0}" },
};

static void
add_simple (Net *net, int index, int first)
{
  int row = g_test_rand_int_range (0, G_N_ELEMENTS (simple));
  g_autofree char *inputs
      = simple[row].n_inputs == 1
            ? g_strdup_printf ("\"%s\"", take (net, first))
            : g_strdup_printf ("\"%s\",\"%s\"", take (net, first),
                               take (net, pick (net, first)));

  add_op (net, index, simple[row].type, inputs, simple[row].attrs);
  add_tensor (net, "", get_size (net, first, TRUE), get_size (net, first, FALSE));
}

/* With weights, which have 4 rows and columns, on either side. */
static void
add_product (Net *net, int index, int first)
{
  gboolean is_left = get_size (net, first, FALSE) == 4;
  int n_rows = is_left ? get_size (net, first, TRUE) : 4;
  g_autofree char *inputs = NULL;

  if (!is_left && get_size (net, first, TRUE) != 4)
    {
      add_simple (net, index, first);
      return;
    }
  inputs = g_strdup_printf (is_left ? "\"%s\",\"n\"" : "\"n\",\"%s\"",
                            take (net, first));
  add_op (net, index, "MatMul", inputs, "");
  add_tensor (net, "", n_rows, is_left ? 4 : get_size (net, first, FALSE));
}

static void
add_turned (Net *net, int index, int first)
{
  g_autofree char *inputs = g_strdup_printf ("\"%s\"", take (net, first));
  gboolean is_flat = g_test_rand_bit ();
  int n_rows = get_size (net, first, TRUE), n = get_size (net, first, FALSE);

  add_op (net, index, is_flat ? "Flatten" : "Transpose", inputs,
          is_flat ? ",\"attrs\":{\"axis\":0}" : "");
  add_tensor (net, "", is_flat ? 1 : n, is_flat ? n_rows * n : n_rows);
}

/* The last tensor is made by op @index. */
static void
name_last (Net *net, int index)
{
  char **name = (char **) &net->names->pdata[net->names->len - 1];

  g_free (*name);
  *name = g_strdup_printf ("t%d", index);
}

static void
add_next (Net *net, int index)
{
  static const char *const types[] = { "Relu", "Relu", "Tanh", "Flatten" };
  int last = (int) net->names->len - 1;
  int row = g_test_rand_int_range (0, G_N_ELEMENTS (types));
  g_autofree char *input = g_strdup_printf ("\"%s\"", take (net, last));

  if (g_test_rand_int_range (0, 30) == 0)
    add_product (net, index, last);
  else
    {
      add_op (net, index, types[row], input, "");
      add_tensor (net, "", get_size (net, last, TRUE),
                  get_size (net, last, FALSE));
    }
  name_last (net, index);
}

static void
add_any (Net *net, int index)
{
  int first = pick (net, -1), what = g_test_rand_int_range (0, 10);

  if (what == 0)
    add_turned (net, index, first);
  else if (what < 3)
    add_join (net, index, first);
  else if (what < 5)
    add_product (net, index, first);
  else
    add_simple (net, index, first);
  name_last (net, index);
}

/* What nobody reads, and some others, are outputs. */
static TpGraph *
finish_net (Net *net)
{
  g_autoptr (GString) outputs = g_string_new (NULL);
  FuseCase it = { .name = "random" };

  for (guint i = 1; i < net->names->len; i++)
    if (!g_hash_table_contains (net->read, net->names->pdata[i])
        || g_test_rand_int_range (0, 20) == 0)
      g_string_append_printf (outputs, "%s\"%s\"", outputs->len > 0 ? "," : "",
                              (char *) net->names->pdata[i]);
  it.outputs = outputs->str;
  it.ops = net->ops->str;
  return fuse_case_load (&it);
}

TpGraph *
random_net_new (gboolean is_chain, int n_ops)
{
  Net net = { g_string_new (NULL), g_ptr_array_new_with_free_func (g_free),
              g_array_new (FALSE, FALSE, sizeof (int)),
              g_array_new (FALSE, FALSE, sizeof (int)),
              g_hash_table_new (g_str_hash, g_str_equal) };
  TpGraph *graph;

  add_tensor (&net, "m", 4, 4);
  for (int i = 0; i < n_ops; i++)
    if (is_chain)
      add_next (&net, i);
    else
      add_any (&net, i);
  graph = finish_net (&net);
  g_hash_table_unref (net.read);
  g_string_free (net.ops, TRUE);
  g_ptr_array_unref (net.names);
  g_array_unref (net.rows);
  g_array_unref (net.columns);
  return graph;
}
