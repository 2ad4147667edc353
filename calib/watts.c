/* watts.c: see watts.h.
 *
 * Busy is a large MatMul, over and over; idle, the device open and nothing to do; a
 * copy, large ones to the device and back. Each goes on for a while before it counts,
 * as clocks and averages take some tenths of a second to follow. */
#include "config.h"

#include "calib/watts.h"

#include "calib/burst.h"
#include "calib/chain-time.h"
#include "calib/constants-graph.h"
#include "calib/joules.h"
#include "calib/measure.h"
#include "calib/patience.h"
#include "ir/clock.h"
#include "ir/rates.h"
#include "runtime/devices.h"
#include "runtime/threads.h"

#include <math.h>

#define COUNTED_US G_GINT64_CONSTANT (1000000) /* and 0.4 of that before */
#define LOOK_NS (20 * 1000 * 1000)  /* between two looks at counters */
#define BURST_MAX (1 << 12)
#define COPY_BYTES (16 << 20)
#define WATTS_TYPE "(ixxxs)"

typedef struct
{
  TpChannel *channel;
  int index;                  /* of the device */
  TpDevice *device;
  TpChain *chain;
  TpLaunch *load;             /* a large MatMul */
  int burst;                  /* launches of it that take a look's time */
  TpBuf *buf;                 /* to copy to and from; NULL: it is in host memory */
  char *bytes;
  TpJoules *own;              /* of the device */
  TpJoules *host;             /* (nullable): of the processors, if those are
                               * others */
} Subject;

/* ---- loads ---------------------------------------------------------------- */

/* Goes on for some milliseconds. */
typedef gboolean (*LoadFunc) (Subject *subject, GError **error);

static gboolean
rest (Subject *subject, GError **error)
{
  g_usleep (LOOK_NS / 1000);
  return TRUE;
}

static gboolean
multiply (Subject *subject, GError **error)
{
  gint64 time_ns;

  if (!tp_burst_time (subject->device, subject->load, subject->burst, &time_ns,
                      error))
    return FALSE;
  if (time_ns < LOOK_NS / 2)
    subject->burst = MIN (2 * subject->burst, BURST_MAX);
  return TRUE;
}

static gboolean
copy (Subject *subject, GError **error)
{
  TpDevice *device = subject->device;

  return tp_device_write (device, subject->buf, subject->bytes, COPY_BYTES,
                          error)
         && tp_device_read (device, subject->buf, subject->bytes, COPY_BYTES,
                            error);
}

/* ---- counting ------------------------------------------------------------- */

static gboolean
fail (const Subject *subject, const char *counters, GError **error)
{
  g_set_error (error, TPLAN_ERROR, TPLAN_ERROR_DEVICE,
               "the counter of energy %s stood still, or can be read no more: "
               "say what it draws with --watts", counters);
  return FALSE;
}

/* Both counters, or the one there is. */
static gboolean
start (Subject *subject, GError **error)
{
  if (!tp_joules_start (subject->own))
    return fail (subject, tp_joules_get_source (subject->own), error);
  if (subject->host != NULL && !tp_joules_start (subject->host))
    return fail (subject, tp_joules_get_source (subject->host), error);
  return TRUE;
}

static gboolean
stop (Subject *subject, double *out_own, double *out_host, GError **error)
{
  *out_own = *out_host = 0;
  if (tp_channel_must_stop (subject->channel))
    return TRUE;
  if (!tp_joules_stop (subject->own, out_own))
    return fail (subject, tp_joules_get_source (subject->own), error);
  if (subject->host != NULL && !tp_joules_stop (subject->host, out_host))
    return fail (subject, tp_joules_get_source (subject->host), error);
  return TRUE;
}

/* @load for @time_ns, or until the child must stop. */
static gboolean
go_on (Subject *subject, LoadFunc load, gint64 time_ns, GError **error)
{
  gint64 end_ns = tp_clock_get_ns () + time_ns;

  while (tp_clock_get_ns () < end_ns
         && !tp_channel_must_stop (subject->channel))
    {
      tp_channel_beat (subject->channel, TP_PHASE_OPEN, subject->index, -1);
      if (!load (subject, error))
        return FALSE;
      tp_joules_look (subject->own);
      if (subject->host != NULL)
        tp_joules_look (subject->host);
    }
  return TRUE;
}

static gboolean
count (Subject *subject, LoadFunc load, double *out_own, double *out_host,
       GError **error)
{
  gint64 counted_ns = 1000 * MIN (COUNTED_US, tp_patience_get_most_us ());

  return go_on (subject, load, counted_ns / 5 * 2, error)
         && start (subject, error)
         && go_on (subject, load, counted_ns, error)
         && stop (subject, out_own, out_host, error);
}

/* ---- one device ----------------------------------------------------------- */

static gint64
get_milliwatts (double watts)
{
  return (gint64) CLAMP (round (watts * 1000), 0, TP_RATE_MAX);
}

/* A device that draws less at work than without is one that was not idle. Where the
 * child must stop, nothing is said. */
static gboolean
count_all (Subject *subject, GError **error)
{
  double busy, idle, copying, host, host_idle, ignored;

  if (!count (subject, rest, &idle, &host_idle, error)
      || !count (subject, multiply, &busy, &ignored, error))
    return FALSE;
  copying = idle;
  host = host_idle;
  if (subject->buf != NULL && !count (subject, copy, &copying, &host, error))
    return FALSE;
  if (tp_channel_must_stop (subject->channel))
    return TRUE;
  tp_channel_send (
      subject->channel, TP_MESSAGE_WATTS,
      g_variant_new (WATTS_TYPE, subject->index, get_milliwatts (busy),
                     get_milliwatts (MIN (idle, busy)),
                     get_milliwatts (copying - idle + host - host_idle),
                     tp_joules_get_source (subject->own)));
  return TRUE;
}

