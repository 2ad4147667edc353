/* hand-over.c: see hand-over.h.
 *
 * Nothing is copied, but caches are: what the host has just written a kernel has to
 * get from the host's, and the other way round. So a map is timed over an input that
 * the host wrote, and over one that was there from the run before; and the host reads
 * what the kernel wrote, and what it wrote itself. What the first of both takes longer
 * is handing over. Beside that there is a wait for the kernel: what the smallest map
 * takes above a launch in a row of them. Before each map the host is busy, for as long as
 * lets threads of a driver fall asleep and with as much as drives what they know from
 * caches, as a network would. */
#include "config.h"

#include "calib/hand-over.h"

#include "calib/chain.h"
#include "calib/seat.h"
#include "graph/graph-builder-private.h"
#include "graph/graph-builder.h"
#include "graph/graph-expand.h"
#include "graph/graph-finish.h"
#include "ir/clock.h"
#include "runtime/devices.h"

#include <stdlib.h>
#include <string.h>

#define N_PASSES 3
#define N_SAMPLES 11
#define BUSY_NS 500000
#define BUSY_BYTES (2 << 20)  /* more than the nearest caches have */

static const gint64 sizes[] = { 4 << 10, 32 << 10, 128 << 10, 512 << 10,
                                2 << 20, 8 << 20 };
#define N_SIZES ((int) G_N_ELEMENTS (sizes))

G_STATIC_ASSERT (G_N_ELEMENTS (sizes) <= TP_FIT_POINTS_MAX);

/* One map. */
typedef struct
{
  TpChain *chain;
  int link;
  gint64 size_bytes;
  char *from, *to;            /* where the host has its input and output */
  char *others;               /* BUSY_BYTES that are none of that */
} Map;

/* ---- one map -------------------------------------------------------------- */

static gboolean
run (const Map *map, GError **error)
{
  TpDevice *device = map->chain->device;

  return device->ops->launch (device, map->chain->links[map->link].launch,
                              error)
         && device->ops->launch (device, NULL, error);
}

static void
be_busy (const Map *map)
{
  gint64 end_ns = tp_clock_get_ns () + BUSY_NS;

  for (int i = 0; tp_clock_get_ns () < end_ns; i++)
    memset (map->others, i & 0xff, BUSY_BYTES);
}

static gboolean
time_run (const Map *map, gint64 *out_ns, GError **error)
{
  gint64 before;

  be_busy (map);
  before = tp_clock_get_ns ();
  if (!run (map, error))
    return FALSE;
  *out_ns = tp_clock_get_ns () - before;
  return TRUE;
}

static volatile guint64 read_sum; /* so that reading is not left out */

static gint64
time_read (const Map *map)
{
  const guint64 *words = (const guint64 *) (const void *) map->to;
  gint64 before = tp_clock_get_ns ();
  guint64 sum = 0;

  for (gint64 i = 0; i < map->size_bytes / (gint64) sizeof *words; i++)
    sum += words[i];
  read_sum = sum;
  return tp_clock_get_ns () - before;
}

/* ---- one size -------------------------------------------------------------- */

typedef struct
{
  double run_ns;              /* over what was there */
  double to_device_ns, to_host_ns; /* above that, and above reading one's own */
} Times;

static double
find_middle (const gint64 *times_ns)
{
  TpStats stats;

  tp_stats_compute_fast (times_ns, N_SAMPLES, &stats);
  return stats.median_ns;
}

static gboolean
time_map (const Map *map, Times *out, GError **error)
{
  gint64 fresh[N_SAMPLES], known[N_SAMPLES], others[N_SAMPLES], own[N_SAMPLES];

  for (int i = -1; i < N_SAMPLES; i++)
    {
      int at = MAX (i, 0); /* the first pays for pages never touched */

      if (!run (map, error) || !time_run (map, &known[at], error))
        return FALSE;
      memset (map->from, i & 1, map->size_bytes);
      if (!time_run (map, &fresh[at], error))
        return FALSE;
      others[at] = time_read (map);
      memset (map->to, i & 1, map->size_bytes);
      own[at] = time_read (map);
    }
  out->run_ns = find_middle (known);
  out->to_device_ns = MAX (find_middle (fresh) - out->run_ns, 0);
  out->to_host_ns = MAX (find_middle (others) - find_middle (own), 0);
  return TRUE;
}

/* ---- all sizes -------------------------------------------------------------- */

/* The input of the map of @size is called "i" and its bytes, the output "o". */
static gboolean
add_map (TpGraphBuilder *builder, gint64 size_bytes, GError **error)
{
  g_autofree char *from = g_strdup_printf ("i%" G_GINT64_FORMAT, size_bytes);
  g_autofree char *to = g_strdup_printf ("o%" G_GINT64_FORMAT, size_bytes);
  const TpDimSpec dims[] = { { size_bytes / 4096, NULL }, { 1024, NULL } };
  const TpTensorSpec input = { from, TPLAN_DTYPE_FLOAT32, 2, dims, from };
  const TpNode node = { .name = to, .type = "Relu", .place = to };
  const TpNodeNames names
      = { 1, (const char *const[]){ from }, 1, (const char *const[]){ to } };

  return tp_graph_builder_add_input (builder, &input, error)
         && tp_graph_builder_add_node (builder, &node, names, error)
         && tp_graph_builder_add_output (builder, to, to, error);
}

