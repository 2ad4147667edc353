/* offer.c: see offer.h. */
#include "config.h"

#include "planner/offer.h"

#include "ir/guard.h"
#include "ir/op.h"
#include "planner/bundles.h"

#include <string.h>

typedef struct
{
  const TpGroups *groups;
  gboolean is_second;         /* of these, those of the second reading of the rules; the
                               * others are nothing here */
  const TpGraph *graph;
  const TpCosts *costs;       /* (nullable) */
  int *whole_of;              /* [group]: the next larger that it is in; -1: none */
  gboolean *has_chains;       /* [group]: others are in it */
  gboolean *is_taken;         /* [group] */
  gboolean *is_unsure;        /* [group]: a figure of it, or of what it holds, is a guess */
  gint64 *gains;              /* (nullable) [group * n_devices + device]: of those in
                               * it that are better than what they hold */
} Offer;

static int
find_last_node (const TpGroups *groups)
{
  int last = -1;

  for (int i = 0; i < groups->n_groups; i++)
    last = MAX (last, groups->groups[i].nodes[groups->groups[i].n_nodes - 1]);
  return last;
}

static gboolean
is_read (const Offer *offer, int group)
{
  return offer->groups->groups[group].is_second == offer->is_second;
}

/* Groups come after those that they hold: of what has a node so far the last is the
 * largest. */
static void
offer_init (Offer *offer, const TpGroups *groups)
{
  int n = find_last_node (groups) + 1;
  g_autofree int *largest = tp_new (int, n + 1);

  offer->groups = groups;
  offer->whole_of = tp_new (int, groups->n_groups + 1);
  offer->has_chains = tp_new0 (gboolean, groups->n_groups + 1);
  offer->is_taken = tp_new0 (gboolean, groups->n_groups + 1);
  offer->is_unsure = tp_new0 (gboolean, groups->n_groups + 1);
  memset (largest, -1, n * sizeof (int));
  for (int i = 0; i < groups->n_groups; i++)
    {
      offer->whole_of[i] = -1;
      for (int k = 0; k < groups->groups[i].n_nodes && is_read (offer, i); k++)
        {
          int *before = &largest[groups->groups[i].nodes[k]];

          if (*before >= 0)
            {
              offer->whole_of[*before] = i;
              offer->has_chains[i] = TRUE;
            }
          *before = i;
        }
    }
}

static void
offer_clear (Offer *offer)
{
  g_free (offer->whole_of);
  g_free (offer->has_chains);
  g_free (offer->is_taken);
  g_free (offer->is_unsure);
  g_free (offer->gains);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Offer, offer_clear)

static TpGroups *
list_taken (const Offer *offer)
{
  g_autoptr (TpGroups) out = tp_groups_new ();

  for (int i = 0; i < offer->groups->n_groups; i++)
    if (offer->is_taken[i])
      tp_groups_add_copy (out, &offer->groups->groups[i]);
  return g_steal_pointer (&out);
}

/* ---- by costs ---------------------------------------------------------- */

/* TP_COST_NONE: it cannot be there. */
static gint64
get_node_time (const Offer *offer, int node, int device)
{
  const char *const *pins = offer->graph->nodes[node].pins;

  if (pins != NULL
      && !g_strv_contains (pins, offer->costs->devices[device]))
    return TP_COST_NONE;
  return tp_costs_node (offer->costs, node, device)->time_ns;
}

/* Of the nodes of group @index, each apart. TP_COST_NONE: one of them cannot be on
 * @device. */
static gint64
sum_nodes (const Offer *offer, int index, int device)
{
  const TpGroup *group = &offer->groups->groups[index];
  gint64 sum = 0;

  for (int i = 0; i < group->n_nodes; i++)
    {
      gint64 time_ns = get_node_time (offer, group->nodes[i], device);

      if (time_ns == TP_COST_NONE)
        return TP_COST_NONE;
      sum = MIN (sum + MIN (time_ns, TP_COST_NONE / 4), TP_COST_NONE / 4);
    }
  return sum;
}

