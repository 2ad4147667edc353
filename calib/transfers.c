/* transfers.c: what copies to and from a device take.
 *
 * The host waits for each, as sessions do, so each costs all of itself; a write
 * until the device is done with it.
 *
 * All sizes are measured in several passes, until two of them agree at each, so
 * that neither company nor luck decides: a driver's thread that happens to be on
 * the caller's processor wakes at once, one on another takes several times that.
 *
 * One process is never quite as another, so several are asked (once.c), and of
 * each size the middle one counts.
 *
 * A third of the sizes are not fitted but checked. Where a line misses one by
 * more than TP_FIT_GOOD all are kept as points. */
#include "config.h"

#include "calib/transfers.h"

#include "calib/measure.h"
#include "calib/seat.h"
#include "calib/stats.h"
#include "ir/clock.h"
#include "ir/compare.h"

#include <math.h>
#include <stdlib.h>

#define SAMPLES_MIN 9
#define SAMPLES_MAX 41
#define LIMIT_NS (20 * 1000 * 1000) /* of the samples of one size */
#define PASSES_MAX 8
#define PASSES_AGREE 0.1
#define TIMES_TYPE "(ixad)"

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

G_STATIC_ASSERT (G_N_ELEMENTS (sizes) == TP_TRANSFER_SIZES);
G_STATIC_ASSERT (TP_TRANSFER_SIZES <= TP_FIT_POINTS_MAX);

typedef struct
{
  const TpTransferJob *job;
  TpBuf *buf;
  char *bytes;
  gint64 size_bytes;
  gboolean is_write;
} Transfer;

gint64
tp_transfers_get_size (int i)
{
  return sizes[i].bytes;
}

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

  for (int i = 0; i < TP_TRANSFER_SIZES; i++)
    if (sizes[i].is_check == is_check)
      out_points[n++] = all[i];
  return n;
}

static gboolean
measure_sizes (Transfer *transfer, TpFitPoint *out_points, GError **error)
{
  const TpTransferJob *job = transfer->job;

  tp_near_wait (job->near, job->precedence, job->channel);
  for (int i = 0; i < TP_TRANSFER_SIZES; i++)
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
  TpFitPoint some[TP_TRANSFER_SIZES];

  tp_fit_keep_points (fit, some, pick (all, FALSE, some));
  fit->residual = tp_fit_find_residual (fit, some, pick (all, TRUE, some));
  tp_fit_keep_points (fit, all, TP_TRANSFER_SIZES);
  fit->base_ns = fit->points[0].time_ns; /* for people */
  fit->per_byte_ns = (fit->points[TP_TRANSFER_SIZES - 1].time_ns - fit->base_ns)
                     / all[TP_TRANSFER_SIZES - 1].bytes;
}

/* @apart: what processes leave open of any time, in parts of it. */
static void
fit_points (const TpFitPoint *all, double apart, TpFit *out_fit)
{
  TpFitPoint fitted[TP_TRANSFER_SIZES];

  tp_fit_line (fitted, pick (all, FALSE, fitted), out_fit);
  out_fit->residual = tp_fit_find_residual (out_fit, all, TP_TRANSFER_SIZES);
  if (hypot (out_fit->residual, apart) > TP_FIT_GOOD)
    interpolate (all, out_fit);
  out_fit->residual = hypot (out_fit->residual, apart);
}

/* What there is of one direction. */
typedef struct
{
  TpFitPoint passes[PASSES_MAX][TP_TRANSFER_SIZES];
  gboolean is_write, is_settled;
  double *times_ns;           /* of all passes so far */
} Direction;

static gboolean
add_pass (Transfer *transfer, Direction *direction, int index, GError **error)
{
  TpFitPoint all[TP_TRANSFER_SIZES];
  double apart;
  TpFit fit;

  transfer->is_write = direction->is_write;
  if (!measure_sizes (transfer, direction->passes[index], error))
    return FALSE;
  apart = tp_fit_join_passes (direction->passes[0], index + 1,
                              TP_TRANSFER_SIZES, all);
  for (int i = 0; i < TP_TRANSFER_SIZES; i++)
    direction->times_ns[i] = all[i].time_ns;
  fit_points (all, 0, &fit);
  direction->is_settled = apart <= PASSES_AGREE
                          && fit.residual <= TP_FIT_GOOD;
  return TRUE;
}

