/* plan-load.c: plans read back: bytes, digest, graph, then everything else. */
#include "config.h"

#include "format/plan-load.h"

#include "format/file.h"
#include "format/gzip.h"
#include "format/json-read.h"
#include "format/plan-json.h"
#include "format/plan-load-lines.h"
#include "format/plan-read-body.h"
#include "format/plan-read-graph.h"
#include "format/plan-read-head.h"
#include "format/plan-read-same.h"
#include "format/plan-read-tables.h"
#include "format/plan-read.h"
#include "format/tiers.h"
#include "ir/digest.h"
#include "ir/foreign-text.h"
#include "ir/plan-memory.h"

#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define LOAD_MAX_BYTES (G_GINT64_CONSTANT (2) << 30)

gboolean
tp_plan_is_plan (const char *text, gsize size)
{
  return tp_json_starts_as (text, size, TP_PLAN_FORMATS);
}

static GBytes *
take_bytes (const TpPlanReader *reader, GBytes *bytes, GError **error)
{
  gsize size = g_bytes_get_size (bytes);

  if (size > 0 && size <= LOAD_MAX_BYTES)
    return g_bytes_ref (bytes);
  tp_plan_read_fail (reader, error, "start", "%s",
                     size == 0 ? "there are no bytes" : "more than 2 GiB");
  return NULL;
}

static GBytes *
read_bytes (const TpPlanReader *reader, GError **error)
{
  struct stat info;

  if (reader->source->bytes != NULL)
    return take_bytes (reader, reader->source->bytes, error);
  if (stat (reader->path, &info) != 0 || S_ISDIR (info.st_mode)
      || (S_ISREG (info.st_mode) && info.st_size <= LOAD_MAX_BYTES))
    return tp_file_load (reader->path, TP_FILE_COPY, error);
  tp_plan_read_fail (reader, error, "file",
                     "not a regular file of less than 2 GiB");
  return NULL;
}

/* Unpacked, where they are packed. */
static GBytes *
load_bytes (const TpPlanReader *reader, GError **error)
{
  g_autoptr (GBytes) bytes = read_bytes (reader, error);
  gsize size = 0;
  const void *start
      = bytes == NULL ? NULL : g_bytes_get_data (bytes, &size);

  if (bytes == NULL || !tp_gzip_is (start, size))
    return g_steal_pointer (&bytes);
  return tp_gzip_unpack (reader->path, bytes, LOAD_MAX_BYTES, error);
}

/* Whether the file ends in the digest of its bytes. */
static gboolean
load_check_digest (const TpPlanReader *reader, const char *text, gsize size,
                   GError **error)
{
  const gsize key = strlen (TP_PLAN_DIGEST_KEY), tail = strlen (TP_PLAN_TAIL);
  const gsize end = key + TP_PLAN_DIGEST_LENGTH + tail;
  g_autofree char *digest = NULL;
  const char *last = text + size - end;

  if (size < end || memcmp (last, TP_PLAN_DIGEST_KEY, key) != 0
      || memcmp (text + size - tail, TP_PLAN_TAIL, tail) != 0)
    return tp_plan_read_fail (reader, error, "end",
                              "the plan does not end in its sha256, so it was "
                              "cut short or changed");
  digest = tp_digest_bytes (text, size - end);
  if (memcmp (last + key, digest, TP_PLAN_DIGEST_LENGTH) != 0)
    return tp_plan_read_fail (reader, error, "sha256",
                              "the file says %.64s but its bytes are %s, so it "
                              "was changed",
                              last + key, digest);
  return TRUE;
}

static json_t *
load_parse (const TpPlanReader *reader, const char *text, gsize size,
            GError **error)
{
  json_error_t where;
  json_t *root;
  g_autofree char *place = NULL;

  if (text == NULL || !tp_plan_is_plan (text, size))
    {
      tp_plan_read_fail (reader, error, "start",
                         size == 0 ? "the file is empty"
                                   : "not a plan in format " TP_PLAN_FORMAT);
      return NULL;
    }
  if (!tp_json_load (text, size, &root, &where, error))
    {
      g_prefix_error (error, "%s: ", reader->path);
      return NULL;
    }
  if (root != NULL || !load_check_digest (reader, text, size, error))
    return root;
  place = g_strdup_printf ("%d:%d", where.line, where.column);
  tp_plan_read_fail (reader, error, place, "%s", where.text);
  return NULL;
}

/* Fills @plan; its graph, or NULL. */
static TpGraph *
load_all (TpPlanReader *reader, const json_t *json, TpPlan *plan,
          GError **error)
{
  TpPlanPlace root = { reader, "", json };
  g_autoptr (TpGraph) graph = NULL;

  TpCostRows rows;

  tp_plan_reader_init (reader);
  if (!tp_plan_read_head (root, plan, error))
    return NULL;
  graph = tp_plan_read_graph (reader, plan, error);
  if (graph == NULL || !tp_plan_check_graph (reader, plan, graph, error))
    return NULL;
  reader->graph = graph;
  if (!tp_plan_read_places (root, plan, error))
    return NULL;
  rows = (TpCostRows){ graph->n_nodes, plan->all_groups->n_groups,
                       graph->n_tensors };
  if (!tp_plan_read_tables (root, &rows, plan, error)
      || !tp_plan_read_proofs (root, plan, error))
    return NULL;
  if (plan->peak_bytes == NULL || plan->weight_bytes == NULL)
    tp_plan_count_memory (plan, graph); /* the text will tell what lacks */
  return g_steal_pointer (&graph);
}

