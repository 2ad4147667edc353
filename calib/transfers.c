/* transfers.c: what copies to and from a device take.
 *
 * The host waits for each, as sessions do, so each costs all of itself; a write
 * until the device is done with it.
 *
 * All sizes are measured in several passes, until two of them agree at each, so
 * that neither company nor luck decides: a driver's thread that happens to be on
 * the caller's processor wakes at once, one on another takes several times that.
 *
 * A third of the sizes are not fitted but checked. Where a line misses one by
 * more than TP_FIT_GOOD all are kept as points. */
#include "config.h"

#include "calib/transfers.h"

#include "calib/seat.h"
#include "calib/stats.h"
#include "ir/clock.h"

#define SAMPLES_MIN 9
#define SAMPLES_MAX 41
#define LIMIT_NS (20 * 1000 * 1000) /* of the samples of one size */
#define PASSES_MAX 8
#define PASSES_AGREE 0.1

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
} Transfer;

/* ---- one sample --------------------------------------------------------- */

static gboolean
copy_once (const Transfer *transfer, GError **error)
{
  TpDevice *device = transfer->job->device;

  if (!transfer->is_write)
    return tp_device_read (device, transfer->buf, transfer->bytes,
                           transfer->size_bytes, error);
  return tp_device_write (device, transfer->buf, transfer->bytes,
                          transfer->size_bytes, error)
         && device->ops->launch (device, NULL, error);
}

gboolean
tp_transfers_time_launch (const TpTransferJob *job, gint64 *out_ns,
                          GError **error)
{
  gint64 before = tp_clock_get_ns ();

  if (!job->device->ops->launch (job->device, job->tiny, error)
      || !job->device->ops->launch (job->device, NULL, error))
    return FALSE;
  *out_ns = tp_clock_get_ns () - before;
  return TRUE;
}

/* ---- one size ----------------------------------------------------------- */

static gboolean
measure_size (const Transfer *transfer, double *out_ns, GError **error)
{
  gint64 times_ns[SAMPLES_MAX];
  gint64 limit_ns = tp_clock_get_ns () + LIMIT_NS;
  TpStats stats;
  int n = -1; /* the first pays for pages never touched */

  tp_channel_beat (transfer->job->channel, TP_PHASE_OPEN, transfer->job->index,
                   -1);
  while (n < SAMPLES_MIN || (n < SAMPLES_MAX && tp_clock_get_ns () < limit_ns))
    {
      gint64 before = tp_clock_get_ns ();

      if (!copy_once (transfer, error))
        return FALSE;
      times_ns[MAX (n, 0)] = tp_clock_get_ns () - before;
      n++;
    }
  tp_stats_compute_fast (times_ns, n, &stats);
  *out_ns = MAX (stats.median_ns, 1);
  return TRUE;
}

/* ---- all sizes ---------------------------------------------------------- */

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
measure_sizes (Transfer *transfer, TpFitPoint *out_points, GError **error)
{
  const TpTransferJob *job = transfer->job;

  tp_near_wait (job->near, job->precedence, job->channel);
  for (int i = 0; i < N_SIZES; i++)
    {
      transfer->size_bytes = sizes[i].bytes;
      out_points[i].bytes = sizes[i].bytes;
      if (!measure_size (transfer, &out_points[i].time_ns, error))
        return FALSE;
    }
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

static void
fit_points (const TpFitPoint *all, TpFit *out_fit)
{
  TpFitPoint fitted[N_SIZES];

  tp_fit_line (fitted, pick (all, FALSE, fitted), out_fit);
  out_fit->residual = tp_fit_find_residual (out_fit, all, N_SIZES);
  if (out_fit->residual > TP_FIT_GOOD)
    interpolate (all, out_fit);
}

/* What there is of one direction. */
typedef struct
{
  TpFitPoint passes[PASSES_MAX][N_SIZES];
  gboolean is_write, is_settled;
  TpFit *fit;
} Direction;

static gboolean
add_pass (Transfer *transfer, Direction *direction, int index, GError **error)
{
  TpFitPoint all[N_SIZES];
  double apart;

  transfer->is_write = direction->is_write;
  if (!measure_sizes (transfer, direction->passes[index], error))
    return FALSE;
  apart = tp_fit_join_passes (direction->passes[0], index + 1, N_SIZES, all);
  fit_points (all, direction->fit);
  direction->is_settled = apart <= PASSES_AGREE
                          && direction->fit->residual <= TP_FIT_GOOD;
  return TRUE;
}

/* Both in turns, so that what lasts a second is not in all passes of one. */
static gboolean
measure_both (Transfer *transfer, TpFit *to_device, TpFit *to_host,
              GError **error)
{
  Direction directions[] = { { .is_write = TRUE, .fit = to_device },
                             { .is_write = FALSE, .fit = to_host } };

  for (int i = 0; i < PASSES_MAX; i++)
    for (int k = 0; k < 2; k++)
      if (!directions[k].is_settled
          && !add_pass (transfer, &directions[k], i, error))
        return FALSE;
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
  TpSeat seat;
  gboolean is_good;

  transfer.buf = ops->alloc (job->device, NULL, 0, most, error);
  if (transfer.buf == NULL)
    return FALSE;
  tp_seat_take_alone (&seat);
  is_good = measure_both (&transfer, out_to_device, out_to_host, error);
  tp_seat_leave (&seat);
  ops->free_buf (job->device, transfer.buf);
  return is_good;
}
