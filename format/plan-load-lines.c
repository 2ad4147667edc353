/* plan-load-lines.c: see plan-load-lines.h.
 *
 * Most of a large plan is numbers, which are read, and compared with their text, in
 * another thread while the graph is made. */
#include "config.h"

#include "format/plan-load-lines.h"

#include "format/json-read.h"
#include "format/plan-json.h"
#include "format/plan-read-body.h"
#include "format/plan-read-graph.h"
#include "format/plan-read-head.h"
#include "format/plan-read-tables.h"
#include "ir/beside.h"
#include "ir/digest.h"

#include <string.h>

#define LONG_BYTES (256 << 10) /* of text that is worth a thread: milliseconds */

/* What is read beside the graph. */
typedef struct
{
  TpPlanPlace root;
  TpPlanReader reader;        /* borrows all; knows no graph */
  TpPlan *plan;               /* its tables only, with what they need */
  TpCostRows rows;
  TpPlanSpan text;            /* all that is signed */
  const char *end;            /* of the tables; NULL: they are not as written */
  char *digest;
} Tables;

static void
tables_clear (Tables *tables)
{
  g_clear_pointer (&tables->plan, tp_plan_unref);
  g_free (tables->digest);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Tables, tables_clear)

static gboolean
is_long (TpPlanSpan text)
{
  return text.end - text.at >= LONG_BYTES;
}

static const char *
find_line (const TpPlanReader *reader, const char *key)
{
  return tp_plan_lines_find_line (reader->lines, key);
}

static gboolean
count_rows (TpPlanPlace root, const char *key, int *out_n)
{
  g_auto (TpPlanRows) rows = { 0 };

  if (!tp_plan_read_rows (root, key, -1, &rows, NULL))
    return FALSE;
  *out_n = rows.n;
  return TRUE;
}

/* With as many rows as there stand: whether that is right, the graph will tell. FALSE:
 * there are no tables. */
static gboolean
tables_init (Tables *tables, TpPlanPlace root, const TpPlan *head)
{
  TpPlan *plan = tables->plan = tp_plan_new ();
  const json_t *price = json_object_get (root.json, "tie_price_ns");

  tables->reader = *root.reader;
  tables->root = (TpPlanPlace){ &tables->reader, root.path, root.json };
  plan->n_devices = head->n_devices;
  plan->devices = g_strdupv (head->devices);
  plan->is_simulated = head->is_simulated;
  plan->costs_digest = g_strdup (head->costs_digest);
  plan->tie_price_ns = json_integer_value (price);
  return find_line (root.reader, "host") != NULL
         && count_rows (root, "op_costs", &tables->rows.n_nodes)
         && count_rows (root, "group_costs", &tables->rows.n_groups)
         && count_rows (root, "to_device_costs", &tables->rows.n_tensors);
}

static void
read_tables (gpointer data)
{
  Tables *it = data;
  const TpPlanSpan text = { find_line (it->root.reader, "host"),
                            it->text.end };

  if (!tp_plan_read_tables (it->root, &it->rows, it->plan, NULL))
    return;
  it->end = tp_plan_skip_part (it->plan, NULL, TP_PLAN_PART_TABLES, text);
  it->digest = tp_digest_bytes (it->text.at, it->text.end - it->text.at);
}

/* Whether they fit the graph and the groups of @plan, which then has them. */
static gboolean
take_tables (Tables *tables, const TpPlanReader *reader, TpPlan *plan)
{
  TpPlan *from = tables->plan;

  if (tables->end == NULL || tables->rows.n_nodes != reader->graph->n_nodes
      || tables->rows.n_tensors != reader->graph->n_tensors
      || tables->rows.n_groups != plan->all_groups->n_groups)
    return FALSE;
  plan->costs = g_steal_pointer (&from->costs);
  plan->certificate = g_steal_pointer (&from->certificate);
  plan->flows = g_steal_pointer (&from->flows);
  plan->tie_flows = g_steal_pointer (&from->tie_flows);
  plan->n_flows = from->n_flows;
  return TRUE;
}

/* The graph's digest, and the text of its tensors, compared beside what else there is. */
typedef struct
{
  const TpPlan *plan;         /* its head */
  const TpPlanReader *reader;
  TpPlanSpan text;            /* after it, @at is where it ends, or NULL */
  gboolean is_graph;          /* that of the plan */
} Tensors;

static void
check_tensors (gpointer data)
{
  Tensors *it = data;

  it->text.at = tp_plan_skip_part (it->plan, it->reader->graph,
                                   TP_PLAN_PART_TENSORS, it->text);
  it->is_graph = tp_plan_check_graph (it->reader, it->plan,
                                      it->reader->graph, NULL);
}

