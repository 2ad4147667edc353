/* tuned-sums.c: see tuned-sums.h. */
#include "config.h"

#include "calib/tuned-sums.h"

#include "ir/map.h"
#include "ir/name-hash.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- means --------------------------------------------------------------- */

void
tp_tuned_mean_add (TpTunedMean *mean, const TpTunedKernel *kernel)
{
  if (!isnan (kernel->gain.ratio))
    {
      mean->logs += log (kernel->gain.ratio);
      mean->squares += kernel->gain.half * kernel->gain.half;
      mean->n_gains++;
    }
  if (!isnan (kernel->correlation))
    {
      mean->correlations += kernel->correlation;
      mean->n_correlations++;
    }
}

TpGain
tp_tuned_mean_get_gain (const TpTunedMean *mean)
{
  int n = mean->n_gains;

  if (n == 0)
    return (TpGain){ NAN, NAN };
  return (TpGain){ exp (mean->logs / n), sqrt (mean->squares) / n };
}

double
tp_tuned_mean_get_correlation (const TpTunedMean *mean)
{
  return mean->n_correlations > 0 ? mean->correlations / mean->n_correlations
                                  : NAN;
}

/* ---- by device and family ------------------------------------------------ */

static TpTunedSum *
get_sum (TpPointers *sums, const char *device, const char *family)
{
  TpTunedSum *sum;

  for (guint i = 0; i < sums->len; i++)
    {
      sum = sums->pdata[i];
      if (strcmp (sum->device, device) == 0
          && strcmp (sum->family, family) == 0)
        return sum;
    }
  sum = g_new0 (TpTunedSum, 1);
  sum->device = device;
  sum->family = family;
  tp_pointers_add (sums, sum);
  return sum;
}

static void
add_kernel (TpTunedSum *sum, const TpTunedKernel *kernel)
{
  sum->n_kernels++;
  for (guint i = 0; i < kernel->choices->len; i++)
    sum->n_schedules
        += ((const TpTunedChoice *) kernel->choices->pdata[i])->stats.n > 0;
  tp_tuned_mean_add (&sum->mean, kernel);
  if (!isnan (kernel->correlation)
      && (sum->worst == NULL || kernel->correlation < sum->worst->correlation))
    sum->worst = kernel;
}

static int
compare_sums (const void *a, const void *b)
{
  const TpTunedSum *x = *(TpTunedSum *const *) a;
  const TpTunedSum *y = *(TpTunedSum *const *) b;
  int by_device = strcmp (x->device, y->device);

  if (by_device != 0)
    return by_device;
  return x->n_kernels != y->n_kernels ? y->n_kernels - x->n_kernels
                                      : strcmp (x->family, y->family);
}

TpPointers *
tp_tuned_sums_list (const TpPointers *tuned)
{
  g_autoptr (TpPointers) sums = tp_pointers_new (g_free);
  g_autoptr (TpMap) known
      = tp_map_new (tp_name_hash, g_str_equal, g_free, NULL);

  for (guint i = 0; i < tuned->len; i++)
    {
      const TpTuned *of = tuned->pdata[i];

      for (guint k = 0; k < of->kernels->len; k++)
        {
          TpTunedKernel *it = of->kernels->pdata[k];
          g_autofree char *name = g_strjoin ("\n", of->device, it->digest, NULL);

          if (!it->is_tuned || tp_map_lookup (known, name) != NULL)
            continue;
          tp_map_insert (known, g_steal_pointer (&name), it);
          add_kernel (get_sum (sums, of->device, it->family), it);
        }
    }
  if (sums->len > 0)
    qsort (sums->pdata, sums->len, sizeof (gpointer), compare_sums);
  return g_steal_pointer (&sums);
}
