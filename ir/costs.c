/* costs.c: tables of times, and the digest that names one. */
#include "config.h"

#include "ir/costs.h"

#include "ir/array.h"
#include "ir/guard.h"

#include <string.h>

TpGroups *
tp_groups_new (void)
{
  return g_new0 (TpGroups, 1);
}

void
tp_groups_free (TpGroups *groups)
{
  if (groups == NULL)
    return;
  tp_scratch_clear (&groups->nodes);
  g_free (groups->groups);
  g_free (groups);
}

void
tp_groups_add (TpGroups *groups, const int *nodes, int n_nodes)
{
  int n = groups->n_groups;
  int *own;

  if ((n & (n - 1)) == 0) /* full at every power of two: double */
    groups->groups = tp_renew (TpGroup, groups->groups, n == 0 ? 1 : 2 * n);
  own = tp_scratch_new (&groups->nodes, int, n_nodes);
  for (int i = 0; i < n_nodes; i++)
    own[i] = nodes[i];
  groups->groups[n] = (TpGroup){ .n_nodes = n_nodes, .nodes = own };
  groups->n_groups = n + 1;
}

void
tp_groups_add_copy (TpGroups *groups, const TpGroup *group)
{
  TpGroup *copy;

  tp_groups_add (groups, group->nodes, group->n_nodes);
  copy = &groups->groups[groups->n_groups - 1];
  copy->is_claimed = group->is_claimed;
  copy->is_second = group->is_second;
}

static TpCost *
costs_new_table (int rows, int columns, gint64 time_ns)
{
  TpCost *table = tp_new0 (TpCost, (gsize) rows * columns + 1);

  for (gsize i = 0; time_ns != 0 && i < (gsize) rows * columns; i++)
    table[i].time_ns = time_ns;
  return table;
}

TpCostErrors *
tp_cost_errors_new (int n_devices)
{
  TpCostErrors *errors = g_new0 (TpCostErrors, 1);
  gsize n = n_devices;

  errors->factors = g_new0 (gint64, n + 1);
  errors->n_wholes = g_new0 (gint64, n + 1);
  errors->covariances = g_new0 (gint64, n * n + 1);
  for (int i = 0; i < n_devices; i++)
    errors->factors[i] = (gint64) TP_COST_BILLION;
  return errors;
}

void
tp_cost_errors_free (TpCostErrors *errors)
{
  if (errors == NULL)
    return;
  g_free (errors->factors);
  g_free (errors->n_wholes);
  g_free (errors->covariances);
  g_free (errors);
}

TpCosts *
tp_costs_new (int n_devices, const char *const *devices, const TpGraph *graph,
              const TpGroups *groups)
{
  const TpCostRows rows = { graph->n_nodes,
                            groups == NULL ? 0 : groups->n_groups,
                            graph->n_tensors };

  return tp_costs_new_sized (n_devices, devices, &rows);
}

TpCosts *
tp_costs_new_sized (int n_devices, const char *const *devices,
                    const TpCostRows *rows)
{
  g_autoptr (TpCosts) costs = g_new0 (TpCosts, 1);

  costs->ref_count = 1;
  costs->n_devices = n_devices;
  costs->devices = g_new0 (char *, n_devices + 1);
  for (int i = 0; i < n_devices; i++)
    costs->devices[i] = g_strdup (devices[i]);
  costs->memory_bytes = g_new0 (gint64, n_devices + 1);
  costs->pools = g_new0 (char *, n_devices + 1);
  costs->n_nodes = rows->n_nodes;
  costs->nodes = costs_new_table (rows->n_nodes, n_devices, TP_COST_NONE);
  costs->n_groups = rows->n_groups;
  costs->groups = costs_new_table (rows->n_groups, n_devices, TP_COST_NONE);
  costs->n_tensors = rows->n_tensors;
  costs->feeds = costs_new_table (rows->n_tensors, n_devices, 0);
  costs->fetches = costs_new_table (rows->n_tensors, n_devices, 0);
  costs->latencies_ns = g_new0 (gint64, 2 * n_devices + 1);
  return g_steal_pointer (&costs);
}

TpCosts *
tp_costs_ref (TpCosts *costs)
{
  g_atomic_int_inc (&costs->ref_count);
  return costs;
}

void
tp_costs_unref (TpCosts *costs)
{
  if (costs == NULL || !g_atomic_int_dec_and_test (&costs->ref_count))
    return;
  for (int i = 0; costs->pools != NULL && i < costs->n_devices; i++)
    g_free (costs->pools[i]);
  g_free (costs->pools);
  g_free (costs->is_mapped);
  g_strfreev (costs->devices);
  g_free (costs->digest);
  g_free (costs->memory_bytes);
  g_free (costs->nodes);
  g_free (costs->groups);
  g_free (costs->feeds);
  g_free (costs->fetches);
  g_free (costs->latencies_ns);
  g_free (costs->unit_rows);
  g_free (costs->copy_rows);
  g_free (costs->kernels);
  g_free (costs->rates);
  g_free (costs->drawn);
  g_free (costs->speeds);
  tp_cost_errors_free (costs->errors);
  g_free (costs);
}

