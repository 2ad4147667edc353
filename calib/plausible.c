/* plausible.c: figures that no machine can have.
 *
 * The constants of a device are of one MatMul and one map: other kernels may do
 * better, and where they were measured in company, without the right to a higher
 * priority, a device may do four times as much. What beats them by more than that
 * was not measured but mistaken. Caches beat memory by far, so bandwidth is held
 * against kernels only whose tensors no cache can hold. */
#include "config.h"

#include "calib/plausible.h"

#define SLACK 4               /* times the constant */
#define CACHES 4              /* times the cache: what is of the kernel before is
                               * still in it */

static char *
describe (const char *what, double rate, const char *unit, double limit)
{
  return g_strdup_printf (
      "not believed: %s of %.3g %s where the device was measured at %.3g: "
      "`tplan cost forget` lets it be tried again", what, rate, unit, limit);
}

/* Smaller types may be computed with by other units. */
static gboolean
is_of_peak (const TpEntryRow *entry)
{
  return g_str_equal (entry->dtype, "float32")
         || g_str_equal (entry->dtype, "float64");
}

char *
tp_plausible_find_fault (const TpDeviceRow *device, const TpEntryRow *entry,
                         gint64 cache_bytes)
{
  double time_ns = (double) entry->stats.median_ns + entry->stats.half_ns;
  double bytes = (double) entry->work.read_bytes + entry->work.written_bytes;

  if (entry->stats.median_ns <= 0)
    return g_strdup ("not believed: it took no time at all");
  if (is_of_peak (entry)
      && entry->work.flops / time_ns > SLACK * device->peak_gflops)
    return describe ("a speed", entry->work.flops / time_ns, "GFLOP/s",
                     device->peak_gflops);
  if (bytes > (double) CACHES * cache_bytes
      && bytes / time_ns > SLACK * device->bandwidth_gbps)
    return describe ("a bandwidth", bytes / time_ns, "GB/s",
                     device->bandwidth_gbps);
  return NULL;
}

char *
tp_plausible_bound_link (TpFit *link, double bandwidth_gbps, const char *way)
{
  const double bytes = 1 << 30; /* where the base says nothing */
  double rate = bytes / tp_fit_evaluate_ns (link, bytes);
  double limit = MAX (bandwidth_gbps, 1e-3);

  if (rate <= SLACK * limit)
    return NULL;
  link->per_byte_ns = 1 / limit;
  link->residual = MAX (link->residual, 1);
  for (int i = 0; i < link->n_points; i++)
    link->points[i].time_ns = MAX (link->points[i].time_ns,
                                   link->points[i].bytes / limit);
  return g_strdup_printf ("a link %s of %.3g GB/s is faster than its memory of "
                          "%.3g GB/s: not believed, it is taken for as fast",
                          way, rate, limit);
}
