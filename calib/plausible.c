/* plausible.c: figures that no machine can have.
 *
 * The constants of a device are of one MatMul and one map: other kernels may do
 * better, and in company, without the right to a higher priority, constants may
 * come out at a tenth. So what the processors could do at best counts too
 * (tp_facts_bound_gflops ()). Caches beat memory by far: bandwidth is held against
 * kernels only whose tensors none can hold. */
#include "config.h"

#include "calib/plausible.h"

#include "calib/facts.h"
#include "calib/probe.h"

#define SLACK 4               /* times the constant */
#define DOTS 4                /* products of bytes where there is one of float32 */
#define CACHES 4              /* times the cache: what is of the kernel before is
                               * still in it */
#define PEAK_GFLOPS 1e6       /* no one device has more, of float32 */
#define MEMORY_GBPS 1e5       /* nor this */
#define DOUBT "not believed: " /* how such reasons begin, in tables, too */
#define LINK_GBPS 1000        /* no link is faster, be it within one chip */
/* A device's clock is another than the caller's: a kernel may take so many times
 * what the caller saw, and so much more. */
#define CLOCKS 2
#define CLOCKS_NS 1000000

/* Of all processors. */
static double
find_best_gflops (void)
{
  return tp_facts_bound_gflops () * g_get_num_processors ();
}

void
tp_plausible_find_bounds (TpBounds *bounds, const TpDeviceRow *device,
                          gint64 stream_ns)
{
  double probe_gbps;
  int n = g_get_num_processors ();

  probe_gbps = stream_ns > 0 ? (double) TP_PROBE_STREAM_BYTES / stream_ns : 0;
  bounds->peak_gflops
      = MAX (SLACK * device->peak_gflops, find_best_gflops ());
  bounds->double_gflops = bounds->peak_gflops / (device->is_host ? 2 : 1);
  bounds->bandwidth_gbps
      = SLACK * MAX (device->bandwidth_gbps, probe_gbps * n);
  bounds->cache_bytes = tp_probe_get_cache_bytes ();
}

static char *
describe (const char *what, double rate, const char *unit, double limit)
{
  return g_strdup_printf (
      "not believed: %s of %.3g %s, where no more than %.3g can be: the next "
      "`tplan calibrate` tries it again", what, rate, unit, limit);
}

/* Smaller types may be computed with by other units; processors have half as many lanes
 * for float64. */
static double
get_peak (const TpBounds *bounds, const TpEntryRow *entry)
{
  return g_str_equal (entry->dtype, "float32")   ? bounds->peak_gflops
         : g_str_equal (entry->dtype, "float64") ? bounds->double_gflops
                                                 : G_MAXDOUBLE;
}

/* As many as take the time of all: those of bytes may be done by fours. */
static double
count_flops (const TpWork *work)
{
  return (double) (work->flops - work->byte_flops)
         + (double) work->byte_flops / DOTS;
}

char *
tp_plausible_find_fault (const TpBounds *bounds, const TpEntryRow *entry)
{
  double time_ns = (double) entry->stats.median_ns + entry->stats.half_ns;
  double bytes = (double) entry->work.read_bytes + entry->work.written_bytes;

  if (entry->stats.median_ns <= 0)
    return g_strdup ("not believed: it took no time at all: the next "
                     "`tplan calibrate` tries it again");
  if (count_flops (&entry->work) / time_ns > get_peak (bounds, entry))
    return describe ("a speed", count_flops (&entry->work) / time_ns, "GFLOP/s",
                     get_peak (bounds, entry));
  if (bytes > (double) CACHES * bounds->cache_bytes
      && bytes / time_ns > bounds->bandwidth_gbps)
    return describe ("a bandwidth", bytes / time_ns, "GB/s",
                     bounds->bandwidth_gbps);
  return NULL;
}

gboolean
tp_plausible_is_doubt (const TpEntryRow *entry)
{
  return entry->state == TP_ENTRY_FAILED
         && g_str_has_prefix (entry->reason, DOUBT);
}

/* Into *@value what it can be at most, and into @text that it was not. */
static void
bound (double *value, double limit, const char *what, GString *text)
{
  if (*value > 0 && *value <= limit)
    return;
  g_string_append_printf (text, "%s%s of %.3g is not believed: it is taken for "
                          "%.3g", text->len > 0 ? "; " : "", what, *value,
                          *value > 0 ? limit : 1);
  *value = *value > 0 ? limit : 1;
}

char *
tp_plausible_bound_device (TpDeviceRow *device)
{
  double peak = device->is_host ? SLACK * find_best_gflops () : PEAK_GFLOPS;
  g_autoptr (GString) text = g_string_new (NULL);

  bound (&device->peak_gflops, peak, "a peak in GFLOP/s", text);
  bound (&device->bandwidth_gbps, MEMORY_GBPS, "a bandwidth in GB/s", text);
  return text->len > 0 ? g_string_free (g_steal_pointer (&text), FALSE) : NULL;
}

char *
tp_plausible_bound_link (TpFit *link, double bandwidth_gbps, const char *way)
{
  const double bytes = 1 << 30; /* where the base says nothing */
  double rate = bytes / tp_fit_evaluate_ns (link, bytes);
  double limit = MAX (bandwidth_gbps, 1e-3);

  if (rate <= MAX (SLACK * limit, LINK_GBPS))
    return NULL;
  link->per_byte_ns = 1 / limit;
  link->residual = MAX (link->residual, 1);
  for (int i = 0; i < link->n_points; i++)
    link->points[i].time_ns = MAX (link->points[i].time_ns,
                                   link->points[i].bytes / limit);
  return g_strdup_printf ("a link %s of %.3g GB/s is not believed: it is taken "
                          "for as fast as its memory, %.3g GB/s", way, rate,
                          limit);
}

gboolean
tp_plausible_stamps (const TpStamp *stamps, guint n, gint64 time_ns)
{
  gint64 begin_ns, last_ns;

  if (n == 0 || stamps[0].begin_ns <= 0)
    return FALSE;
  begin_ns = last_ns = stamps[0].begin_ns;
  for (guint i = 0; i < n; i++)
    {
      if (stamps[i].end_ns < last_ns)
        return FALSE;
      last_ns = stamps[i].end_ns;
    }
  return last_ns > begin_ns
         && last_ns - begin_ns <= CLOCKS * time_ns + CLOCKS_NS;
}