/* Says what the file does, in the text that it should have; that text is signed
 * where the bytes are not. */
static gboolean
load_check_text (TpPlanPlace root, const TpPlan *plan, const TpGraph *graph,
                 GBytes *bytes, GError **error)
{
  gsize size;
  const char *have = g_bytes_get_data (bytes, &size);
  const char *said = json_string_value (json_object_get (root.json, "sha256"));
  g_autofree char *text = tp_plan_to_json (plan, graph);
  const char *digest = text + strlen (text) - strlen (TP_PLAN_TAIL)
                       - TP_PLAN_DIGEST_LENGTH;

  if (strlen (text) == size && memcmp (text, have, size) == 0)
    return TRUE;
  if (!tp_plan_read_same (root, text, error))
    return FALSE;
  if (load_check_digest (root.reader, have, size, NULL)
      || (said != NULL && strlen (said) == TP_PLAN_DIGEST_LENGTH
          && memcmp (said, digest, TP_PLAN_DIGEST_LENGTH) == 0))
    return TRUE;
  return tp_plan_read_fail (root.reader, error, "sha256",
                            "the file says %.64s but its content is %.64s, so "
                            "it was changed",
                            said == NULL ? "nothing" : said, digest);
}

/* Fills @plan; its graph, or NULL. */
static TpGraph *
load_checked (TpPlanReader *reader, GBytes *bytes, TpPlan *plan,
              GError **error)
{
  gsize size;
  const char *text = g_bytes_get_data (bytes, &size);
  g_autoptr (json_t) json = load_parse (reader, text, size, error);
  TpPlanPlace root = { reader, "", json };
  g_autoptr (TpGraph) graph = NULL;

  if (json != NULL && tp_plan_check_format (reader, json, error))
    graph = load_all (reader, json, plan, error);
  if (graph != NULL && !load_check_text (root, plan, graph, bytes, error))
    g_clear_pointer (&graph, tp_graph_unref);
  return g_steal_pointer (&graph);
}

/* What was asked of a plan is what it says; of the one that was picked from tiers,
 * or less. */
static gboolean
check_dims (const TpPlanReader *reader, const TpPlan *plan, gboolean is_picked,
            GError **error)
{
  const TpDims *dims = reader->options->dims;

  for (int i = 0; dims != NULL && i < tp_dims_size (dims); i++)
    {
      const char *name = tp_dims_get_name (dims, i);
      const gint64 *own = tp_dims_find (plan->dims, name);
      gint64 value = *tp_dims_find (dims, name);

      if (own != NULL && (*own == value || (is_picked && *own > value)))
        continue;
      g_set_error (error, TPLAN_ERROR, TPLAN_ERROR_USAGE,
                   "%s: the plan is not for %s=%" G_GINT64_FORMAT ": make one "
                   "that is with `tplan optimize`", reader->path, name,
                   value);
      return FALSE;
    }
  return TRUE;
}

TpPlan *
tp_plan_read_from (const TpPlanSource *source, const TpLoadOptions *options,
                   TpGraph **out_graph, GError **error)
{
  g_auto (TpPlanReader) reader
      = { .path = source->path, .source = source, .options = options };
  g_autoptr (TpPlan) plan = tp_plan_new ();
  g_autoptr (GBytes) file = load_bytes (&reader, error);
  g_autoptr (GBytes) bytes
      = file == NULL
            ? NULL
            : tp_tiers_pick (file, source->path, options->dims, error);
  g_autoptr (GError) local = NULL;
  TpGraph *graph
      = bytes == NULL ? NULL
                      : tp_plan_load_lines (&reader, bytes, plan, &local);

  if (local != NULL)
    g_propagate_error (error, g_steal_pointer (&local));
  else if (graph == NULL && bytes != NULL)
    {
      tp_plan_unref (g_steal_pointer (&plan));
      plan = tp_plan_new ();
      graph = load_checked (&reader, bytes, plan, error);
    }
  if (graph != NULL && !check_dims (&reader, plan, bytes != file, error))
    g_clear_pointer (&graph, tp_graph_unref);
  if (graph == NULL)
    {
      tp_foreign_text_clean_error (error);
      return NULL;
    }
  *out_graph = graph;
  return g_steal_pointer (&plan);
}

TpPlan *
tp_plan_load (const char *path, TpGraph **out_graph, GError **error)
{
  const TpPlanSource source = { .path = path };

  return tp_plan_read_from (&source, &(TpLoadOptions){ 0 }, out_graph, error);
}
