/* ledger.c: see ledger.h. */
#include "config.h"

#include "runtime/ledger.h"

#include "ir/pools.h"
#include "ir/types.h"
#include "runtime/forked.h"

#include <pthread.h>

struct TpLedger
{
  gint ref_count;
  TpHome home;
  pthread_mutex_t lock;       /* over what is taken */
  TpCosts *costs;
  gint64 *allowed, *reserves; /* [row]; @allowed 0: no limit */
  gint64 *used, *foretold;    /* [device]: of all that have entered */
};

TpLedger *
tp_ledger_new (TpCosts *costs, const gint64 *limits, const gint64 *reserves)
{
  g_autoptr (TpLedger) ledger = g_new0 (TpLedger, 1);
  int n_rows = tp_pools_count_rows (costs);

  ledger->ref_count = 1;
  ledger->home = tp_home_here ();
  pthread_mutex_init (&ledger->lock, NULL);
  ledger->costs = tp_costs_ref (costs);
  ledger->allowed = g_new0 (gint64, n_rows + 1);
  ledger->reserves = g_new0 (gint64, n_rows + 1);
  ledger->used = g_new0 (gint64, costs->n_devices + 1);
  ledger->foretold = g_new0 (gint64, costs->n_devices + 1);
  for (int row = 0; row < n_rows; row++)
    {
      ledger->reserves[row] = reserves == NULL ? 0 : reserves[row];
      if (!tp_size_add (limits[row], ledger->reserves[row],
                        &ledger->allowed[row]))
        ledger->allowed[row] = G_MAXINT64;
    }
  return g_steal_pointer (&ledger);
}

TpLedger *
tp_ledger_ref (TpLedger *ledger)
{
  g_atomic_int_inc (&ledger->ref_count);
  return ledger;
}

void
tp_ledger_unref (TpLedger *ledger)
{
  if (ledger == NULL || !g_atomic_int_dec_and_test (&ledger->ref_count))
    return;
  pthread_mutex_destroy (&ledger->lock);
  tp_costs_unref (ledger->costs);
  g_free (ledger->allowed);
  g_free (ledger->reserves);
  g_free (ledger->used);
  g_free (ledger->foretold);
  g_free (ledger);
}

void
tp_ledger_entry_clear (TpLedgerEntry *entry)
{
  g_clear_pointer (&entry->used, g_free);
  g_clear_pointer (&entry->foretold, g_free);
}

/* ---- entries ---------------------------------------------------------------- */

/* A child has what its parent took: memory is as it was. */
static void
lock (TpLedger *ledger)
{
  if (tp_home_move (&ledger->home))
    {
      pthread_mutex_init (&ledger->lock, NULL);
      tp_home_moved (&ledger->home);
    }
  pthread_mutex_lock (&ledger->lock);
}

static void
add (TpLedger *ledger, const TpLedgerEntry *entry, int sign)
{
  for (int i = 0; i < ledger->costs->n_devices; i++)
    {
      ledger->used[i] += sign * entry->used[i];
      ledger->foretold[i] += sign * entry->foretold[i];
    }
}

/* The first row that what was added last is too much for; -1: there is none. */
static int
find_row (const TpLedger *ledger)
{
  int n_rows = tp_pools_count_rows (ledger->costs);

  for (int row = 0; row < n_rows; row++)
    if (tp_pools_find_missing (ledger->costs, ledger->allowed, row,
                               ledger->used) > 0)
      return row;
  return -1;
}

static TpLedgerExcess
describe (const TpLedger *ledger, int row, const TpLedgerEntry *entry)
{
  const TpCosts *costs = ledger->costs;
  gint64 used = tp_pools_sum (costs, row, ledger->used);

  return (TpLedgerExcess){
    .row = row,
    .used_bytes = used,
    .others_bytes = used - tp_pools_sum (costs, row, entry->used),
    .plan_bytes = tp_pools_sum (costs, row, ledger->foretold),
    .allowed_bytes = ledger->allowed[row],
    .reserve_bytes = ledger->reserves[row],
  };
}

gboolean
tp_ledger_enter (TpLedger *ledger, const TpLedgerEntry *entry,
                 TpLedgerExcess *out_excess)
{
  int row;

  lock (ledger);
  add (ledger, entry, 1);
  row = find_row (ledger);
  if (row >= 0)
    {
      *out_excess = describe (ledger, row, entry);
      add (ledger, entry, -1);
    }
  pthread_mutex_unlock (&ledger->lock);
  return row < 0;
}

void
tp_ledger_leave (TpLedger *ledger, const TpLedgerEntry *entry)
{
  lock (ledger);
  add (ledger, entry, -1);
  pthread_mutex_unlock (&ledger->lock);
}
