/* plan-load.c: plans read back: bytes, digest, graph, then everything else. */
#include "config.h"

#include "format/plan-load.h"

#include "format/graph-load.h"
#include "format/gzip.h"
#include "format/json-read.h"
#include "format/load-options.h"
#include "format/plan-json.h"
#include "format/plan-read-body.h"
#include "format/plan-read-same.h"
#include "format/plan-read.h"
#include "format/tiers.h"
#include "graph/pass.h"
#include "ir/digest.h"
#include "ir/foreign-text.h"
#include "ir/graph-digest.h"
#include "ir/name-hash.h"
#include "ir/plan-memory.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define LOAD_MAX_BYTES (G_GINT64_CONSTANT (2) << 30)
#define LOAD_MAX_DEVICES 16

gboolean
tp_plan_is_plan (const char *text, gsize size)
{
  return tp_json_starts_as (text, size, TP_PLAN_FORMAT);
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
  g_autofree char *text = NULL;
  g_autoptr (GError) local = NULL;
  struct stat info;
  gsize size;

  if (reader->source->bytes != NULL)
    return take_bytes (reader, reader->source->bytes, error);
  if (stat (reader->path, &info) != 0)
    g_set_error (error, TPLAN_ERROR, TPLAN_ERROR_INPUT, "%s: cannot read: %s",
                 reader->path, g_strerror (errno));
  else if (!S_ISREG (info.st_mode) || info.st_size > LOAD_MAX_BYTES)
    tp_plan_read_fail (reader, error, "file",
                       "not a regular file of less than 2 GiB");
  else if (!g_file_get_contents (reader->path, &text, &size, &local))
    g_set_error (error, TPLAN_ERROR,
                 g_error_matches (local, G_FILE_ERROR, G_FILE_ERROR_NOMEM)
                     ? TPLAN_ERROR_MEMORY
                     : TPLAN_ERROR_INPUT,
                 "%s: cannot read: %s", reader->path, local->message);
  else
    return g_bytes_new_take (g_steal_pointer (&text), size);
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
                         text == NULL ? "the file is empty"
                                      : "not a plan in a format of "
                                        TP_PLAN_FORMATS);
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

/* The version of the format, or 0. */
static int
load_version (const TpPlanReader *reader, const json_t *root, GError **error)
{
  const char *format = json_string_value (json_object_get (root, "format"));

  for (int i = 1; i <= TP_PLAN_VERSION; i++)
    {
      char known[32];

      g_snprintf (known, sizeof known, TP_PLAN_FORMAT "%d", i);
      if (g_strcmp0 (format, known) == 0)
        return i;
    }
  tp_plan_read_fail (reader, error, "format", "this tplan reads %s",
                     TP_PLAN_FORMATS);
  return 0;
}

static gboolean
load_dims (TpPlanPlace root, TpPlan *plan, GError **error)
{
  json_t *dims = json_object_get (root.json, "dims"), *value;
  const char *name;

  if (dims == NULL)
    return TRUE;
  if (!json_is_object (dims))
    return tp_plan_read_fail (root.reader, error, "dims", "not an object");
  plan->dims = tp_dims_new ();
  json_object_foreach (dims, name, value)
    {
      TpPlanPlace place = { root.reader, "dims", value };
      gint64 number;

      if (!tp_plan_read_integer (place, 0, &number, error))
        return FALSE;
      tp_dims_set (plan->dims, name, number);
    }
  return TRUE;
}

/* A list that may be absent. */
static gboolean
load_names (TpPlanPlace root, const char *key, char ***out_names,
            GError **error)
{
  return json_object_get (root.json, key) == NULL
         || tp_plan_read_strings (root, key, out_names, error);
}

static TpPassOptions
get_passes (const TpPlan *plan)
{
  return (TpPassOptions){ .left_out = (const char *const *) plan->no_pass };
}

