/* mix-load.c: see mix-load.h. */
#include "config.h"

#include "format/mix-load.h"

#include "format/file.h"
#include "format/gzip.h"
#include "format/json-read.h"
#include "format/json-rows.h"
#include "format/mix-json.h"
#include "format/plan-json.h"
#include "format/plan-load.h"
#include "format/plan-read-body.h"
#include "format/plan-read-load.h"
#include "ir/foreign-text.h"
#include "ir/near-name.h"
#include "ir/pools.h"
#include "ir/text.h"

#include <string.h>

#define MAX_BYTES (G_GINT64_CONSTANT (2) << 30)

typedef struct
{
  TpPlanReader reader;        /* of what is not in a plan */
  const TpMixSource *source;
  TpJsonRows rows;            /* the plans */
  json_t *root;               /* without them */
  TpMix *mix;
} Mix;

static void
mix_clear (Mix *it)
{
  tp_json_rows_clear (&it->rows);
  g_clear_pointer (&it->root, json_decref);
  g_clear_pointer (&it->mix, tp_mix_free);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Mix, mix_clear)

/* ---- what is not in a plan ------------------------------------------------ */

static gboolean
check_keys (const Mix *it, GError **error)
{
  static const char *const known[]
      = { "format", "parts", "memory_limits", "memory_reserves", "load_ns",
          "load_low_ns", "load_high_ns", "load_bound_ns", "loads",
          "load_tree", "load_weights", "load_flows",
          "load_share_units", "load_shares", "load_room",
          "plans", "sha256", NULL };
  const char *key;
  json_t *value;

  json_object_foreach (it->root, key, value)
    if (!g_strv_contains (known, key))
      {
        g_autofree char *near = tp_near_name_ask (key, known);

        return tp_plan_read_fail (&it->reader, error, key, "unknown key%s",
                                  near);
      }
  return g_strcmp0 (json_string_value (json_object_get (it->root, "format")),
                    TP_MIX_FORMAT) == 0
         || tp_plan_read_fail (&it->reader, error, "format",
                               "this tplan reads " TP_MIX_FORMAT);
}

static gboolean
read_part (TpPlanPlace place, TpMixPart *part, GError **error)
{
  const char *name;

  if (json_object_size (place.json) != 4)
    return tp_plan_read_fail (place.reader, error, place.path,
                              "not {name, runs, span_ns, in_round}");
  if (!tp_plan_read_string (place, "name", FALSE, &name, error)
      || !tp_plan_read_number (place, "runs", &part->rate.n_runs, error)
      || !tp_plan_read_number (place, "span_ns", &part->rate.span_ns, error)
      || !tp_plan_read_number (place, "in_round", &part->n_runs, error))
    return FALSE;
  part->name = g_strdup (name);
  return (tp_mix_rate_is_good (part->rate) && part->n_runs > 0
          && part->n_runs <= TP_MIX_MOST_RUNS)
         || tp_plan_read_fail (place.reader, error, place.path,
                               "no such rate, or no such runs in a round");
}

static gboolean
read_parts (Mix *it, GError **error)
{
  const TpPlanPlace root = { &it->reader, "", it->root };
  json_t *list;
  gsize n;

  if (!tp_plan_read_list (root, "parts", -1, &list, error))
    return FALSE;
  n = json_array_size (list);
  if (n < 1 || n > TP_MIX_MOST_PARTS)
    return tp_plan_read_fail (&it->reader, error, "parts",
                              "not a list of 1 to %d", TP_MIX_MOST_PARTS);
  it->mix = tp_mix_new ((int) n);
  for (gsize i = 0; i < n; i++)
    {
      char path[32];
      TpPlanPlace place = { &it->reader, path, json_array_get (list, i) };

      g_snprintf (path, sizeof path, "parts[%zu]", i);
      if (!read_part (place, &it->mix->parts[i], error))
        return FALSE;
    }
  return TRUE;
}

/* Once the plans are read, whose devices it is of. */
static gboolean
read_limits (Mix *it, GError **error)
{
  const TpPlanPlace root = { &it->reader, "", it->root };

  return tp_plan_read_limits (
      root, tp_pools_count_rows (it->mix->parts[0].plan->costs),
      &it->mix->memory_limits, &it->mix->memory_reserves, error);
}

/* ---- plans ---------------------------------------------------------------- */

/* The text of the next, as it would be in a file of its own; NULL: there is none. */
static GBytes *
take_plan (Mix *it)
{
  const char *text;
  gsize size;
  g_autoptr (GString) own = g_string_new (NULL);

  if (!tp_json_rows_peek (&it->rows, &text, &size))
    return NULL;
  tp_json_rows_skip (&it->rows);
  for (; size > 0 && g_ascii_isspace (*text); size--)
    text++;
  while (size > 0 && g_ascii_isspace (text[size - 1]))
    size--;
  tp_text_append_len (own, text, size);
  tp_text_append_c (own, '\n');
  return g_string_free_to_bytes (g_steal_pointer (&own));
}

