/* estimate.c: times of what was not measured.
 *
 * The roofline knows work but no kernel: a depthwise convolution reaches a tenth
 * of the peak of a MatMul. A measured kernel of the same family tells how far
 * from the roofline that family stays on this device, the better the nearer it
 * is in work. So: time = roofline * (weighted geometric mean of measured /
 * roofline over the nearest), and how much those disagree, and how far away they
 * are, is the spread. */
#include "config.h"

#include "calib/estimate.h"

#include "calib/accuracy.h"
#include "calib/facts.h"
#include "runtime/devices.h"
#include "runtime/threads.h"

#include <math.h>
#include <string.h>

#define N_NEAREST 4

struct TpEstimator
{
  TpCostDb *db;
  const TpDeviceRow *row;     /* (nullable) */
  TpMachine machine;
  TpFit to_device, to_host;
  GHashTable *families;       /* family -> TpPointers of TpEntryRow */
};

static void
guess_machine (TpEstimator *estimator, const TpDeviceGuess *guess,
               int n_threads)
{
  TpMachine *machine = &estimator->machine;
  double ghz;
  int lanes, threads = tp_threads_count (n_threads);

  tp_facts_guess_cpu (&lanes, &ghz);
  machine->peak_gflops = guess->peak_gflops;
  if (guess->peak_gflops <= 0)
    /* two FMA units, and the half of peak that a plain run reaches */
    machine->peak_gflops = lanes * 2 * 2 * ghz * threads * 0.5;
  machine->bandwidth_gbps = guess->bandwidth_gbps;
  machine->launch_ns = guess->launch_ns;
  machine->full_points = guess->points_per_thread * threads;
  estimator->to_device = estimator->to_host
      = (TpFit){ .base_ns = 30000, .per_byte_ns = 0.1, .residual = 1 };
}

TpEstimator *
tp_estimator_new (TpCostDb *db, const TpDeviceRow *row,
                  const TpDeviceOps *kind, int n_threads)
{
  TpEstimator *estimator = g_new0 (TpEstimator, 1);

  estimator->db = db;
  estimator->row = row;
  estimator->machine.double_rate = kind->guess.double_rate;
  estimator->families = g_hash_table_new_full (
      g_str_hash, g_str_equal, g_free, (GDestroyNotify) tp_pointers_free);
  if (row == NULL)
    guess_machine (estimator, &kind->guess, n_threads);
  else
    {
      estimator->machine.peak_gflops = MAX (row->peak_gflops, 1e-3);
      estimator->machine.bandwidth_gbps = MAX (row->bandwidth_gbps, 1e-3);
      estimator->machine.launch_ns = row->launch_ns;
      estimator->machine.full_points = MAX (row->full_points, 1);
      estimator->to_device = row->to_device;
      estimator->to_host = row->to_host;
    }
  /* no link to measure: every byte is read and written */
  if (tp_device_is_host (kind->name))
    estimator->to_device = estimator->to_host
        = (TpFit){ .per_byte_ns = 2 / estimator->machine.bandwidth_gbps,
                   .residual = 1 };
  return estimator;
}

void
tp_estimator_free (TpEstimator *estimator)
{
  if (estimator == NULL)
    return;
  g_hash_table_unref (estimator->families);
  g_free (estimator);
}

gint64
tp_estimator_roofline_ns (const TpEstimator *estimator, const TpWork *work)
{
  return MAX (1, tp_machine_estimate_ns (&estimator->machine, work));
}

gint64
tp_estimator_transfer_ns (const TpEstimator *estimator, gint64 bytes,
                          gboolean is_to_device)
{
  const TpFit *fit = is_to_device ? &estimator->to_device : &estimator->to_host;

  return (gint64) MIN (tp_fit_evaluate_ns (fit, bytes), 1e17);
}

/* ---- neighbours --------------------------------------------------------- */

