/* pools.c: see pools.h. Devices are few: all is looked up by name again. */
#include "config.h"

#include "ir/pools.h"

#include "ir/types.h"

static gboolean
do_share (const TpCosts *costs, int a, int b)
{
  return costs->pools[a] != NULL
         && g_strcmp0 (costs->pools[a], costs->pools[b]) == 0;
}

/* Whether @device is the first of a pool. */
static gboolean
is_first (const TpCosts *costs, int device)
{
  gboolean is_shared = FALSE;

  for (int i = 0; i < costs->n_devices; i++)
    if (i != device && do_share (costs, i, device))
      {
        if (i < device)
          return FALSE;
        is_shared = TRUE;
      }
  return is_shared;
}

int
tp_pools_count_rows (const TpCosts *costs)
{
  int n = costs->n_devices;

  for (int i = 0; i < costs->n_devices; i++)
    n += is_first (costs, i);
  return n;
}

/* The first device of @row: itself, or that of the pool. */
static int
get_first (const TpCosts *costs, int row)
{
  int n = costs->n_devices, first = 0;

  if (row < n)
    return row;
  for (; n < row || !is_first (costs, first); first++)
    n += is_first (costs, first);
  return first;
}

gboolean
tp_pools_is_in (const TpCosts *costs, int row, int device)
{
  int first = get_first (costs, row);

  return first == device
         || (row >= costs->n_devices && do_share (costs, first, device));
}

const char *
tp_pools_get_name (const TpCosts *costs, int row)
{
  int first = get_first (costs, row);

  return row < costs->n_devices ? costs->devices[first] : costs->pools[first];
}

int
tp_pools_find (const TpCosts *costs, int device)
{
  int n = tp_pools_count_rows (costs);

  for (int row = costs->n_devices; row < n; row++)
    if (tp_pools_is_in (costs, row, device))
      return row;
  return -1;
}

gint64 *
tp_pools_list_memory (const TpCosts *costs)
{
  int n = tp_pools_count_rows (costs);
  gint64 *bytes = g_new0 (gint64, n + 1);

  for (int row = 0; row < n; row++)
    for (int i = 0; i < costs->n_devices; i++)
      if (tp_pools_is_in (costs, row, i))
        bytes[row] = MAX (bytes[row], costs->memory_bytes[i]);
  return bytes;
}

gint64
tp_pools_get_limit (const TpCosts *costs, const gint64 *limits, int device)
{
  int pool = tp_pools_find (costs, device);
  gint64 own = limits[device], shared = pool < 0 ? 0 : limits[pool];

  return own == 0 || shared == 0 ? MAX (own, shared) : MIN (own, shared);
}

gint64
tp_pools_sum (const TpCosts *costs, int row, const gint64 *bytes)
{
  gint64 sum = 0;

  for (int i = 0; i < costs->n_devices; i++)
    if (tp_pools_is_in (costs, row, i)
        && !tp_size_add (sum, bytes[i], &sum))
      sum = G_MAXINT64;
  return sum;
}

gint64
tp_pools_find_missing (const TpCosts *costs, const gint64 *limits, int row,
                       const gint64 *bytes)
{
  gint64 sum = tp_pools_sum (costs, row, bytes);

  return limits[row] == 0 ? 0 : MAX (0, sum - limits[row]);
}
