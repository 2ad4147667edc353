/* beaten.c: see beaten.h.
 *
 * Timing goes where it can still decide something. A plan that has a kernel on one
 * device can have it on another for the time it takes there and, at most, copies of
 * all that it reads and writes, forth and back. Where that is certainly less, as
 * sure as intervals are, no cheapest plan has the kernel where it was, so it does
 * not matter how much slower it is there: it is timed often enough. */
#include "config.h"

#include "calib/beaten.h"

#include <math.h>

#define SURE 3                /* half-widths of 95 % intervals */
#define COPIES 1.5            /* links are known to 20 % */

/* INFINITY: nobody measured that. */
static double
get_copy_ns (const TpMeasureDevice *from, const TpMeasureDevice *to,
             double bytes)
{
  if (from->is_host && to->is_host)
    return INFINITY;
  return (from->is_host ? 0 : tp_fit_evaluate_ns (&from->to_host, bytes))
         + (to->is_host ? 0 : tp_fit_evaluate_ns (&to->to_device, bytes));
}

/* All of @key on @there, among others that stay on @here. What a group keeps to
 * itself is counted too: that is more than enough. */
static double
get_copies_ns (const TpGraph *graph, const TpKey *key,
               const TpMeasureDevice *here, const TpMeasureDevice *there)
{
  double sum_ns = 0;

  for (int i = 0; i < key->n_nodes; i++)
    {
      const TpNode *node = &graph->nodes[key->nodes[i]];

      for (int k = 0; k < node->n_inputs; k++)
        {
          const TpTensor *tensor = node->inputs[k] < 0
                                       ? NULL : &graph->tensors[node->inputs[k]];

          if (tensor != NULL && !tp_tensor_is_resident (tensor))
            sum_ns += get_copy_ns (here, there, tensor->size_bytes);
        }
      for (int k = 0; k < node->n_outputs; k++)
        if (node->outputs[k] >= 0)
          sum_ns += get_copy_ns (
              there, here, graph->tensors[node->outputs[k]].size_bytes);
    }
  return COPIES * sum_ns;
}

gboolean
tp_beaten_is (const TpGraph *graph, const TpKey *key, const TpTimed *here,
              const TpTimed *there)
{
  double least_ns = here->stats->median_ns
                    - SURE * (double) tp_stats_find_spread (here->stats);
  double most_ns = there->stats->median_ns
                   + SURE * (double) tp_stats_find_spread (there->stats);

  return here->stats->n >= TP_MEASURE_ROUNDS_MIN
         && there->stats->n >= TP_MEASURE_ROUNDS_MIN && most_ns < least_ns
         && most_ns + get_copies_ns (graph, key, here->device, there->device)
                < least_ns;
}

/* Wherever it is: equal kernels may read constants or not. */
static gboolean
is_beaten (const TpGraph *graph, const TpChain *chain, const GArray *links,
           const TpTimed *here, const TpTimed *there)
{
  gboolean is = TRUE;

  for (guint i = 0; i < links->len && is; i++)
    {
      int link = g_array_index (links, int, i);

      is = tp_beaten_is (graph, &chain->keys->keys[chain->links[link].key],
                         here, there);
    }
  return is;
}

static const char *
get_digest (const TpRival *rival, const TpTrack *track)
{
  return rival->tracks->chain->keys->keys[track->key].digest;
}

static GHashTable *
index_tracks (const TpRival *rival)
{
  GHashTable *index = g_hash_table_new (g_str_hash, g_str_equal);

  for (guint i = 0; i < rival->tracks->tracks->len; i++)
    {
      TpTrack *track = &g_array_index (rival->tracks->tracks, TpTrack, i);

      g_hash_table_insert (index, (gpointer) get_digest (rival, track), track);
    }
  return index;
}

static void
mark_by (const TpGraph *graph, const TpRival *here, const TpRival *there)
{
  g_autoptr (GHashTable) index = index_tracks (there);

  for (guint i = 0; i < here->tracks->tracks->len; i++)
    {
      TpTrack *track = &g_array_index (here->tracks->tracks, TpTrack, i);
      const TpTrack *other
          = g_hash_table_lookup (index, get_digest (here, track));

      if (other != NULL
          && is_beaten (graph, here->tracks->chain, track->links,
                        &(TpTimed){ here->device, &track->stats },
                        &(TpTimed){ there->device, &other->stats }))
        track->is_beaten = TRUE;
    }
}

void
tp_beaten_mark (const TpGraph *graph, const TpRival *rivals, int n)
{
  for (int i = 0; i < n; i++)
    {
      for (guint k = 0; rivals[i].tracks != NULL
                        && k < rivals[i].tracks->tracks->len; k++)
        g_array_index (rivals[i].tracks->tracks, TpTrack, k).is_beaten = FALSE;
      for (int j = 0; j < n; j++)
        if (j != i && rivals[i].tracks != NULL && rivals[j].tracks != NULL)
          mark_by (graph, &rivals[i], &rivals[j]);
    }
}
