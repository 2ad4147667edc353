/* transfers.c: what copies to and from a device take.
 *
 * A write is waited for by what runs next, so it costs what it adds to that: the
 * difference of a kernel with a write before it and one without, taken in turns.
 * Where one write is lost in the noise several are made before the wait; where
 * even those are, the write and its wait are timed by themselves, which is an
 * upper bound. A read is waited for by the host: it costs all of itself.
 *
 * A third of the sizes are not fitted but checked. What a line misses there by
 * more than TP_FIT_GOOD is measured again, and then kept as points. */
#include "config.h"

#include "calib/transfers.h"

#include "calib/stats.h"
#include "ir/clock.h"

#define SAMPLES_MIN 9
#define SAMPLES_MAX 41
#define LIMIT_NS (40 * 1000 * 1000) /* of the samples of one size */
#define BURST_MAX 64
#define BURST_BYTES_MAX (G_GINT64_CONSTANT (16) << 20)

static const struct
{
  gint64 bytes;
  gboolean is_check;          /* not fitted */
} sizes[] = {
  { 4, FALSE },        { 256, TRUE },        { 4096, FALSE },
  { 32768, FALSE },    { 128 << 10, TRUE },  { 512 << 10, FALSE },
  { 1 << 20, FALSE },  { 2 << 20, TRUE },    { 4 << 20, FALSE },
  { 16 << 20, FALSE }, { 32 << 20, TRUE },   { 64 << 20, FALSE },
};
#define N_SIZES ((int) G_N_ELEMENTS (sizes))

G_STATIC_ASSERT (G_N_ELEMENTS (sizes) <= TP_FIT_POINTS_MAX);

typedef struct
{
  const TpTransferJob *job;
  TpBuf *buf;
  char *bytes;
  gint64 size_bytes;
  gboolean is_write;
  int n_burst;                /* writes before a wait */
} Transfer;

/* ---- one sample --------------------------------------------------------- */

static gboolean
write_some (const Transfer *transfer, int n, GError **error)
{
  for (int i = 0; i < n; i++)
    if (!tp_device_write (transfer->job->device, transfer->buf,
                          transfer->bytes, transfer->size_bytes, error))
      return FALSE;
  return TRUE;
}

/* @n_writes, a kernel unless @is_alone, and the wait. */
static gboolean
time_writes (const Transfer *transfer, int n_writes, gboolean is_alone,
             gint64 *out_ns, GError **error)
{
  TpDevice *device = transfer->job->device;
  gint64 before = tp_clock_get_ns ();

  if (!write_some (transfer, n_writes, error)
      || (!is_alone
          && !device->ops->launch (device, transfer->job->tiny, error))
      || !device->ops->launch (device, NULL, error))
    return FALSE;
  *out_ns = tp_clock_get_ns () - before;
  return TRUE;
}

static gboolean
time_read (const Transfer *transfer, gint64 *out_ns, GError **error)
{
  gint64 before = tp_clock_get_ns ();

  if (!tp_device_read (transfer->job->device, transfer->buf, transfer->bytes,
                       transfer->size_bytes, error))
    return FALSE;
  *out_ns = tp_clock_get_ns () - before;
  return TRUE;
}

gboolean
tp_transfers_time_launch (const TpTransferJob *job, gint64 *out_ns,
                          GError **error)
{
  const Transfer transfer = { .job = job };

  return time_writes (&transfer, 0, FALSE, out_ns, error);
}

/* ---- one size ----------------------------------------------------------- */

/* What is sampled: the time with writes and without (0 where there is none). */
typedef gboolean (*Sampler) (const Transfer *transfer, gint64 *out_with_ns,
                             gint64 *out_without_ns, GError **error);

static gboolean
sample_pair (const Transfer *transfer, gint64 *out_with_ns,
             gint64 *out_without_ns, GError **error)
{
  return time_writes (transfer, transfer->n_burst, FALSE, out_with_ns, error)
         && time_writes (transfer, 0, FALSE, out_without_ns, error);
}

static gboolean
sample_alone (const Transfer *transfer, gint64 *out_with_ns,
              gint64 *out_without_ns, GError **error)
{
  *out_without_ns = 0;
  return transfer->is_write
             ? time_writes (transfer, 1, TRUE, out_with_ns, error)
             : time_read (transfer, out_with_ns, error);
}