/* Whether all parts but tensors and tables stand where they should. */
static gboolean
has_places (const TpPlan *plan, const Tables *tables,
            const TpPlanReader *reader)
{
  static const TpPlanPart parts[]
      = { TP_PLAN_PART_HEAD, TP_PLAN_PART_PLACES, TP_PLAN_PART_PROOFS };
  const char *const begins[]
      = { tables->text.at, find_line (reader, "ops"), tables->end };
  const char *const ends[] = { find_line (reader, "tensors"),
                               find_line (reader, "host"), tables->text.end };

  for (gsize i = 0; i < G_N_ELEMENTS (parts); i++)
    if (begins[i] == NULL || ends[i] == NULL
        || tp_plan_skip_part (plan, reader->graph, parts[i],
                              (TpPlanSpan){ begins[i], tables->text.end })
               != ends[i])
      return FALSE;
  return TRUE;
}

static gboolean
is_signed (const Tables *tables)
{
  const gsize key = strlen (TP_PLAN_DIGEST_KEY);
  const char *at = tables->text.end;

  return memcmp (at, TP_PLAN_DIGEST_KEY, key) == 0
         && strlen (tables->digest) == TP_PLAN_DIGEST_LENGTH
         && memcmp (at + key, tables->digest, TP_PLAN_DIGEST_LENGTH) == 0
         && memcmp (at + key + TP_PLAN_DIGEST_LENGTH, TP_PLAN_TAIL,
                    strlen (TP_PLAN_TAIL)) == 0;
}

/* All but the head, from text that is what is written of it. FALSE, with @error or
 * without: it is not. */
static gboolean
read_rest (TpPlanPlace root, TpPlan *plan, Tables *tables, TpBeside *beside,
           GError **error)
{
  const TpPlanReader *reader = root.reader;
  Tensors tensors = { plan, reader,
                      { find_line (reader, "tensors"), tables->text.end },
                      FALSE };
  g_auto (TpBeside) second = { 0 };
  gboolean is_good;

  if (tensors.text.at == NULL || !tp_plan_read_places (root, plan, error)
      || plan->peak_bytes == NULL || plan->weight_bytes == NULL
      || !tp_beside_end (beside, error) || !take_tables (tables, reader, plan)
      || !tp_plan_read_proofs (root, plan, error) || !is_signed (tables))
    return FALSE;
  tp_beside_begin (&second, check_tensors, &tensors, "to read this plan",
                   is_long (tables->text));
  is_good = has_places (plan, tables, reader);
  return tp_beside_end (&second, error) && is_good && tensors.is_graph
         && tensors.text.at == find_line (reader, "ops");
}

/* What @reader reads, whose lines there are, and whose devices are none yet. Errors as
 * of read_rest (). */
static TpGraph *
load (TpPlanReader *reader, const json_t *json, TpPlanSpan text, TpPlan *plan,
      GError **error)
{
  TpPlanPlace root = { reader, "", json };
  g_autoptr (TpGraph) graph = NULL;
  g_auto (Tables) tables = { .text = text };
  g_auto (TpBeside) beside = { 0 };

  tp_plan_reader_init (reader);
  if (!tp_plan_read_head (root, plan, error)
      || !tables_init (&tables, root, plan))
    return NULL;
  tp_beside_begin (&beside, read_tables, &tables, "to read this plan",
                   is_long (text));
  reader->graph = graph = tp_plan_read_graph (reader, plan, error);
  return graph != NULL && read_rest (root, plan, &tables, &beside, error)
             ? g_steal_pointer (&graph)
             : NULL;
}

TpGraph *
tp_plan_load_lines (const TpPlanReader *whole, GBytes *bytes, TpPlan *plan,
                    GError **error)
{
  const gsize end = strlen (TP_PLAN_DIGEST_KEY) + TP_PLAN_DIGEST_LENGTH
                    + strlen (TP_PLAN_TAIL);
  gsize size;
  const char *text = g_bytes_get_data (bytes, &size);
  g_auto (TpPlanReader) reader = { .path = whole->path,
                                   .source = whole->source,
                                   .options = whole->options,
                                   .lines = tp_plan_lines_new (text, size) };
  g_autoptr (json_t) json = NULL;
  g_autoptr (GError) local = NULL;
  TpGraph *graph = NULL;

  if (reader.lines == NULL || size < end)
    return NULL;
  json = json_loadb (tp_plan_lines_get_rest (reader.lines)->str,
                     tp_plan_lines_get_rest (reader.lines)->len,
                     JSON_REJECT_DUPLICATES, NULL);
  if (json != NULL && tp_plan_check_format (&reader, json, NULL))
    graph = load (&reader, json, (TpPlanSpan){ text, text + size - end }, plan,
                  &local);
  if (g_error_matches (local, TPLAN_ERROR, TPLAN_ERROR_MEMORY))
    g_propagate_error (error, g_steal_pointer (&local));
  return graph;
}