static gboolean
load_passes (TpPlanPlace root, TpPlan *plan, GError **error)
{
  g_autoptr (GError) local = NULL;
  TpPassOptions options;

  if (!load_names (root, "no_pass", &plan->no_pass, error))
    return FALSE;
  options = get_passes (plan);
  return tp_pass_check_options (&options, &local)
         || tp_plan_read_fail (root.reader, error, "no_pass", "%s",
                               local->message);
}

static gboolean
load_truth (TpPlanPlace root, const char *key, gboolean *out_value,
            GError **error)
{
  const json_t *value = json_object_get (root.json, key);

  *out_value = json_is_true (value);
  return json_is_boolean (value)
         || tp_plan_read_fail (root.reader, error, key, "not true or false");
}

/* Absent where it is the one that the plan was made on. */
static gboolean
load_machine (TpPlanPlace root, TpPlan *plan, GError **error)
{
  const char *text;

  if (json_object_get (root.json, "machine") == NULL)
    return TRUE;
  if (!tp_plan_read_string (root, "machine", FALSE, &text, error))
    return FALSE;
  plan->origin.machine = g_strdup (text);
  return plan->origin.facts != NULL
         || tp_plan_read_fail (root.reader, error, "machine",
                               "no facts of it");
}

/* How figures were looked up; once the devices are known. */
static gboolean
load_origin (TpPlanPlace root, TpPlan *plan, GError **error)
{
  TpPlanOrigin *origin = &plan->origin;
  gint64 n_threads;

  if (plan->version == 1)
    return TRUE;
  if (!load_names (root, "no_fuse", &plan->no_fuse, error)
      || !load_names (root, "facts", &origin->facts, error)
      || !tp_plan_read_number (root, "threads", &n_threads, error)
      || !load_truth (root, "exact", &origin->is_exact, error)
      || !load_truth (root, "trust_estimates", &origin->trusts_estimates,
                      error))
    return FALSE;
  origin->n_threads = (int) MIN (n_threads, G_MAXINT);
  if (!load_machine (root, plan, error))
    return FALSE;
  return origin->facts == NULL
         || (int) g_strv_length (origin->facts) == plan->n_devices
         || tp_plan_read_fail (root.reader, error, "facts",
                               "not one for each device");
}

static gboolean
load_devices (TpPlanPlace root, TpPlan *plan, GError **error)
{
  const TpPlanReader *reader = root.reader;

  if (!tp_plan_read_strings (root, "devices", &plan->devices, error))
    return FALSE;
  plan->n_devices = (int) g_strv_length (plan->devices);
  if (plan->n_devices < 1 || plan->n_devices > LOAD_MAX_DEVICES)
    return tp_plan_read_fail (reader, error, "devices", "%d devices",
                              plan->n_devices);
  for (int i = 0; i < plan->n_devices; i++)
    if (!tp_map_insert (reader->devices, plan->devices[i],
                        GINT_TO_POINTER (i + 1)))
      return tp_plan_read_fail (reader, error, "devices",
                                "'%s' stands there twice", plan->devices[i]);
  return TRUE;
}

static gboolean
load_head (TpPlanPlace root, TpPlan *plan, GError **error)
{
  struct
  {
    const char *key;
    gboolean is_nullable;
    char **target;
  } strings[] = {
    { "graph", TRUE, &plan->graph_path },
    { "graph_name", TRUE, &plan->graph_name },
    { "graph_sha256", FALSE, &plan->graph_digest },
    { "costs_sha256", FALSE, &plan->costs_digest },
    { "objective", FALSE, &plan->objective },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (strings); i++)
    {
      const char *text;

      if (!tp_plan_read_string (root, strings[i].key, strings[i].is_nullable,
                                &text, error))
        return FALSE;
      *strings[i].target = g_strdup (text);
    }
  return load_truth (root, "simulated", &plan->is_simulated, error)
         && load_names (root, "pins", &plan->pins, error)
         && load_passes (root, plan, error) && load_dims (root, plan, error)
         && load_devices (root, plan, error)
         && load_origin (root, plan, error);
}