/* Both in turns, so that what lasts a second is not in all passes of one. */
static gboolean
measure_both (Transfer *transfer, TpTransferTimes *times, GError **error)
{
  Direction directions[]
      = { { .is_write = TRUE, .times_ns = times->to_device_ns },
          { .is_write = FALSE, .times_ns = times->to_host_ns } };

  for (int i = 0; i < PASSES_MAX; i++)
    for (int k = 0; k < 2; k++)
      if (!directions[k].is_settled
          && !add_pass (transfer, &directions[k], i, error))
        return FALSE;
  return TRUE;
}

gboolean
tp_transfers_measure (const TpTransferJob *job, TpTransferTimes *out_times,
                      GError **error)
{
  const gint64 most = sizes[TP_TRANSFER_SIZES - 1].bytes;
  const TpDeviceOps *ops = job->device->ops;
  g_autofree char *bytes = g_malloc0 (most);
  Transfer transfer = { .job = job, .bytes = bytes };
  TpSeat seat;
  gboolean is_good;

  transfer.buf = ops->alloc (job->device, NULL, 0, most, error);
  if (transfer.buf == NULL)
    return FALSE;
  tp_seat_take_alone (&seat);
  is_good = measure_both (&transfer, out_times, error);
  tp_seat_leave (&seat);
  ops->free_buf (job->device, transfer.buf);
  return is_good;
}

/* ---- as a message ------------------------------------------------------- */

void
tp_transfers_send (const TpTransferJob *job, const TpTransferTimes *times,
                   gint64 took_us)
{
  GVariantBuilder packed;

  g_variant_builder_init (&packed, G_VARIANT_TYPE ("ad"));
  for (int i = 0; i < TP_TRANSFER_SIZES; i++)
    {
      g_variant_builder_add (&packed, "d", times->to_device_ns[i]);
      g_variant_builder_add (&packed, "d", times->to_host_ns[i]);
    }
  tp_channel_send (job->channel, TP_MESSAGE_TRANSFERS,
                   g_variant_new (TIMES_TYPE, job->index, took_us, &packed));
}

static gboolean
unpack_times (GVariant *packed, TpTransferTimes *out_times)
{
  g_autoptr (GVariant) owned = packed;
  gsize n;
  const double *times_ns
      = g_variant_get_fixed_array (owned, &n, sizeof *times_ns);

  if (n != 2 * TP_TRANSFER_SIZES)
    return FALSE;
  for (gsize i = 0; i < n; i++)
    if (!(times_ns[i] >= 1 && times_ns[i] < G_MAXINT64))
      return FALSE;
  for (int i = 0; i < TP_TRANSFER_SIZES; i++)
    {
      out_times->to_device_ns[i] = times_ns[2 * i];
      out_times->to_host_ns[i] = times_ns[2 * i + 1];
    }
  return TRUE;
}

gboolean
tp_transfers_read (GVariant *payload, int *out_device, gint64 *out_took_us,
                   TpTransferTimes *out_times)
{
  GVariant *packed;

  if (!g_variant_is_of_type (payload, G_VARIANT_TYPE (TIMES_TYPE)))
    return FALSE;
  g_variant_get (payload, "(ix@ad)", out_device, out_took_us, &packed);
  return unpack_times (packed, out_times);
}

/* ---- several processes -------------------------------------------------- */

/* The median of @n times, of an even number the less of two; *@apart becomes at least
 * what it is unsure by. */
static double
find_middle (double *times_ns, int n, double *apart)
{
  double middle;

  qsort (times_ns, n, sizeof *times_ns, tp_compare_double);
  middle = times_ns[(n - 1) / 2];
  *apart = MAX (*apart, (times_ns[n - 1] - times_ns[0]) / 2 / middle / sqrt (n));
  return middle;
}

/* @offset: of the times of one way. */
static void
fit_sittings (const TpTransferTimes *sittings, int n, gsize offset,
              TpFit *out_fit)
{
  TpFitPoint all[TP_TRANSFER_SIZES];
  g_autofree double *times_ns = g_new (double, n);
  double apart = 0;

  for (int i = 0; i < TP_TRANSFER_SIZES; i++)
    {
      for (int k = 0; k < n; k++)
        times_ns[k] = ((const double *) G_STRUCT_MEMBER_P (&sittings[k], offset))[i];
      all[i] = (TpFitPoint){ sizes[i].bytes,
                             find_middle (times_ns, n, &apart) };
    }
  fit_points (all, apart, out_fit);
}

void
tp_transfers_fit (const TpTransferTimes *sittings, int n, TpFit *out_to_device,
                  TpFit *out_to_host)
{
  fit_sittings (sittings, n, G_STRUCT_OFFSET (TpTransferTimes, to_device_ns),
                out_to_device);
  fit_sittings (sittings, n, G_STRUCT_OFFSET (TpTransferTimes, to_host_ns),
                out_to_host);
}