static gboolean
add_buffer (Subject *subject, const TpDeviceInfo *info, GError **error)
{
  if (info->is_host)
    return TRUE;
  subject->bytes = g_malloc0 (COPY_BYTES);
  subject->buf = subject->device->ops->alloc (subject->device, NULL, 0,
                                              COPY_BYTES, error);
  return subject->buf != NULL;
}

/* Makes ready what there is to run, all of which runs once. */
static gboolean
add_chain (Subject *subject, const TpGraph *graph, const TpKeys *keys,
           int n_threads, GError **error)
{
  g_autoptr (TpArray) links = tp_array_new (sizeof (int));
  TpArray *const passes[TP_N_PASSES] = { links };
  const TpChainWanted wanted = { .keys = keys, .passes = passes };
  const int *all;

  for (int i = 0; i < keys->n; i++)
    tp_array_append_val (links, i);
  subject->chain = tp_chain_new (subject->device, graph, &wanted, error);
  if (subject->chain == NULL)
    return FALSE;
  subject->chain->n_threads = n_threads;
  all = &tp_array_index (links, int, 0);
  if (!tp_chain_compile (subject->chain, all, keys->n, error)
      || !tp_chain_run (subject->chain, all, keys->n, error))
    return FALSE;
  for (int i = 0; i < subject->chain->n_links; i++)
    if (g_str_equal (graph->nodes[subject->chain->links[i].key].name, "peak"))
      subject->load = subject->chain->links[i].launch;
  return TRUE;
}

static gboolean
measure (Subject *subject, const TpDeviceInfo *info, int n_threads,
         GError **error)
{
  TpConstantsSizes sizes = tp_constants_choose_sizes (info);
  g_autoptr (TpGraph) graph = tp_constants_build_graph (&sizes, error);
  g_autoptr (TpKeys) keys = NULL;
  gboolean is_good;

  if (graph == NULL)
    return FALSE;
  keys = tp_keys_new (graph, NULL, TRUE);
  is_good = add_chain (subject, graph, keys, n_threads, error)
            && add_buffer (subject, info, error) && count_all (subject, error);
  if (subject->buf != NULL)
    subject->device->ops->free_buf (subject->device, subject->buf);
  g_clear_pointer (&subject->chain, tp_chain_free);
  g_clear_pointer (&subject->bytes, g_free);
  return is_good;
}

/* FALSE: there is none, or none that this process may read. */
static gboolean
find_counters (Subject *subject, const TpDeviceInfo *info, GError **error)
{
  subject->own = tp_joules_open (NULL, info->pci);
  if (subject->own != NULL)
    {
      subject->host = info->pci == NULL ? NULL : tp_joules_open (NULL, NULL);
      return TRUE;
    }
  g_set_error (error, TPLAN_ERROR, TPLAN_ERROR_DEVICE,
               "what it draws is not known: %s, so say it with --watts",
               info->pci == NULL
                   ? "no counter of energy of processors can be read "
                     "(/sys/class/powercap; as a rule root may)"
                   : "its driver shows no counter of energy (hwmon)");
  return FALSE;
}

static gboolean
do_device (TpChannel *channel, const TpWattsJob *job, int index,
           GError **error)
{
  const TpDeviceOptions options = { .n_threads = job->n_threads };
  const char *name = job->devices[index];
  g_autofree char *what = g_strdup_printf ("what %s draws", name);
  Subject subject = { .channel = channel, .index = index, .burst = 1 };
  TpDeviceInfo info;
  gboolean is_good;

  tp_channel_send (channel, TP_MESSAGE_PROGRESS,
                   g_variant_new ("(is)", 0, what));
  tp_channel_beat (channel, TP_PHASE_OPEN, index, -1);
  subject.device = tp_device_open (name, &options, error);
  if (subject.device == NULL)
    return FALSE;
  subject.device->ops->describe (subject.device, &info);
  is_good = find_counters (&subject, &info, error)
            && measure (&subject, &info, tp_threads_count (job->n_threads),
                        error);
  tp_device_info_clear (&info);
  tp_device_close (subject.device);
  g_clear_pointer (&subject.own, tp_joules_free);
  g_clear_pointer (&subject.host, tp_joules_free);
  tp_channel_send (channel, TP_MESSAGE_PROGRESS,
                   g_variant_new ("(is)", 1, what));
  return is_good;
}

void
tp_watts_work (TpChannel *channel, gpointer data)
{
  const TpWattsJob *job = data;

  for (int i = job->first;
       i < job->n_devices && !tp_channel_must_stop (channel); i++)
    {
      g_autoptr (GError) error = NULL;

      if (!do_device (channel, job, i, &error))
        tp_channel_send (channel, TP_MESSAGE_WARN,
                         g_variant_new ("(is)", i, error->message));
    }
}

gboolean
tp_watts_read (GVariant *payload, int *out_device, TpDeviceRow *row)
{
  if (!g_variant_is_of_type (payload, G_VARIANT_TYPE (WATTS_TYPE)))
    return FALSE;
  g_free (row->counters);
  g_variant_get (payload, WATTS_TYPE, out_device, &row->busy_mw, &row->idle_mw,
                 &row->copy_mw, &row->counters);
  return row->busy_mw > 0 && row->busy_mw <= TP_RATE_MAX && row->idle_mw >= 0
         && row->idle_mw <= row->busy_mw && row->copy_mw >= 0
         && row->copy_mw <= TP_RATE_MAX;
}