/* The path as written, or beside the plan when only that exists. */
static char *
load_find_graph (const TpPlanReader *reader, const TpPlan *plan,
                 GError **error)
{
  const char *graph_path = reader->source->graph_path;
  g_autofree char *folder = g_path_get_dirname (reader->path);
  g_autofree char *beside = NULL;

  if (graph_path != NULL)
    return g_strdup (graph_path);
  if (plan->graph_path == NULL)
    {
      tp_plan_read_fail (reader, error, "graph", "names no file");
      return NULL;
    }
  beside = g_path_is_absolute (plan->graph_path)
               ? g_strdup (plan->graph_path)
               : g_build_filename (folder, plan->graph_path, NULL);
  /* A plan may not make us read pipes and devices; only the user may. */
  if (g_file_test (plan->graph_path, G_FILE_TEST_IS_REGULAR))
    return g_strdup (plan->graph_path);
  if (g_file_test (beside, G_FILE_TEST_IS_REGULAR))
    return g_steal_pointer (&beside);
  g_set_error (error, TPLAN_ERROR, TPLAN_ERROR_INPUT,
               "%s: graph: neither '%s' nor '%s' is a file: name the graph "
               "with --graph FILE",
               reader->path, plan->graph_path, beside);
  return NULL;
}

/* The graph as the planner saw it: its digest covers the pins too. */
static TpGraph *
load_pinned (const TpPlanReader *reader, const TpPlan *plan, const char *path,
             GError **error)
{
  TpLoadOptions options = *reader->options;
  const TpPassOptions passes = get_passes (plan);
  g_autoptr (TpGraph) raw = NULL;
  g_autoptr (TpGraph) prepared = NULL;
  g_autoptr (GError) local = NULL;
  TpGraph *pinned;

  options.dims = plan->dims;
  options.is_in_memory = reader->source->graph != NULL;
  raw = options.is_in_memory
            ? tp_graph_read_bytes (path, reader->source->graph, &options,
                                   &local)
            : tp_graph_read (path, &options, &local);
  if (g_error_matches (local, TPLAN_ERROR, TPLAN_ERROR_USAGE))
    tp_plan_read_fail (reader, error, "dims", "%s", local->message);
  else if (local != NULL)
    g_propagate_error (error, g_steal_pointer (&local));
  prepared = raw == NULL ? NULL
                         : tp_graph_prepare_taken (g_steal_pointer (&raw),
                                                   &passes, error);
  if (prepared == NULL)
    return NULL;
  pinned = tp_graph_pin (prepared, (const char *const *) plan->pins, &local);
  if (g_error_matches (local, TPLAN_ERROR, TPLAN_ERROR_MEMORY))
    g_propagate_error (error, g_steal_pointer (&local));
  else if (pinned == NULL)
    tp_plan_read_fail (reader, error, "pins", "%s", local->message);
  return pinned;
}

static TpGraph *
load_graph (const TpPlanReader *reader, const TpPlan *plan, GError **error)
{
  g_autofree char *path = reader->source->graph != NULL
                              ? g_strdup (TP_MODEL_IN_MEMORY)
                              : load_find_graph (reader, plan, error);
  g_autoptr (TpGraph) graph
      = path == NULL ? NULL : load_pinned (reader, plan, path, error);
  g_autofree char *digest = graph == NULL ? NULL : tp_graph_digest (graph);

  if (graph == NULL)
    return NULL;
  if (strcmp (digest, plan->graph_digest) == 0)
    return g_steal_pointer (&graph);
  g_set_error (error, TPLAN_ERROR, TPLAN_ERROR_INPUT,
               "%s: graph_sha256: the plan is for graph %s, but %s is graph "
               "%s: make a plan for it with `tplan optimize`",
               reader->path, plan->graph_digest, path, digest);
  return NULL;
}