/* What group @index saves to its nodes apart. */
static gint64
find_gain (const Offer *offer, int index, int device)
{
  gint64 apart = sum_nodes (offer, index, device);
  gint64 time_ns = tp_costs_group (offer->costs, index, device)->time_ns;

  return apart == TP_COST_NONE || time_ns == TP_COST_NONE
             ? 0
             : MAX (0, apart - time_ns);
}

/* A guess beside what was measured promises gains out of nothing. */
static gboolean
is_guess (const Offer *offer, int whole, int device)
{
  const TpGroup *group = &offer->groups->groups[whole];
  gboolean is_estimated
      = tp_costs_group (offer->costs, whole, device)->is_estimated;

  for (int i = 0; i < group->n_nodes && is_estimated; i++)
    {
      const TpCost *node
          = tp_costs_node (offer->costs, group->nodes[i], device);

      if (!node->is_estimated && node->time_ns > 0)
        return TRUE;
    }
  return FALSE;
}

/* Whether nothing is lost on @device if @whole is offered in place of its chains.
 * *@out_is_there: set where it can be in effect. */
static gboolean
is_no_loss (const Offer *offer, int whole, int device,
            gboolean *out_is_there)
{
  gint64 apart = sum_nodes (offer, whole, device);
  gint64 time_ns = tp_costs_group (offer->costs, whole, device)->time_ns;
  gint64 within
      = offer->gains[(gsize) whole * offer->costs->n_devices + device];

  if (apart == TP_COST_NONE || time_ns == TP_COST_NONE
      || is_guess (offer, whole, device))
    return within == 0;
  *out_is_there = TRUE;
  return time_ns <= apart - within;
}

static gboolean
is_whole_better (const Offer *offer, int whole)
{
  gboolean is_there = FALSE;

  for (int d = 0; d < offer->costs->n_devices; d++)
    if (!is_no_loss (offer, whole, d, &is_there))
      return FALSE;
  return is_there;
}

/* Whether on no device less is saved if the parts of @chain are offered in place of it,
 * and on one more. */
static gboolean
are_parts_better (const Offer *offer, int chain)
{
  gboolean is_more = FALSE;

  for (int d = 0; d < offer->costs->n_devices; d++)
    {
      gint64 within
          = offer->gains[(gsize) chain * offer->costs->n_devices + d];
      gint64 gain = find_gain (offer, chain, d);

      if (within < gain)
        return FALSE;
      is_more |= within > gain;
    }
  return is_more && !offer->is_unsure[chain];
}

/* A chain has nothing that joins others, but at its beginning. */
static gboolean
is_whole (const TpGraph *graph, const TpGroup *group)
{
  for (int i = 1; i < group->n_nodes; i++)
    {
      const TpOp *op = graph->nodes[group->nodes[i]].op;

      if (op != NULL && (op->flags & TP_OP_JOINS) != 0)
        return TRUE;
    }
  return FALSE;
}

static gboolean
is_better (const Offer *offer, int index)
{
  return is_whole (offer->graph, &offer->groups->groups[index])
             ? is_whole_better (offer, index)
             : !are_parts_better (offer, index);
}

gboolean
tp_offer_has_wholes (const TpGroups *family, const TpGraph *graph)
{
  for (int i = 0; i < family->n_groups; i++)
    if (is_whole (graph, &family->groups[i]))
      return TRUE;
  return FALSE;
}

/* Takes those that are better than what they hold, and tells what they are in what is
 * saved so. */
static void
take_better (Offer *offer)
{
  int n_groups = offer->groups->n_groups, n = offer->costs->n_devices;

  offer->gains = tp_new0 (gint64, (gsize) n_groups * n + 1);
  for (int i = 0; i < n_groups; i++)
    {
      int whole = offer->whole_of[i];

      if (!is_read (offer, i))
        continue;
      for (int d = 0; d < n; d++)
        offer->is_unsure[i] |= is_guess (offer, i, d);
      offer->is_taken[i] = !offer->has_chains[i] || is_better (offer, i);
      if (whole >= 0)
        offer->is_unsure[whole] |= offer->is_unsure[i];
      for (int d = 0; d < n && whole >= 0; d++)
        offer->gains[(gsize) whole * n + d]
            += offer->is_taken[i] ? find_gain (offer, i, d)
                                  : offer->gains[(gsize) i * n + d];
    }
}

