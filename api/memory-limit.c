/* memory-limit.c: see memory-limit.h. */
#include "config.h"

#include "api/memory-limit.h"

#include "ir/guard.h"
#include "ir/pools.h"

#include <math.h>
#include <string.h>

#define MAX_BYTES 0x1p61

/* "", "B", "K", "KB", "KiB" and so on: powers of 1024, or -1. */
static int
find_power (const char *unit)
{
  static const char letters[] = "KMGT";
  const char *letter = *unit == 0 ? NULL : strchr (letters, *unit);

  if (*unit == 0 || strcmp (unit, "B") == 0)
    return 0;
  if (letter == NULL
      || (unit[1] != 0 && strcmp (unit + 1, "B") != 0
          && strcmp (unit + 1, "iB") != 0))
    return -1;
  return 1 + (int) (letter - letters);
}

static gboolean
parse_size (const char *text, gint64 *out_bytes)
{
  char *unit = NULL;
  double value = g_ascii_strtod (text, &unit);
  int power = unit == text ? -1 : find_power (unit);

  if (power < 0 || !isfinite (value))
    return FALSE;
  value = ldexp (value, 10 * power);
  if (value < 1 || value > MAX_BYTES)
    return FALSE;
  *out_bytes = (gint64) value;
  return TRUE;
}

static int
find_row (const TpCosts *costs, const char *name, gsize length)
{
  int n = tp_pools_count_rows (costs);

  for (int row = 0; row < n; row++)
    {
      const char *it = tp_pools_get_name (costs, row);

      if (strlen (it) == length && memcmp (it, name, length) == 0)
        return row;
    }
  return -1;
}

static char *
list_names (const TpCosts *costs)
{
  g_autoptr (GString) names = g_string_new (NULL);
  int n = tp_pools_count_rows (costs);

  for (int row = 0; row < n; row++)
    g_string_append_printf (names, "%s%s", row == 0 ? "" : ", ",
                            tp_pools_get_name (costs, row));
  return g_string_free (g_steal_pointer (&names), FALSE);
}

/* @what: of what, in messages. */
static gint64 *
parse_rows (const TpCosts *costs, const char *const *texts, const char *what,
            GError **error)
{
  g_autofree gint64 *rows = tp_new0 (gint64, tp_pools_count_rows (costs) + 1);

  for (; texts != NULL && *texts != NULL; texts++)
    {
      const char *equals = strrchr (*texts, '=');
      int row = equals == NULL ? -1
                               : find_row (costs, *texts, equals - *texts);
      g_autofree char *names = NULL;

      if (row >= 0 && parse_size (equals + 1, &rows[row]))
        continue;
      names = list_names (costs);
      g_set_error (error, TPLAN_ERROR, TPLAN_ERROR_USAGE,
                   "%s of memory '%s' is not DEVICE=SIZE, with a device "
                   "among %s and a size such as 512M or 1.5G",
                   what, *texts, names);
      return NULL;
    }
  return g_steal_pointer (&rows);
}

/* The lower of @asked and what the device is known to have. */
static gint64 *
join (const TpCosts *costs, const gint64 *asked)
{
  gint64 *limits = tp_pools_list_memory (costs);

  for (int i = 0; i < tp_pools_count_rows (costs); i++)
    limits[i] = asked[i] == 0 || limits[i] == 0 ? MAX (asked[i], limits[i])
                                                : MIN (asked[i], limits[i]);
  return limits;
}

static gboolean
reserve (TpMemoryLimits *it, const TpCosts *costs, int row, GError **error)
{
  const char *name = tp_pools_get_name (costs, row);
  gint64 bytes = it->reserves[row], limit = it->all[row];

  if (bytes == 0)
    return TRUE;
  if (limit > bytes)
    {
      it->all[row] = it->asked[row] = limit - bytes;
      return TRUE;
    }
  if (limit == 0)
    g_set_error (error, TPLAN_ERROR, TPLAN_ERROR_USAGE,
                 "reserve of memory '%s=%" G_GINT64_FORMAT "' is of no limit: "
                 "none was given, and how much '%s' has is not known: give a "
                 "limit (--mem-limit=%s=SIZE)",
                 name, bytes, name, name);
  else
    g_set_error (error, TPLAN_ERROR, TPLAN_ERROR_USAGE,
                 "reserve of memory '%s=%" G_GINT64_FORMAT "' leaves nothing of "
                 "the limit of %" G_GINT64_FORMAT ": reserve less",
                 name, bytes, limit);
  return FALSE;
}

gboolean
tp_memory_limits_init (TpMemoryLimits *limits, const TpCosts *costs,
                       const TpMemoryTexts *texts, GError **error)
{
  *limits = (TpMemoryLimits){ NULL, NULL, NULL };
  limits->asked = parse_rows (costs, texts->limits, "limit", error);
  if (limits->asked == NULL)
    return FALSE;
  limits->all = join (costs, limits->asked);
  if (texts->reserves == NULL || texts->reserves[0] == NULL)
    return TRUE;
  limits->reserves = parse_rows (costs, texts->reserves, "reserve", error);
  if (limits->reserves == NULL)
    return FALSE;
  for (int row = 0; row < tp_pools_count_rows (costs); row++)
    if (!reserve (limits, costs, row, error))
      return FALSE;
  return TRUE;
}

void
tp_memory_limits_clear (TpMemoryLimits *limits)
{
  g_clear_pointer (&limits->asked, g_free);
  g_clear_pointer (&limits->all, g_free);
  g_clear_pointer (&limits->reserves, g_free);
}