static TpGraph *
build_graph (GError **error)
{
  g_autoptr (TpGraphBuilder) builder = tp_graph_builder_new ("hand-over", 17);

  for (int i = 0; i < N_SIZES; i++)
    if (!add_map (builder, sizes[i], error))
      return NULL;
  return tp_graph_builder_finish (builder, NULL, error);
}

static char *
find_place (const TpChain *chain, int link, int tensor)
{
  TpBuf *buf;

  tp_chain_find_storage (chain, link, tensor, &buf);
  return buf->data;
}

static gboolean
time_pass (const TpHandOverJob *job, TpChain *chain, Times *out,
           GError **error)
{
  g_autofree char *others = g_malloc (BUSY_BYTES);

  tp_near_wait (job->near, job->precedence, job->channel);
  for (int i = 0; i < N_SIZES; i++)
    {
      const TpNode *node = &chain->graph->nodes[i];
      const Map map = { chain, i, sizes[i],
                        find_place (chain, i, node->inputs[0]),
                        find_place (chain, i, node->outputs[0]), others };

      tp_channel_beat (job->channel, TP_PHASE_OPEN, job->index, -1);
      if (!time_map (&map, &out[i], error))
        return FALSE;
    }
  return TRUE;
}

/* ---- what comes of it -------------------------------------------------------- */

static int
compare (const void *a, const void *b)
{
  const double *x = a, *y = b;

  return (*x > *y) - (*x < *y);
}

/* The middle of all passes; *@apart rises to how far the others are from it. */
static double
join (double *times_ns, double *apart)
{
  double middle;

  qsort (times_ns, N_PASSES, sizeof *times_ns, compare);
  middle = MAX (times_ns[N_PASSES / 2], 1);
  *apart = MAX (*apart, (times_ns[N_PASSES - 1] - times_ns[0]) / 2 / middle);
  return middle;
}

/* @wait_ns comes with each hand-over to the host: the kernel is not done before. */
static void
keep (Times (*passes)[N_SIZES], double wait_ns, TpDeviceRow *row)
{
  TpFitPoint to_device[N_SIZES], to_host[N_SIZES];
  double small = 0, apart = 0;

  for (int i = 0; i < N_SIZES; i++)
    {
      double there[N_PASSES], back[N_PASSES];

      for (int pass = 0; pass < N_PASSES; pass++)
        {
          there[pass] = passes[pass][i].to_device_ns;
          back[pass] = passes[pass][i].to_host_ns + wait_ns;
        }
      to_device[i] = (TpFitPoint){ sizes[i], join (there, &small) };
      to_host[i] = (TpFitPoint){ sizes[i], join (back, &apart) };
    }
  tp_fit_keep_points (&row->map_to_device, to_device, N_SIZES);
  tp_fit_keep_points (&row->map_to_host, to_host, N_SIZES);
  row->map_permille = (gint64) (1000 * MIN (apart, 1));
}

static gboolean
time_all (const TpHandOverJob *job, TpChain *chain, TpDeviceRow *row,
          GError **error)
{
  Times passes[N_PASSES][N_SIZES];
  double waits[N_PASSES], apart = 0;
  TpSeat seat;
  gboolean is_good = TRUE;

  tp_seat_take_alone (&seat);
  for (int i = 0; i < N_PASSES && is_good; i++)
    is_good = time_pass (job, chain, passes[i], error);
  tp_seat_leave (&seat);
  if (!is_good)
    return FALSE;
  for (int i = 0; i < N_PASSES; i++)
    waits[i] = passes[i][0].run_ns - row->launch_ns;
  keep (passes, join (waits, &apart), row);
  return TRUE;
}

static gboolean
time_graph (const TpHandOverJob *job, TpDevice *device, TpDeviceRow *row,
            GError **error)
{
  g_autoptr (TpGraph) graph = build_graph (error);
  g_autoptr (TpKeys) keys = graph == NULL ? NULL
                                          : tp_keys_new (graph, NULL, TRUE);
  g_autoptr (TpArray) links = tp_array_new (sizeof (int));
  TpArray *const passes[TP_N_PASSES] = { links };
  g_autoptr (TpChain) chain = NULL;

  if (graph == NULL)
    return FALSE;
  for (int i = 0; i < N_SIZES; i++)
    tp_array_append_val (links, i);
  chain = tp_chain_new (device, graph,
                        &(TpChainWanted){ .keys = keys, .passes = passes },
                        error);
  return chain != NULL
         && tp_chain_compile (chain, (const int *) (void *) links->data,
                              N_SIZES, error)
         && time_all (job, chain, row, error);
}

gboolean
tp_hand_over_measure (const TpHandOverJob *job, TpDeviceRow *row,
                      GError **error)
{
  const TpDeviceOptions options
      = { .n_threads = job->n_threads, .is_mapped = TRUE };
  g_autoptr (TpDevice) device = tp_device_open (job->device, &options, error);
  TpDeviceInfo info;

  if (device == NULL)
    return FALSE;
  device->ops->describe (device, &info);
  tp_device_info_clear (&info);
  return !info.is_mapped || time_graph (job, device, row, error);
}