/* Of groups within each other the largest stays. */
static void
drop_held (Offer *offer)
{
  g_autofree gboolean *is_held = tp_new0 (gboolean, offer->groups->n_groups + 1);

  for (int i = offer->groups->n_groups - 1; i >= 0; i--)
    {
      int whole = offer->whole_of[i];

      is_held[i] = whole >= 0 && (is_held[whole] || offer->is_taken[whole]);
      offer->is_taken[i] &= !is_held[i];
    }
}

/* ---- two readings ------------------------------------------------------ */

/* What speaks for and against the second reading in a bundle. */
#define IS_READ_TWICE 1
#define IS_UNSURE 2
#define HAS_OWN 4
#define SAVES_MORE 8
#define SAVES_LESS 16

static int
get_bundle (const Offer *offer, const int *bundles, int group)
{
  return bundles[offer->groups->groups[group].nodes[0]];
}

/* @marks: [bundle]. */
static void
mark_groups (const Offer *first, const Offer *second, const int *bundles,
             guint8 *marks)
{
  const TpGroups *family = first->groups;
  g_autofree gboolean *is_own
      = tp_bundles_find_own (family, find_last_node (family) + 1);

  for (int i = 0; i < family->n_groups; i++)
    {
      guint8 *mark = &marks[get_bundle (first, bundles, i)];

      if (family->groups[i].is_second)
        *mark |= IS_READ_TWICE;
      if (first->is_unsure[i] || second->is_unsure[i])
        *mark |= IS_UNSURE;
      if (is_own[i] && second->is_taken[i])
        *mark |= HAS_OWN;
    }
}

/* By what is saved on @device. */
static void
mark_savings (const Offer *first, const Offer *second, const int *bundles,
              int device, guint8 *marks)
{
  int n = find_last_node (first->groups) + 1;
  g_autofree gint64 *more = tp_new0 (gint64, n + 1);

  for (int i = 0; i < first->groups->n_groups; i++)
    {
      gint64 *it = &more[get_bundle (first, bundles, i)];

      if (first->is_taken[i])
        *it -= find_gain (first, i, device);
      if (second->is_taken[i])
        *it += find_gain (second, i, device);
    }
  for (int i = 0; i < n; i++)
    marks[i] |= more[i] > 0 ? SAVES_MORE : more[i] < 0 ? SAVES_LESS : 0;
}

/* Takes what @second has taken instead where no device loses by that, one gains, and no
 * guess stands beside what was measured. Something of it is by the second reading alone,
 * so that who looks at the groups can tell. */
static void
take_second (Offer *first, const Offer *second)
{
  int n = find_last_node (first->groups) + 1;
  g_autofree int *bundles = tp_bundles_find (first->groups, n);
  g_autofree guint8 *marks = tp_new0 (guint8, n + 1);

  mark_groups (first, second, bundles, marks);
  for (int d = 0; d < first->costs->n_devices; d++)
    mark_savings (first, second, bundles, d, marks);
  for (int i = 0; i < first->groups->n_groups; i++)
    if (marks[get_bundle (first, bundles, i)]
        == (IS_READ_TWICE | HAS_OWN | SAVES_MORE))
      first->is_taken[i] = second->is_taken[i];
}

static gboolean
is_read_twice (const TpGroups *family)
{
  for (int i = 0; i < family->n_groups; i++)
    if (family->groups[i].is_second)
      return TRUE;
  return FALSE;
}

/* ---- what stays -------------------------------------------------------- */

/* What rows of groups are measurements of is told by the first that is one. */
static void
renumber_kernels (TpCosts *costs, const int *from, int n)
{
  g_autofree int *first = tp_new0 (int, costs->n_nodes + costs->n_groups + 1);

  for (int i = 0; i < n; i++)
    {
      int old = costs->kernels[from[i]];

      if (old > 0 && first[old] == 0)
        first[old] = i + 1;
      costs->kernels[i] = old > 0 ? first[old] : 0;
    }
}