/* *out_half_ns: what the difference may be off by. */
static gboolean
take_samples (const Transfer *transfer, Sampler sample, gint64 *out_ns,
              gint64 *out_half_ns, GError **error)
{
  gint64 with[SAMPLES_MAX], without[SAMPLES_MAX];
  gint64 limit_ns = tp_clock_get_ns () + LIMIT_NS;
  TpStats stats[2];
  int n = -1; /* the first pays for pages never touched */

  tp_channel_beat (transfer->job->channel, TP_PHASE_OPEN, transfer->job->index,
                   -1);
  while (n < SAMPLES_MIN || (n < SAMPLES_MAX && tp_clock_get_ns () < limit_ns))
    {
      if (!sample (transfer, &with[MAX (n, 0)], &without[MAX (n, 0)], error))
        return FALSE;
      n++;
    }
  tp_stats_compute_fast (with, n, &stats[0]);
  tp_stats_compute_fast (without, n, &stats[1]);
  *out_ns = stats[0].median_ns - stats[1].median_ns;
  *out_half_ns = stats[0].half_ns + stats[1].half_ns;
  return TRUE;
}

static gboolean
measure_size (Transfer *transfer, double *out_ns, GError **error)
{
  gint64 most = BURST_BYTES_MAX / transfer->size_bytes, time_ns, half_ns;

  for (transfer->n_burst = 1;
       transfer->is_write && transfer->n_burst <= CLAMP (most, 1, BURST_MAX);
       transfer->n_burst *= 4)
    {
      if (!take_samples (transfer, sample_pair, &time_ns, &half_ns, error))
        return FALSE;
      *out_ns = (double) time_ns / transfer->n_burst;
      if (time_ns > 5 * half_ns)
        return TRUE;
    }
  if (!take_samples (transfer, sample_alone, &time_ns, &half_ns, error))
    return FALSE;
  *out_ns = MAX (time_ns, 1);
  return TRUE;
}

/* ---- one direction ------------------------------------------------------ */

static int
pick (const TpFitPoint *all, gboolean is_check, TpFitPoint *out_points)
{
  int n = 0;

  for (int i = 0; i < N_SIZES; i++)
    if (sizes[i].is_check == is_check)
      out_points[n++] = all[i];
  return n;
}

static gboolean
fit_once (Transfer *transfer, TpFitPoint *all, TpFit *out_fit, GError **error)
{
  TpFitPoint fitted[N_SIZES];

  for (int i = 0; i < N_SIZES; i++)
    {
      transfer->size_bytes = sizes[i].bytes;
      all[i].bytes = sizes[i].bytes;
      if (!measure_size (transfer, &all[i].time_ns, error))
        return FALSE;
    }
  tp_fit_line (fitted, pick (all, FALSE, fitted), out_fit);
  out_fit->residual = tp_fit_find_residual (out_fit, all, N_SIZES);
  return TRUE;
}

/* The error is that at the sizes checked, before they are points as well. */
static void
interpolate (const TpFitPoint *all, TpFit *fit)
{
  TpFitPoint some[N_SIZES];

  tp_fit_keep_points (fit, some, pick (all, FALSE, some));
  fit->residual = tp_fit_find_residual (fit, some, pick (all, TRUE, some));
  tp_fit_keep_points (fit, all, N_SIZES);
  fit->base_ns = fit->points[0].time_ns; /* for people */
  fit->per_byte_ns = (fit->points[N_SIZES - 1].time_ns - fit->base_ns)
                     / all[N_SIZES - 1].bytes;
}

static gboolean
fit_direction (Transfer *transfer, gboolean is_write, TpFit *out_fit,
               GError **error)
{
  TpFitPoint first[N_SIZES], second[N_SIZES];

  transfer->is_write = is_write;
  if (!fit_once (transfer, first, out_fit, error))
    return FALSE;
  if (out_fit->residual <= TP_FIT_GOOD)
    return TRUE;
  if (!fit_once (transfer, second, out_fit, error))
    return FALSE;
  if (out_fit->residual <= TP_FIT_GOOD)
    return TRUE;
  for (int i = 0; i < N_SIZES; i++) /* whatever disturbs makes it slower */
    second[i].time_ns = MIN (first[i].time_ns, second[i].time_ns);
  interpolate (second, out_fit);
  return TRUE;
}

gboolean
tp_transfers_measure (const TpTransferJob *job, TpFit *out_to_device,
                      TpFit *out_to_host, GError **error)
{
  const gint64 most = sizes[N_SIZES - 1].bytes;
  const TpDeviceOps *ops = job->device->ops;
  g_autofree char *bytes = g_malloc0 (most);
  Transfer transfer = { .job = job, .bytes = bytes };
  gboolean is_good;

  transfer.buf = ops->alloc (job->device, NULL, 0, most, error);
  if (transfer.buf == NULL)
    return FALSE;
  is_good = fit_direction (&transfer, TRUE, out_to_device, error)
            && fit_direction (&transfer, FALSE, out_to_host, error);
  ops->free_buf (job->device, transfer.buf);
  return is_good;
}