/* One after the other. Figures of a bad file may be anything: what cannot be
 * added is as good as for ever. */
static TpCost
cost_add (const TpCost *first, const TpCost *second)
{
  TpCost sum = { .is_estimated = first->is_estimated || second->is_estimated };

  if (first->time_ns == TP_COST_NONE)
    return *first;
  if (second->time_ns == TP_COST_NONE)
    return *second;
  if (__builtin_add_overflow (first->time_ns, second->time_ns, &sum.time_ns))
    sum.time_ns = TP_COST_NONE - 1;
  if (__builtin_add_overflow (first->spread_ns, second->spread_ns,
                              &sum.spread_ns))
    sum.spread_ns = TP_COST_NONE - 1;
  return sum;
}

TpCost
tp_costs_copy (const TpCosts *costs, int tensor, int from, int to)
{
  if (from == costs->host)
    from = TP_COSTS_HOST;
  if (to == costs->host)
    to = TP_COSTS_HOST;
  if (from == to)
    return (TpCost){ 0 };
  if (from == TP_COSTS_HOST)
    return *tp_costs_feed (costs, tensor, to);
  if (to == TP_COSTS_HOST)
    return *tp_costs_fetch (costs, tensor, from);
  return cost_add (tp_costs_fetch (costs, tensor, from),
                   tp_costs_feed (costs, tensor, to));
}

const TpNodeCost *
tp_costs_find_given (const TpGraph *graph, const TpGroup *group,
                     const char *device)
{
  const TpGivenGroup *given
      = tp_graph_find_group (graph, group->nodes, group->n_nodes);

  return given == NULL ? NULL : tp_given_group_find_cost (given, device);
}

/* Where one of its ops cannot be, no group is. */
static TpCost
make_group (const TpCosts *costs, const TpNodeCost *given, const TpGroup *group,
            int device)
{
  for (int i = 0; i < group->n_nodes; i++)
    {
      const TpCost *node = tp_costs_node (costs, group->nodes[i], device);

      if (node->time_ns == TP_COST_NONE)
        return (TpCost){ .time_ns = TP_COST_NONE, .reason = node->reason };
    }
  return (TpCost){ .time_ns = given->time_ns, .spread_ns = given->spread_ns };
}

static void
take_groups (TpCosts *costs, const TpGraph *graph, const TpGroups *groups,
             int device)
{
  for (int i = 0; i < costs->n_groups && graph->n_groups > 0; i++)
    {
      const TpNodeCost *given = tp_costs_find_given (
          graph, &groups->groups[i], costs->devices[device]);

      if (given != NULL)
        *tp_costs_group (costs, i, device)
            = make_group (costs, given, &groups->groups[i], device);
    }
}

void
tp_costs_take_given (TpCosts *costs, const TpGraph *graph,
                     const TpGroups *groups, int device)
{
  const char *name = costs->devices[device];

  take_groups (costs, graph, groups, device);
  for (int i = 0; i < costs->n_nodes; i++)
    {
      const TpNodeCost *given = tp_node_find_cost (&graph->nodes[i], name);

      if (given != NULL)
        tp_costs_node (costs, i, device)->spread_ns = given->spread_ns;
    }
  for (int i = 0; i < costs->n_tensors && device != costs->host; i++)
    for (int k = 0; k < graph->tensors[i].n_copies; k++)
      {
        const TpGivenCopy *it = &graph->tensors[i].copies[k];

        if (strcmp (it->device, name) != 0)
          continue;
        *tp_costs_feed (costs, i, device)
            = (TpCost){ .time_ns = it->to_ns, .spread_ns = it->to_spread_ns };
        *tp_costs_fetch (costs, i, device)
            = (TpCost){ .time_ns = it->from_ns,
                        .spread_ns = it->from_spread_ns };
      }
}

/* ---- copies that cost the same ------------------------------------------- */

#define N_SLOTS 4096

/* Rows of @costs put together, each once, or again where others came between. */
typedef struct
{
  const TpCosts *costs;
  TpArray *feeds, *fetches;   /* TpCost */
  int *rows;                  /* [tensor] */
  int slots[N_SLOTS];         /* 1 + a row whose figures lead there; 0: none */
} Sharing;

static void
sharing_clear (Sharing *it)
{
  tp_array_unref (it->feeds);
  tp_array_unref (it->fetches);
  g_free (it->rows);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Sharing, sharing_clear)