/* Of @costs those of groups that were taken stay. */
static void
keep_costs (const Offer *offer, TpCosts *costs)
{
  g_autofree int *from = tp_new (int, costs->n_nodes + costs->n_groups + 1);
  int n = costs->n_nodes;

  for (int i = 0; i < n; i++)
    from[i] = i;
  for (int i = 0; i < costs->n_groups; i++)
    if (offer->is_taken[i])
      {
        memmove (tp_costs_group (costs, n - costs->n_nodes, 0),
                 tp_costs_group (costs, i, 0),
                 costs->n_devices * sizeof (TpCost));
        from[n++] = costs->n_nodes + i;
      }
  if (costs->kernels != NULL)
    renumber_kernels (costs, from, n);
  costs->n_groups = n - costs->n_nodes;
}

TpGroups *
tp_offer_choose (const TpGroups *family, const TpGraph *graph,
                  TpCosts *costs)
{
  g_auto (Offer) own = { .graph = graph, .costs = costs };
  g_auto (Offer) second = { .graph = graph, .costs = costs, .is_second = TRUE };

  offer_init (&own, family);
  take_better (&own);
  drop_held (&own);
  if (is_read_twice (family))
    {
      offer_init (&second, family);
      take_better (&second);
      drop_held (&second);
      take_second (&own, &second);
    }
  keep_costs (&own, costs);
  if (costs->n_groups < family->n_groups)
    tp_costs_seal (costs);
  return list_taken (&own);
}

/* ---- without ----------------------------------------------------------- */

/* How many of @group and those that hold it are taken. */
static int
count_taken (const Offer *offer, int group)
{
  int n = 0;

  for (; group >= 0; group = offer->whole_of[group])
    n += offer->is_taken[group];
  return n;
}

static gboolean
is_equal (const TpGroup *a, const TpGroup *b)
{
  return a->n_nodes == b->n_nodes
         && memcmp (a->nodes, b->nodes, a->n_nodes * sizeof (int)) == 0;
}

static gboolean
has (const TpGroups *groups, const TpGroup *group)
{
  for (int i = 0; i < groups->n_groups; i++)
    if (is_equal (&groups->groups[i], group))
      return TRUE;
  return FALSE;
}

/* [bundle]: whether @groups have something there of the second reading alone. */
static gboolean *
find_second (const TpGroups *family, const TpGroups *groups, const int *bundles)
{
  int n = find_last_node (family) + 1;
  g_autofree gboolean *is_own = tp_bundles_find_own (family, n);
  g_autofree gboolean *is_second = tp_new0 (gboolean, n + 1);

  for (int i = 0; i < family->n_groups; i++)
    if (is_own[i] && has (groups, &family->groups[i]))
      is_second[bundles[family->groups[i].nodes[0]]] = TRUE;
  return g_steal_pointer (&is_second);
}

/* In the bundles that are by the reading of @own, whether @groups have one of each. */
static gboolean
has_one_of_each (Offer *own, const TpGroups *groups, const int *bundles,
                 const gboolean *is_second)
{
  int n = own->groups->n_groups;

  for (int i = 0; i < n; i++)
    own->is_taken[i] = is_read (own, i) && has (groups, &own->groups->groups[i])
                       && is_second[get_bundle (own, bundles, i)] == own->is_second;
  for (int i = 0; i < n; i++)
    if (is_read (own, i)
        && is_second[get_bundle (own, bundles, i)] == own->is_second
        && (count_taken (own, i) > 1
            || (!own->has_chains[i] && count_taken (own, i) == 0)))
      return FALSE;
  return TRUE;
}

gboolean
tp_offer_allows (const TpGroups *family, const TpGroups *groups)
{
  g_auto (Offer) first = { NULL }, second = { .is_second = TRUE };
  g_autofree int *bundles
      = tp_bundles_find (family, find_last_node (family) + 1);
  g_autofree gboolean *is_second = find_second (family, groups, bundles);
  int n = 0;

  offer_init (&first, family);
  offer_init (&second, family);
  if (!has_one_of_each (&first, groups, bundles, is_second)
      || !has_one_of_each (&second, groups, bundles, is_second))
    return FALSE;
  for (int i = 0; i < family->n_groups; i++)
    if (first.is_taken[i] || second.is_taken[i])
      {
        if (n == groups->n_groups
            || !is_equal (&family->groups[i], &groups->groups[n]))
          return FALSE;
        n++;
      }
  return n == groups->n_groups;
}
