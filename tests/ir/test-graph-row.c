/* test-graph-row.c: ops read from their text are what they are when they are parsed;
 * what is wrong is wrong in the same words. */
#include "config.h"

#include "format/graph-json-row.h"
#include "format/graph-load.h"
#include "ir/graph-digest.h"

#include <string.h>

#define N_OPS 5

/* @n_spaces before the first key of each op: with many it is not read from its text. */
static char *
write_graph (const char *ops, int n_spaces)
{
  g_autofree char *space = g_strnfill (n_spaces, ' ');
  g_autofree char *spaced = g_strconcat ("{", space, "\"type", NULL);
  g_auto (GStrv) parts = g_strsplit (ops, "{\"type", -1);
  g_autofree char *all = g_strjoinv (spaced, parts);

  return g_strconcat ("{\"format\": \"tplan-graph/1\", \"dims\": {\"N\": 2}, "
                      "\"inputs\": "
                      "[{\"name\": \"x\", \"shape\": [2, 3]}], \"ops\": [",
                      all, "], \"outputs\": [\"y\"]}", NULL);
}

/* The digest of the graph, or what is wrong with it. */
static char *
read_graph (const char *ops, int n_spaces)
{
  g_autofree char *text = write_graph (ops, n_spaces);
  g_autoptr (GError) error = NULL;
  g_autoptr (TpGraph) graph
      = tp_graph_load_json ("g.json", text, strlen (text), NULL, &error);

  g_assert_true ((graph == NULL) == (error != NULL));
  return graph != NULL ? tp_graph_digest (graph)
                       : g_strdup (error->message);
}

/* Which begin with line and column; the spaces move these, and what jansson quotes. */
static gboolean
is_syntax_error (const char *message)
{
  return strncmp (message, "g.json:", 7) == 0 && g_ascii_isdigit (message[7]);
}

/* Whether it is a graph. */
static gboolean
assert_same (const char *ops)
{
  g_autofree char *plain = read_graph (ops, 0);
  g_autofree char *parsed = read_graph (ops, TP_GRAPH_ROW_BYTES);

  if (!is_syntax_error (plain))
    g_assert_cmpstr (plain, ==, parsed);
  else if (!is_syntax_error (parsed))
    g_error ("%s\n%s\n%s", ops, plain, parsed);
  return strchr (plain, ' ') == NULL;
}

#define SHAPE "\"outputs\": [\"y\"], \"shapes\": [[2, 3]]"
#define COST "\"cost\": {\"cpu\": 5}"