/* Engines and limits are those of the first. */
static gboolean
check_devices (const Mix *it, int i, GError **error)
{
  const TpMixPart *parts = it->mix->parts;

  return g_strv_equal ((const char *const *) parts[i].plan->devices,
                       (const char *const *) parts[0].plan->devices)
         || tp_plan_read_fail (&it->reader, error, "plans",
                               "that of '%s' is for other devices than that of "
                               "'%s': plan both together",
                               parts[i].name, parts[0].name);
}

static gboolean
read_plan (Mix *it, const TpLoadOptions *options, int i, GError **error)
{
  TpMixPart *part = &it->mix->parts[i];
  g_autoptr (GBytes) bytes = take_plan (it);
  const TpPlanSource source = {
    .path = it->reader.path,
    .bytes = bytes,
    .graph = it->source->graphs != NULL ? it->source->graphs[i] : NULL,
  };

  if (bytes == NULL)
    return tp_plan_read_fail (&it->reader, error, "plans",
                              "not one for each part");
  part->plan = tp_plan_read_from (&source, options, &part->graph, error);
  if (part->plan == NULL)
    g_prefix_error (error, "%s: ", part->name);
  return part->plan != NULL && check_devices (it, i, error);
}

static gboolean
read_plans (Mix *it, const TpLoadOptions *options, GError **error)
{
  const char *text;
  gsize size;

  if (it->source->graphs != NULL && it->source->n_graphs != it->mix->n_parts)
    return tp_plan_read_fail (&it->reader, error, "parts",
                              "%d, and %d graphs were given", it->mix->n_parts,
                              it->source->n_graphs);
  for (int i = 0; i < it->mix->n_parts; i++)
    if (!read_plan (it, options, i, error))
      return FALSE;
  return !tp_json_rows_peek (&it->rows, &text, &size)
         || tp_plan_read_fail (&it->reader, error, "plans",
                               "more than one for each part");
}

/* ---- all ------------------------------------------------------------------ */

/* Which says the same, however the file is laid out. */
static gboolean
check_digest (const Mix *it, GError **error)
{
  const char *said = json_string_value (json_object_get (it->root, "sha256"));
  g_autofree char *text = tp_mix_to_json (it->mix);
  const char *digest = text + strlen (text) - strlen (TP_PLAN_TAIL)
                       - TP_PLAN_DIGEST_LENGTH;

  if (said != NULL && strlen (said) == TP_PLAN_DIGEST_LENGTH
      && memcmp (said, digest, TP_PLAN_DIGEST_LENGTH) == 0)
    return TRUE;
  return tp_plan_read_fail (&it->reader, error, "sha256",
                            "the file says %.64s but its content is %.64s, so "
                            "it was changed",
                            said == NULL ? "nothing" : said, digest);
}

static gboolean
read_all (Mix *it, GBytes *bytes, const TpLoadOptions *options, GError **error)
{
  gsize size;
  const char *text = g_bytes_get_data (bytes, &size);
  TpPlanPlace root = { &it->reader, "", NULL };

  if (!tp_mix_is (text, size)
      || !tp_json_rows_init (&it->rows, text, size, "plans"))
    return tp_plan_read_fail (&it->reader, error, "start",
                              "not plans in format " TP_MIX_FORMAT
                              ", or cut short");
  it->root = tp_json_parse (it->reader.path, it->rows.rest->str,
                            it->rows.rest->len, error);
  root.json = it->root;
  return it->root != NULL && check_keys (it, error) && read_parts (it, error)
         && read_plans (it, options, error) && read_limits (it, error)
         && tp_plan_read_loads (root, it->mix->parts[0].plan->n_devices,
                                it->mix->n_parts, &it->mix->proof, error)
         && tp_plan_read_room_of_parts (root, it->mix->n_parts, it->mix->proof,
                                        error)
         && check_digest (it, error);
}

TpMix *
tp_mix_read_from (const TpMixSource *source, const TpLoadOptions *options,
                  GError **error)
{
  g_auto (Mix) it = { .reader = { .path = source->path, .options = options },
                      .source = source };
  g_autoptr (GBytes) file
      = source->bytes != NULL
            ? g_bytes_ref (source->bytes)
            : tp_file_load (source->path, TP_FILE_PLAIN, error);
  gsize size = 0;
  const void *start = file == NULL ? NULL : g_bytes_get_data (file, &size);
  g_autoptr (GBytes) bytes = NULL;

  if (file == NULL)
    return NULL;
  bytes = tp_gzip_is (start, size)
              ? tp_gzip_unpack (source->path, file, MAX_BYTES, error)
              : g_bytes_ref (file);
  if (bytes != NULL && read_all (&it, bytes, options, error))
    return g_steal_pointer (&it.mix);
  tp_foreign_text_clean_error (error);
  return NULL;
}
