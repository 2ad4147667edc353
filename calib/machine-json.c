/* machine-json.c: see machine-json.h. */
#include "config.h"

#include "calib/machine-json.h"

#include "calib/facts.h"
#include "calib/keys-check.h"
#include "include/tplan.h"
#include "ir/rate-text.h"

#include <string.h>

#define MAX_PROCESSORS 4096
#define MAX_CACHES 64         /* kinds of them */

static const char *const keys[]
    = { TP_FACT_PROCESSOR, "processors", "memory_bytes", "caches", "rates",
        NULL };
static const char *const cache_keys[]
    = { "level", "kind", "size_bytes", "shared_by", "count", NULL };

json_t *
tp_machine_info_to_json (const TpMachineInfo *info)
{
  g_autofree char *cpu = g_utf8_make_valid (info->cpu, -1);
  json_t *caches = json_array ();

  for (guint i = 0; i < info->caches->len; i++)
    {
      const TpMachineCache *it
          = &g_array_index (info->caches, TpMachineCache, i);

      json_array_append_new (
          caches, json_pack ("{s:i, s:s, s:I, s:i, s:i}", "level", it->level,
                             "kind", it->kind, "size_bytes",
                             (json_int_t) it->size_bytes, "shared_by",
                             it->shared_by, "count", it->count));
    }
  return json_pack ("{s:s, s:i, s:I, s:o}", TP_FACT_PROCESSOR, cpu,
                    "processors", info->processors, "memory_bytes",
                    (json_int_t) info->memory_bytes, "caches", caches);
}

/* A number from 0 to @most. */
typedef struct
{
  const char *key;
  gint64 most;
  gint64 *target;
} Number;

static gboolean
read_numbers (const json_t *object, const char *place, const Number *numbers,
              GError **error)
{
  for (; numbers->key != NULL; numbers++)
    {
      const json_t *value = json_object_get (object, numbers->key);

      *numbers->target = json_integer_value (value);
      if (json_is_integer (value) && *numbers->target >= 0
          && *numbers->target <= numbers->most)
        continue;
      g_set_error (error, TPLAN_ERROR, TPLAN_ERROR_INPUT,
                   "%s: '%s' must be an integer from 0 to %" G_GINT64_FORMAT,
                   place, numbers->key, numbers->most);
      return FALSE;
    }
  return TRUE;
}

static gboolean
read_cache_json (const json_t *json, const char *place, GArray *caches,
                 GError **error)
{
  const char *kind = json_string_value (json_object_get (json, "kind"));
  TpMachineCache cache = { 0 };
  gint64 level, shared_by, count;
  const Number numbers[]
      = { { "level", 99, &level },
          { "size_bytes", G_MAXINT64 / 4, &cache.size_bytes },
          { "shared_by", MAX_PROCESSORS, &shared_by },
          { "count", G_MAXINT32, &count },
          { NULL, 0, NULL } };

  if (!tp_keys_check (json, cache_keys, place, error))
    return FALSE;
  if (kind == NULL || strlen (kind) >= sizeof cache.kind)
    {
      g_set_error (error, TPLAN_ERROR, TPLAN_ERROR_INPUT,
                   "%s: 'kind' must be data, instruction or unified", place);
      return FALSE;
    }
  if (!read_numbers (json, place, numbers, error))
    return FALSE;
  g_strlcpy (cache.kind, kind, sizeof cache.kind);
  cache.level = (int) level;
  cache.shared_by = (int) shared_by;
  cache.count = (int) count;
  g_array_append_val (caches, cache);
  return TRUE;
}

static gboolean
read_caches (const json_t *list, GArray *caches, GError **error)
{
  gsize i;
  json_t *value;

  if (!json_is_array (list) || json_array_size (list) > MAX_CACHES)
    {
      g_set_error (error, TPLAN_ERROR, TPLAN_ERROR_INPUT,
                   "machine: 'caches' must be an array of at most %d",
                   MAX_CACHES);
      return FALSE;
    }
  json_array_foreach (list, i, value)
    {
      g_autofree char *place = g_strdup_printf ("machine.caches[%zu]", i);

      if (!read_cache_json (value, place, caches, error))
        return FALSE;
    }
  return TRUE;
}

/* One of its texts, which may lack; FALSE: it is of another form. */
static gboolean
read_rate_text (const json_t *json, const char *key,
                gboolean (*parse) (const char *text, TpRate *rate),
                TpRate *rate)
{
  const json_t *value = json_object_get (json, key);

  return value == NULL
         || (json_is_string (value)
             && parse (json_string_value (value), rate));
}

static gboolean
read_rate (const json_t *json, const char *place, TpRate *rate, GError **error)
{
  static const char *const known[] = { "watts", "price", NULL };

  tp_rate_init (rate);
  if (!tp_keys_check (json, known, place, error))
    return FALSE;
  if (read_rate_text (json, "watts", tp_rate_parse_watts, rate)
      && read_rate_text (json, "price", tp_rate_parse_price, rate))
    return TRUE;
  g_set_error (error, TPLAN_ERROR, TPLAN_ERROR_INPUT,
               "%s: 'watts' must be a text \"" TP_RATE_WATTS_FORM "\", such as "
               "\"350:50\", and 'price' \"" TP_RATE_PRICE_FORM "\", such as "
               "\"2.5/h\"", place);
  return FALSE;
}

/* By hand: no machine knows what it draws or is rented for. */
static gboolean
read_rates (const json_t *list, TpMachineInfo *info, GError **error)
{
  const char *device;
  json_t *value;

  if (list == NULL)
    return TRUE;
  if (!json_is_object (list))
    {
      g_set_error (error, TPLAN_ERROR, TPLAN_ERROR_INPUT,
                   "machine: 'rates' must be an object, by device");
      return FALSE;
    }
  info->rates
      = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, g_free);
  json_object_foreach ((json_t *) list, device, value)
    {
      g_autofree char *place = g_strdup_printf ("machine.rates.%s", device);
      TpRate *rate = g_new0 (TpRate, 1);

      g_hash_table_insert (info->rates, g_strdup (device), rate);
      if (!read_rate (value, place, rate, error))
        return FALSE;
    }
  return TRUE;
}

TpMachineInfo *
tp_machine_info_from_json (const json_t *json, GError **error)
{
  g_autoptr (TpMachineInfo) info = g_new0 (TpMachineInfo, 1);
  const char *cpu
      = json_string_value (json_object_get (json, TP_FACT_PROCESSOR));
  gint64 n;
  const Number numbers[]
      = { { "processors", G_MAXINT32, &n },
          { "memory_bytes", G_MAXINT64 / 4, &info->memory_bytes },
          { NULL, 0, NULL } };

  info->caches = g_array_new (FALSE, FALSE, sizeof (TpMachineCache));
  if (!tp_keys_check (json, keys, "machine", error))
    return NULL;
  if (cpu == NULL)
    {
      g_set_error (error, TPLAN_ERROR, TPLAN_ERROR_INPUT,
                   "machine: 'cpu' must be a string");
      return NULL;
    }
  info->cpu = g_strdup (cpu);
  if (!read_numbers (json, "machine", numbers, error)
      || !read_caches (json_object_get (json, "caches"), info->caches, error)
      || !read_rates (json_object_get (json, "rates"), info, error))
    return NULL;
  info->processors = (int) n;
  return g_steal_pointer (&info);
}
