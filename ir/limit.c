/* limit.c: the table of limits. */
#include "config.h"

#include "ir/limit.h"

#include "ir/near-name.h"

#include <string.h>

#define SPARE_BYTES ((gint64) 64 << 20)
#define BYTES_PER_BYTE 8 /* of memory, of the file */

/* The largest value is what the program is built for, whoever vouches. */
static const struct
{
  const char *name;
  gint64 fallback, least, most;
} table[TP_N_LIMITS] = {
  [TP_LIMIT_NODES] = { "nodes", 1000000, 1, 100000000 },
  [TP_LIMIT_RANK] = { "rank", TP_MAX_RANK, 1, TP_MAX_RANK },
  [TP_LIMIT_NAME] = { "name", TP_MAX_NAME_BYTES, 1, 1 << 20 },
  [TP_LIMIT_MEMORY] = { "memory", 0, 0, G_MAXINT64 },
  [TP_LIMIT_GENERATED] = { "generated", (gint64) 16 << 30, 0, G_MAXINT64 },
  [TP_LIMIT_FOLD] = { "fold", 1 << 26, 0, G_MAXINT32 },
};

void
tp_limits_init (TpLimits *limits)
{
  for (int i = 0; i < TP_N_LIMITS; i++)
    limits->values[i] = table[i].fallback;
}

gboolean
tp_limits_set (TpLimits *limits, const char *name, gint64 value,
               GError **error)
{
  const char *known[TP_N_LIMITS + 1] = { NULL };
  g_autofree char *list = NULL, *near = NULL;

  for (int i = 0; i < TP_N_LIMITS; i++)
    {
      known[i] = table[i].name;
      if (strcmp (table[i].name, name) != 0)
        continue;
      limits->values[i] = value;
      if (value >= table[i].least && value <= table[i].most)
        return TRUE;
      g_set_error (error, TPLAN_ERROR, TPLAN_ERROR_USAGE,
                   "limit '%s' is %" G_GINT64_FORMAT ", must be %"
                   G_GINT64_FORMAT " to %" G_GINT64_FORMAT, name, value,
                   table[i].least, table[i].most);
      return FALSE;
    }
  list = g_strjoinv (", ", (char **) known);
  near = tp_near_name_ask (name, known);
  g_set_error (error, TPLAN_ERROR, TPLAN_ERROR_USAGE,
               "no limit '%s'%s: there are %s", name, near, list);
  return FALSE;
}

gint64
tp_limits_get_memory (const TpLimits *limits, gint64 size_bytes)
{
  gint64 bytes;

  if (limits->values[TP_LIMIT_MEMORY] > 0)
    return limits->values[TP_LIMIT_MEMORY];
  if (!tp_size_mul (size_bytes, BYTES_PER_BYTE, &bytes)
      || !tp_size_add (bytes, SPARE_BYTES, &bytes))
    return G_MAXINT64;
  return bytes;
}

void
tp_limit_set_error (TpLimit limit, const char *prefix, GError **error,
                    const char *format, ...)
{
  g_autofree char *message = NULL;
  va_list args;

  va_start (args, format);
  message = g_strdup_vprintf (format, args);
  va_end (args);
  g_set_error (error, TPLAN_ERROR, TPLAN_ERROR_LIMIT,
               "%s%s: if you trust the file, raise --limit %s", prefix,
               message, table[limit].name);
}
