/* test-ledger.c: what sessions take together is held to limits of devices and of what they
 * share, with reserves, against sums made again; from threads, too. */
#include "config.h"

#include "ir/pools.h"
#include "runtime/ledger.h"

#include <string.h>

#define N_DEVICES 3
#define N_ROWS 4              /* the last two devices share memory */
#define N_ENTRIES 12
#define N_THREADS 4
#define N_TURNS 2000

static TpCosts *
new_costs (void)
{
  static const char *const devices[] = { "cpu", "opencl:0", "opencl:1", NULL };
  TpGraph graph = { .ref_count = 1 };
  g_autoptr (TpGroups) groups = tp_groups_new ();
  TpCosts *costs = tp_costs_new (N_DEVICES, devices, &graph, groups);

  costs->pools[1] = g_strdup ("card");
  costs->pools[2] = g_strdup ("card");
  g_assert_cmpint (tp_pools_count_rows (costs), ==, N_ROWS);
  return costs;
}

static void
draw_entry (TpLedgerEntry *entry)
{
  entry->used = g_new0 (gint64, N_DEVICES);
  entry->foretold = g_new0 (gint64, N_DEVICES);
  for (int d = 0; d < N_DEVICES; d++)
    {
      entry->used[d] = g_test_rand_int_range (0, 100);
      entry->foretold[d] = g_test_rand_int_range (0, 100);
    }
}

/* Of those that are @in, and of @index. */
static gint64
sum_row (const TpLedgerEntry *entries, const gboolean *in, int index, int row)
{
  gint64 sum = 0;

  for (int i = 0; i < N_ENTRIES; i++)
    for (int d = 0; d < N_DEVICES; d++)
      if ((in[i] || i == index) && (row == d || (row == 3 && d > 0)))
        sum += entries[i].used[d];
  return sum;
}

/* The first row that would be too small; -1: none. */
static int
find_row (const TpLedgerEntry *entries, const gboolean *in, int index,
          const gint64 *allowed)
{
  for (int row = 0; row < N_ROWS; row++)
    if (allowed[row] > 0 && sum_row (entries, in, index, row) > allowed[row])
      return row;
  return -1;
}

static void
test_sums (void)
{
  int n_refused = 0, n_shared = 0;

  for (int round = 0; round < 200; round++)
    {
      g_autoptr (TpCosts) costs = new_costs ();
      g_autoptr (TpLedger) ledger = NULL;
      TpLedgerEntry entries[N_ENTRIES];
      gboolean in[N_ENTRIES] = { FALSE };
      gint64 limits[N_ROWS], reserves[N_ROWS], allowed[N_ROWS];

      for (int row = 0; row < N_ROWS; row++)
        {
          limits[row] = g_test_rand_bit () ? g_test_rand_int_range (1, 400) : 0;
          reserves[row] = limits[row] > 0 ? g_test_rand_int_range (0, 99) : 0;
          allowed[row] = limits[row] + reserves[row];
        }
      ledger = tp_ledger_new (costs, limits, reserves);
      for (int i = 0; i < N_ENTRIES; i++)
        draw_entry (&entries[i]);
      for (int turn = 0; turn < 100; turn++)
        {
          int i = g_test_rand_int_range (0, N_ENTRIES);
          int row = find_row (entries, in, i, allowed);
          TpLedgerExcess excess = { .row = -1 };

          if (in[i])
            {
              tp_ledger_leave (ledger, &entries[i]);
              in[i] = FALSE;
              continue;
            }
          in[i] = tp_ledger_enter (ledger, &entries[i], &excess);
          g_assert_cmpint (excess.row, ==, row);
          g_assert_cmpint (in[i], ==, row < 0);
          if (row < 0)
            continue;
          n_refused++;
          n_shared += row == 3;
          g_assert_cmpint (excess.used_bytes, ==,
                           sum_row (entries, in, i, row));
          g_assert_cmpint (excess.others_bytes, ==,
                           sum_row (entries, in, -1, row));
          g_assert_cmpint (excess.allowed_bytes, ==, allowed[row]);
          g_assert_cmpint (excess.reserve_bytes, ==, reserves[row]);
        }
      for (int i = 0; i < N_ENTRIES; i++)
        tp_ledger_entry_clear (&entries[i]);
    }
  g_assert_cmpint (n_refused, >, 1000);
  g_assert_cmpint (n_shared, >, 100);
}

/* ---- threads ---------------------------------------------------------------- */

typedef struct
{
  TpLedger *ledger;
  gint n_in;                  /* atomic */
  gint has_failed;            /* atomic */
  gint n_entered;             /* atomic */
} Shared;

/* There is room for two of these. */
static gpointer
come_and_go (gpointer data)
{
  Shared *shared = data;
  gint64 used[] = { 10, 0, 0 }, foretold[] = { 5, 0, 0 };
  const TpLedgerEntry entry = { used, foretold };

  for (int turn = 0; turn < N_TURNS; turn++)
    {
      TpLedgerExcess excess;

      if (!tp_ledger_enter (shared->ledger, &entry, &excess))
        continue;
      g_atomic_int_inc (&shared->n_entered);
      if (g_atomic_int_add (&shared->n_in, 1) >= 2)
        g_atomic_int_set (&shared->has_failed, TRUE);
      g_atomic_int_add (&shared->n_in, -1);
      tp_ledger_leave (shared->ledger, &entry);
    }
  return NULL;
}

static void
test_threads (void)
{
  static const gint64 limits[N_ROWS] = { 29, 0, 0, 0 };
  g_autoptr (TpCosts) costs = new_costs ();
  g_autoptr (TpLedger) ledger = tp_ledger_new (costs, limits, NULL);
  Shared shared = { .ledger = ledger };
  GThread *threads[N_THREADS];

  for (int i = 0; i < N_THREADS; i++)
    threads[i] = g_thread_new ("session", come_and_go, &shared);
  for (int i = 0; i < N_THREADS; i++)
    g_thread_join (threads[i]);
  g_assert_false (shared.has_failed);
  g_assert_cmpint (shared.n_entered, >, N_TURNS / 2);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/ledger/sums", test_sums);
  g_test_add_func ("/ledger/threads", test_threads);
  return g_test_run ();
}