typedef struct
{
  double distance;
  double log_ratio;           /* of measured to roofline */
} Neighbour;

static double
log_apart (gint64 a, gint64 b)
{
  return fabs (log ((a + 1.0) / (b + 1.0)));
}

static double
measure_distance (const TpWork *a, const TpWork *b)
{
  return log_apart (a->flops, b->flops)
         + log_apart (a->double_flops, b->double_flops)
         + log_apart (a->read_bytes + a->written_bytes,
                      b->read_bytes + b->written_bytes)
         + log_apart (a->n_points, b->n_points)
         + 0.5 * log_apart (a->constant_bytes, b->constant_bytes);
}

/* Keeps the nearest, nearest first. */
static int
insert_neighbour (Neighbour *nearest, int n, Neighbour new)
{
  int at = n;

  while (at > 0 && nearest[at - 1].distance > new.distance)
    at--;
  if (at == N_NEAREST)
    return n;
  memmove (nearest + at + 1, nearest + at,
           (MIN (n, N_NEAREST - 1) - at) * sizeof *nearest);
  nearest[at] = new;
  return MIN (n + 1, N_NEAREST);
}

static int
find_nearest (const TpEstimator *estimator, TpPointers *rows, const TpWork *work,
              Neighbour *nearest)
{
  int n = 0;

  for (guint i = 0; i < rows->len; i++)
    {
      const TpEntryRow *row = g_ptr_array_index (rows, i);
      gint64 roofline_ns = tp_estimator_roofline_ns (estimator, &row->work);

      if (row->state != TP_ENTRY_FAILED && row->state != TP_ENTRY_TRIED
          && row->stats.median_ns > 0 && tp_accuracy_is_met (estimator->db, row))
        n = insert_neighbour (
            nearest, n,
            (Neighbour){ measure_distance (&row->work, work),
                         log ((double) row->stats.median_ns / roofline_ns) });
    }
  return n;
}

static void
blend (const Neighbour *nearest, int n, gint64 roofline_ns, TpCost *cost)
{
  double weights = 0, mean = 0, variance = 0, spread;

  for (int i = 0; i < n; i++)
    {
      double weight = 1 / (0.01 + nearest[i].distance * nearest[i].distance);

      weights += weight;
      mean += weight * nearest[i].log_ratio;
    }
  mean /= weights;
  for (int i = 0; i < n; i++)
    variance += pow (nearest[i].log_ratio - mean, 2) / n;
  spread = CLAMP (sqrt (variance) + 0.1 * nearest[0].distance, 0.1, 2.0);
  cost->time_ns = (gint64) MIN (roofline_ns * exp (mean), 1e17);
  cost->spread_ns = (gint64) (cost->time_ns * spread);
}

static TpPointers *
get_family (TpEstimator *estimator, const char *family, GError **error)
{
  TpPointers *rows = g_hash_table_lookup (estimator->families, family);

  if (rows != NULL)
    return rows;
  rows = tp_cost_db_list_entries (estimator->db, estimator->row->id, family,
                                  error);
  if (rows != NULL)
    g_hash_table_insert (estimator->families, g_strdup (family), rows);
  return rows;
}

gboolean
tp_estimator_fill (TpEstimator *estimator, const TpKey *key, TpCost *cost,
                   GError **error)
{
  gint64 roofline_ns = tp_estimator_roofline_ns (estimator, &key->work);
  Neighbour nearest[N_NEAREST];
  TpPointers *rows = NULL;
  int n = 0;

  cost->is_estimated = TRUE;
  cost->time_ns = roofline_ns;
  cost->spread_ns = roofline_ns;
  if (estimator->row == NULL)
    return TRUE;
  rows = get_family (estimator, key->family, error);
  if (rows == NULL)
    return FALSE;
  n = find_nearest (estimator, rows, &key->work, nearest);
  if (n > 0)
    blend (nearest, n, roofline_ns, cost);
  return TRUE;
}
