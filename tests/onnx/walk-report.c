/* walk-report.c: what came out, for people and for programs. */
#include "config.h"

#include <jansson.h>
#include <string.h>

#include "tests/onnx/walk.h"

typedef struct
{
  const char *op;
  int n[ONNX_N_OUTCOMES];
} Row;

static Row *
get_row (GArray *rows, const char *op)
{
  Row row = { .op = op };

  for (guint i = 0; i < rows->len; i++)
    if (strcmp (g_array_index (rows, Row, i).op, op) == 0)
      return &g_array_index (rows, Row, i);
  g_array_append_val (rows, row);
  return &g_array_index (rows, Row, rows->len - 1);
}

static int
compare_rows (gconstpointer a, gconstpointer b)
{
  return strcmp (((const Row *) a)->op, ((const Row *) b)->op);
}

/* By op, sorted; the total last. */
static GArray *
make_rows (const OnnxWalk *walk)
{
  GArray *rows = g_array_new (FALSE, FALSE, sizeof (Row));
  Row total = { .op = "total" };

  for (guint i = 0; i < walk->cases->len; i++)
    {
      const OnnxCase *onnx_case = walk->cases->pdata[i];
      OnnxOutcome outcome = walk->results[i].outcome;

      get_row (rows, onnx_case->op)->n[outcome]++;
      total.n[outcome]++;
    }
  g_array_sort (rows, compare_rows);
  g_array_append_val (rows, total);
  return rows;
}

static void
append_reasons (const OnnxWalk *walk, GString *text)
{
  for (guint i = 0; i < walk->cases->len; i++)
    {
      const OnnxCase *onnx_case = walk->cases->pdata[i];
      const OnnxResult *result = &walk->results[i];

      if (result->outcome != ONNX_PASSED)
        g_string_append_printf (text, "%s: %s: %s\n", onnx_case->name,
                                onnx_outcome_get_name (result->outcome),
                                result->reason);
    }
}

char *
onnx_walk_to_table (const OnnxWalk *walk, gboolean is_verbose)
{
  g_autoptr (GArray) rows = make_rows (walk);
  g_autoptr (GString) text = g_string_new (NULL);

  if (is_verbose)
    append_reasons (walk, text);
  g_string_append_printf (text, "%-26s %8s %8s %12s %8s\n", walk->device,
                          "passed", "failed", "unsupported", "crashed");
  for (guint i = 0; i < rows->len; i++)
    {
      const Row *row = &g_array_index (rows, Row, i);

      g_string_append_printf (text, "%-26s %8d %8d %12d %8d\n", row->op,
                              row->n[ONNX_PASSED], row->n[ONNX_FAILED],
                              row->n[ONNX_UNSUPPORTED], row->n[ONNX_CRASHED]);
    }
  return g_string_free (g_steal_pointer (&text), FALSE);
}

/* ---- JSON ------------------------------------------------------------------- */

static json_t *
row_to_json (const Row *row)
{
  return json_pack ("{s:s, s:i, s:i, s:i, s:i}", "op", row->op, "passed",
                    row->n[ONNX_PASSED], "failed", row->n[ONNX_FAILED],
                    "unsupported", row->n[ONNX_UNSUPPORTED], "crashed",
                    row->n[ONNX_CRASHED]);
}

static json_t *
result_to_json (const OnnxCase *onnx_case, const OnnxResult *result)
{
  g_autofree char *reason = g_utf8_make_valid (result->reason, -1);

  return json_pack ("{s:s, s:s, s:s, s:i, s:i, s:I, s:s}", "name",
                    onnx_case->name, "op", onnx_case->op, "outcome",
                    onnx_outcome_get_name (result->outcome), "bound_inputs",
                    result->n_bound, "ops_run", result->n_nodes, "time_ns",
                    (json_int_t) result->time_ns, "reason", reason);
}

static json_t *
walk_to_json (const OnnxWalk *walk)
{
  g_autoptr (GArray) rows = make_rows (walk);
  json_t *ops = json_array (), *tests = json_array (), *total;

  for (guint i = 0; i + 1 < rows->len; i++)
    json_array_append_new (ops, row_to_json (&g_array_index (rows, Row, i)));
  total = row_to_json (&g_array_index (rows, Row, rows->len - 1));
  json_object_del (total, "op");
  for (guint i = 0; i < walk->cases->len; i++)
    json_array_append_new (tests, result_to_json (walk->cases->pdata[i],
                                                  &walk->results[i]));
  return json_pack ("{s:s, s:o, s:o, s:o}", "device", walk->device, "total",
                    total, "ops", ops, "tests", tests);
}

char *
onnx_walks_to_json (OnnxWalk *const *walks, int n_walks)
{
  json_t *devices = json_array (), *root;
  char *text, *copy;

  for (int i = 0; i < n_walks; i++)
    json_array_append_new (devices, walk_to_json (walks[i]));
  root = json_pack ("{s:s, s:i, s:o}", "format", "tplan-onnx-backend/1",
                    "tests", n_walks > 0 ? (int) walks[0]->cases->len : 0,
                    "devices", devices);
  text = json_dumps (root, JSON_INDENT (1));
  copy = g_strconcat (text, "\n", NULL);
  free (text);
  json_decref (root);
  return copy;
}