static gboolean
are_same (const TpCost *first, const TpCost *second, int n)
{
  for (int d = 0; d < n; d++)
    if (first[d].time_ns != second[d].time_ns
        || first[d].spread_ns != second[d].spread_ns
        || first[d].measured_ns != second[d].measured_ns
        || first[d].is_estimated != second[d].is_estimated
        || first[d].reason != second[d].reason)
      return FALSE;
  return TRUE;
}

static guint64
mix (guint64 sum, gint64 figure)
{
  sum = (sum ^ (guint64) figure) * 0x9e3779b97f4a7c15u;
  return sum ^ sum >> 29;
}

static guint
find_slot (const TpCost *feeds, const TpCost *fetches, int n)
{
  guint64 sum = 0;

  for (int d = 0; d < n; d++)
    sum = mix (mix (sum, feeds[d].time_ns), fetches[d].time_ns);
  return mix (sum, 0) % N_SLOTS;
}

/* The row of @tensor among those put together. */
static int
share_row (Sharing *it, int tensor)
{
  int n = it->costs->n_devices;
  const TpCost *feeds = tp_costs_feed (it->costs, tensor, 0);
  const TpCost *fetches = tp_costs_fetch (it->costs, tensor, 0);
  int *slot = &it->slots[find_slot (feeds, fetches, n)];
  gsize at = (gsize) MAX (*slot - 1, 0) * n;

  if (*slot > 0
      && are_same (&tp_array_index (it->feeds, TpCost, at), feeds, n)
      && are_same (&tp_array_index (it->fetches, TpCost, at), fetches, n))
    return *slot - 1;
  tp_array_append_vals (it->feeds, feeds, n);
  tp_array_append_vals (it->fetches, fetches, n);
  *slot = (int) (it->feeds->len / n);
  return *slot - 1;
}

void
tp_costs_share_copies (TpCosts *costs)
{
  g_auto (Sharing) it = { .costs = costs };
  int n_most = costs->n_tensors / 2;

  if (costs->copy_rows != NULL)
    return;
  it.feeds = tp_array_new (sizeof (TpCost));
  it.fetches = tp_array_new (sizeof (TpCost));
  it.rows = tp_new (int, costs->n_tensors + 1);
  for (int i = 0; i < costs->n_tensors; i++)
    if ((it.rows[i] = share_row (&it, i)) >= n_most)
      return;
  if (costs->n_tensors == 0)
    return;
  g_free (costs->feeds);
  g_free (costs->fetches);
  costs->feeds = tp_array_steal (it.feeds);
  costs->fetches = tp_array_steal (it.fetches);
  costs->copy_rows = g_steal_pointer (&it.rows);
}

gboolean
tp_costs_is_mapped (const TpCosts *costs, int device)
{
  return costs->is_mapped != NULL && costs->is_mapped[device];
}

gboolean
tp_costs_has_mapped (const TpCosts *costs)
{
  for (int i = 0; i < costs->n_devices; i++)
    if (tp_costs_is_mapped (costs, i))
      return TRUE;
  return FALSE;
}

gboolean
tp_costs_map (TpCosts *costs, int device)
{
  if (costs->is_mapped == NULL || costs->host == TP_COSTS_HOST
      || costs->host == device || tp_costs_has_mapped (costs))
    return FALSE;
  return costs->is_mapped[device] = TRUE;
}

gboolean
tp_costs_is_one_engine (const TpCosts *costs)
{
  return costs->is_same_silicon && !costs->has_own_processors;
}

const int *
tp_costs_get_speeds (const TpCosts *costs)
{
  return tp_costs_is_one_engine (costs) ? NULL : costs->speeds;
}

/* Another device may well be faster, and of few ops it is seen in a figure or
 * two. The same processors can only have a better kernel; among dozens of ops some
 * figure is off by one standard deviation in any table. */
int
tp_costs_get_tie_sds (const TpCosts *costs)
{
  return costs->is_same_silicon ? 3 : 1;
}

int
tp_costs_get_kernel (const TpCosts *costs, int row)
{
  return costs->kernels == NULL ? 0 : costs->kernels[row];
}

static void
digest_add_count (TpDigest *digest, gint64 count)
{
  tp_digest_add_shorts (digest, &count, 1);
}

/* As all copies from the host to itself are. */
static inline gboolean
is_nothing (const TpCost *it)
{
  return (it->time_ns | it->spread_ns | it->measured_ns | it->is_estimated) == 0;
}

static inline void
digest_add_cost (TpDigest *digest, const TpCost *it)
{
  const gint64 numbers[]
      = { it->time_ns, it->spread_ns,
          (it->is_estimated != 0) + 2 * (it->measured_ns != 0) };
  gint64 measured_ns = it->measured_ns;

  if (is_nothing (it))
    {
      tp_digest_add_zeros (digest, G_N_ELEMENTS (numbers));
      return;
    }
  if (it->time_ns == TP_COST_NONE)
    {
      digest_add_count (digest, it->time_ns);
      tp_digest_add_string (digest, it->reason);
      return;
    }
  tp_digest_add_shorts (digest, numbers, G_N_ELEMENTS (numbers));
  if (measured_ns != 0)
    tp_digest_add_shorts (digest, &measured_ns, 1);
}