/* Fills @plan; its graph, or NULL. */
static TpGraph *
load_all (TpPlanReader *reader, const json_t *json, TpPlan *plan,
          GError **error)
{
  TpPlanPlace root = { reader, "", json };
  g_autoptr (TpGraph) graph = NULL;

  reader->devices = tp_map_new (tp_name_hash, g_str_equal, NULL, NULL);
  reader->names = g_new0 (TpPlanNames, 1);
  if (!load_head (root, plan, error))
    return NULL;
  graph = load_graph (reader, plan, error);
  if (graph == NULL)
    return NULL;
  reader->graph = graph;
  if (!tp_plan_read_body (root, plan, error))
    return NULL;
  if (plan->peak_bytes == NULL || plan->weight_bytes == NULL)
    tp_plan_count_memory (plan, graph); /* left out, or of an old version */
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
  if (!tp_plan_read_same (root, plan->version, text, error))
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

  if (json != NULL)
    plan->version = load_version (reader, json, error);
  /* the text of format 1 is no text to compare with: keys may lack */
  if (json != NULL && plan->version > 0
      && (plan->version > 1 || load_check_digest (reader, text, size, error)))
    graph = load_all (reader, json, plan, error);
  if (graph != NULL && !load_check_text (root, plan, graph, bytes, error))
    g_clear_pointer (&graph, tp_graph_unref);
  return g_steal_pointer (&graph);
}

static void
reader_clear (TpPlanReader *reader)
{
  tp_plan_lines_free (reader->lines);
  if (reader->names != NULL)
    {
      tp_map_free (reader->names->nodes);
      tp_map_free (reader->names->tensors);
    }
  g_free (reader->names);
  tp_map_free (reader->devices);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (TpPlanReader, reader_clear)

/* Text as tplan writes it, its lists line by line. Whatever was made of them is
 * right if it is written as the same bytes. NULL without @error: it is not. */
static TpGraph *
load_by_lines (const TpPlanReader *whole, GBytes *bytes, TpPlan *plan,
               GError **error)
{
  gsize size;
  const char *text = g_bytes_get_data (bytes, &size);
  g_auto (TpPlanReader) reader = { .path = whole->path,
                                   .source = whole->source,
                                   .options = whole->options,
                                   .lines = tp_plan_lines_new (text, size) };
  g_autoptr (json_t) json = NULL;
  g_autoptr (TpGraph) graph = NULL;
  g_autoptr (GError) local = NULL;

  if (reader.lines == NULL)
    return NULL;
  json = json_loadb (tp_plan_lines_get_rest (reader.lines)->str,
                     tp_plan_lines_get_rest (reader.lines)->len,
                     JSON_REJECT_DUPLICATES, NULL);
  plan->version = json == NULL ? 0 : load_version (&reader, json, NULL);
  if (plan->version == TP_PLAN_VERSION)
    graph = load_all (&reader, json, plan, &local);
  if (g_error_matches (local, TPLAN_ERROR, TPLAN_ERROR_MEMORY))
    g_propagate_error (error, g_steal_pointer (&local));
  if (graph != NULL && tp_plan_has_text (plan, graph, text, size))
    return g_steal_pointer (&graph);
  return NULL;
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
tp_plan_load (const char *path, const char *graph_path, TpGraph **out_graph,
              GError **error)
{
  return tp_plan_read (path, graph_path, &(TpLoadOptions){ 0 }, out_graph,
                       error);
}

TpPlan *
tp_plan_read (const char *path, const char *graph_path,
              const TpLoadOptions *options, TpGraph **out_graph,
              GError **error)
{
  const TpPlanSource source = { .path = path, .graph_path = graph_path };

  return tp_plan_read_from (&source, options, out_graph, error);
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
      = bytes == NULL ? NULL : load_by_lines (&reader, bytes, plan, &local);

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