static const struct
{
  const char *ops;
  gboolean is_graph, is_plain;
} cases[] = {
  { "{\"type\": \"A\", \"inputs\": [\"x\"], " COST ", " SHAPE "}", TRUE, TRUE },
  { "{\"type\":\"Relu\",\"inputs\":[\"x\"],\"outputs\":[\"y\"]}", TRUE, TRUE },
  { "\n{\"type\": \"A\",\t\"inputs\" : [ \"\" ,\"x\" ] ,\"cost\":{\"cpu\" : [ 5 , "
    "2 ] ,\"b\":0}, " SHAPE "\r\n}\n",
    TRUE, TRUE },
  { "{\"type\": \"A\", \"name\": \"a b\", " COST ", \"outputs\": [\"z\", \"y\"], "
    "\"shapes\": [[], [4]]}",
    TRUE, TRUE },
  { "{\"type\": \"A\\u0042\", " COST ", " SHAPE "}", TRUE, FALSE },
  { "{\"type\": \"A\", \"colocation\": \"k\", " COST ", " SHAPE "}", TRUE, FALSE },
  { "{\"type\": \"A\", \"device\": \"cpu\", " COST ", " SHAPE "}", TRUE, FALSE },
  { "{\"type\": \"\303\244\", " COST ", " SHAPE "}", TRUE, FALSE },
  { "{\"type\": \"A\", \"type\": \"A\", " COST ", " SHAPE "}", FALSE, FALSE },
  { "{\"type\": \"A\", \"cost\": {\"cpu\": 5, \"cpu\": 5}, " SHAPE "}", FALSE,
    FALSE },
  { "{\"type\": \"A\", \"cost\": {\"cpu\": 05}, " SHAPE "}", FALSE, FALSE },
  { "{\"type\": \"A\", \"cost\": {\"cpu\": -5}, " SHAPE "}", FALSE, FALSE },
  { "{\"type\": \"A\", \"cost\": {\"cpu\": 5.0}, " SHAPE "}", FALSE, FALSE },
  { "{\"type\": \"A\", \"cost\": {\"cpu\": 5e1}, " SHAPE "}", FALSE, FALSE },
  { "{\"type\": \"A\", \"cost\": {\"cpu\": [5]}, " SHAPE "}", FALSE, FALSE },
  { "{\"type\": \"A\", \"cost\": {\"cpu\": 2000000000000000000}, " SHAPE "}",
    FALSE, FALSE },
  { "{\"type\": \"A\", \"cost\": {}, " SHAPE "}", FALSE, FALSE },
  { "{\"type\": \"A\", " COST ", \"outputs\": [\"y\"], \"shapes\": [[2], [3]]}",
    FALSE, FALSE },
  { "{\"type\": \"A\", " COST ", \"outputs\": [\"y\"], \"shapes\": []}", FALSE,
    FALSE },
  { "{\"type\": \"A\", " COST ", \"outputs\": [\"y\"], \"shapes\": [[2,]]}", FALSE,
    FALSE },
  { "{\"type\": \"A\", " COST ", \"outputs\": [\"y\"], \"shapes\": "
    "[[1,1,1,1,1,1,1,1,1]]}",
    FALSE, FALSE },
  { "{\"type\": \"A\", " COST "}", FALSE, FALSE },
  { "{\"type\": \"A\", \"inputs\": [\"q\"], " COST ", " SHAPE "}", FALSE, TRUE },
  { "{\"type\": \"A\", \"inputs\": [\"x\" \"x\"], " COST ", " SHAPE "}", FALSE,
    FALSE },
  { "{\"type\": \"A\", \"inputs\": [\"x\n\"], " COST ", " SHAPE "}", FALSE, FALSE },
  { "{\"type\": \"A\", \"name\": \"\", " COST ", " SHAPE "}", FALSE, TRUE },
  { "{\"type\": \"\", " COST ", " SHAPE "}", FALSE, TRUE },
  { "{\"type\": \"A\", " SHAPE "}", FALSE, TRUE },
  { "{\"type\": \"A\", " COST ", " SHAPE ", \"no\": 1}", FALSE, FALSE },
  { "{\"type\": \"A\", " COST ", " SHAPE "} x", FALSE, FALSE },
  { "{\"type\": \"A\", " COST ", " SHAPE ",}", FALSE, FALSE },
  { "{\"type\": \"A\", " COST ", " SHAPE, FALSE, FALSE },
  { "{\"type\": \"A\", " COST ", " SHAPE "},", FALSE, TRUE },
};

static void
test_cases (void)
{
  g_autofree TpGraphRow *row = g_new (TpGraphRow, 1);

  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      const char *ops = cases[i].ops;
      gsize size = strlen (ops);

      size -= ops[size - 1] == ','; /* not of the element */
      g_test_message ("%s", ops);
      g_assert_true (tp_graph_row_scan (ops, size, row) == cases[i].is_plain);
      g_assert_true (assert_same (ops) == cases[i].is_graph);
    }
}

/* A chain whose first ops are of all forms. */
static GString *
make_ops (void)
{
  GString *ops = g_string_new (NULL);

  for (int i = 0; i < N_OPS; i++)
    g_string_append_printf (
        ops,
        "%s{\"type\": \"%s\", \"inputs\": [\"%s%.0d\"], \"cost\": {\"cpu\": %d, "
        "\"b\": [%d, 3]}, \"outputs\": [\"%s%.0d\"], \"shapes\": [[\"N\", 3]]%s}",
        i == 0 ? "" : ", ", i == 1 ? "Relu" : "My", i == 0 ? "x" : "t", i, i,
        7 * i, i == N_OPS - 1 ? "y" : "t", i == N_OPS - 1 ? 0 : i + 1,
        g_test_rand_int_range (0, 3) == 0 ? ", \"attrs\": {}" : "");
  return ops;
}

static void
test_random (void)
{
  static const char bytes[] = "[]{},:\"\\ 10-.txy";
  int n_graphs = 0, n = g_test_quick () ? 3000 : 100000;

  for (int i = 0; i < n; i++)
    {
      g_autoptr (GString) ops = make_ops ();
      gsize at = g_test_rand_int_range (0, (int) ops->len);
      char byte = bytes[g_test_rand_int_range (0, sizeof bytes - 1)];

      switch (i % 4)
        {
        case 0:
          break;
        case 1:
          g_string_erase (ops, at, 1);
          break;
        case 2:
          g_string_insert_c (ops, at, byte);
          break;
        default:
          ops->str[at] = byte;
        }
      n_graphs += assert_same (ops->str);
    }
  g_assert_cmpint (n_graphs, >, n / 20);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/graph-row/cases", test_cases);
  g_test_add_func ("/graph-row/random", test_random);
  return g_test_run ();
}