static void
digest_add_table (TpDigest *digest, const TpCosts *costs, TpCostsGet get,
                  int n_rows)
{
  digest_add_count (digest, n_rows);
  for (int i = 0; i < n_rows; i++)
    {
      const TpCost *row = get (costs, i, 0);

      for (int d = 0; d < costs->n_devices; d++)
        digest_add_cost (digest, &row[d]);
    }
}

static void
digest_add_kernels (TpDigest *digest, const TpCosts *costs)
{
  int n = costs->kernels == NULL ? 0 : costs->n_nodes + costs->n_groups;

  if (n > 0)
    tp_digest_add_string (digest, "kernels");
  for (int i = 0; i < n; i++)
    digest_add_count (digest, costs->kernels[i]);
}

static void
digest_add_errors (TpDigest *digest, const TpCosts *costs)
{
  const TpCostErrors *errors = costs->errors;
  int n = costs->n_devices;

  if (errors == NULL)
    return;
  tp_digest_add_string (digest, "errors");
  for (int i = 0; i < n; i++)
    {
      tp_digest_add_number (digest, errors->factors[i]);
      tp_digest_add_number (digest, errors->n_wholes[i]);
    }
  for (int i = 0; i < n * n; i++)
    tp_digest_add_number (digest, errors->covariances[i]);
  tp_digest_add_number (digest, errors->run_variance);
  tp_digest_add_number (digest, errors->until_us);
}

static void
digest_add_rates (TpDigest *digest, const TpCosts *costs)
{
  if (costs->rates == NULL)
    return;
  tp_digest_add_string (digest, "rates");
  for (int i = 0; i < costs->n_devices; i++)
    {
      tp_digest_add_number (digest, costs->rates[i].busy_mw);
      tp_digest_add_number (digest, costs->rates[i].idle_mw);
      tp_digest_add_number (digest, costs->rates[i].copy_mw);
      tp_digest_add_number (digest, costs->rates[i].price);
      tp_digest_add_number (digest,
                            (costs->rates[i].is_per_use != 0)
                                + 2 * (costs->rates[i].is_measured != 0));
    }
}

static void
digest_add_speeds (TpDigest *digest, const TpCosts *costs)
{
  gsize n = 3 * (gsize) costs->n_devices;

  if (costs->speeds == NULL)
    return;
  tp_digest_add_string (digest, "speeds");
  for (gsize i = 0; i < n * n; i++)
    tp_digest_add_number (digest, costs->speeds[i]);
}

static void
digest_add_head (TpDigest *digest, const TpCosts *costs)
{
  tp_digest_add_string (digest, "figures");
  tp_digest_add_number (digest, costs->n_devices);
  for (int i = 0; i < costs->n_devices; i++)
    tp_digest_add_string (digest, costs->devices[i]);
  tp_digest_add_number (digest, costs->is_simulated != 0);
}

static void
digest_add_tail (TpDigest *digest, const TpCosts *costs)
{
  if (costs->host != 0) /* else as it was when only device 0 could be */
    tp_digest_add_number (digest, costs->host);
  if (costs->is_same_silicon)
    tp_digest_add_string (digest, "same silicon");
  if (costs->has_own_processors)
    tp_digest_add_string (digest, "own processors");
  if (tp_costs_has_mapped (costs))
    tp_digest_add_string (digest, "mapped");
  for (int i = 0; i < costs->n_devices; i++)
    if (tp_costs_is_mapped (costs, i))
      tp_digest_add_number (digest, i);
  digest_add_kernels (digest, costs);
  digest_add_errors (digest, costs);
  digest_add_rates (digest, costs);
  digest_add_speeds (digest, costs);
}

char *
tp_costs_compute_digest (const TpCosts *costs)
{
  g_autoptr (TpDigest) digest = tp_digest_new ();

  digest_add_head (digest, costs);
  digest_add_table (digest, costs, tp_costs_node, costs->n_nodes);
  digest_add_table (digest, costs, tp_costs_group, costs->n_groups);
  digest_add_table (digest, costs, tp_costs_feed, costs->n_tensors);
  digest_add_table (digest, costs, tp_costs_fetch, costs->n_tensors);
  digest_add_tail (digest, costs);
  return tp_digest_finish (digest);
}

void
tp_costs_seal (TpCosts *costs)
{
  g_clear_pointer (&costs->digest, g_free);
  costs->digest = tp_costs_compute_digest (costs);
}
