/* check-offers.c: of groups that hold others, which are offered to be fused.
 *
 * docs/planner.md, "Groups within groups". A family lists groups after those that they
 * hold, so one that shares an op with earlier ones holds the last of these, and that
 * the others. */
#include "config.h"

#include "planner/check/check-offers.h"

#include "ir/guard.h"
#include "ir/op.h"
#include "planner/check/check-readings.h"

#include <string.h>

/* More than any plan takes; sums of some of it are in range. */
#define MAX_TIME (TP_COST_NONE / 64)

typedef struct
{
  const TpGroups *family;
  gboolean is_second;         /* which reading of the rules: that of others is not
                               * looked at */
  const TpGraph *graph;
  const TpCosts *costs;
  int *holder;                /* [group]: the least that holds it; -1: none */
  gboolean *holds;            /* [group]: whether it holds any */
  gboolean *is_offered;       /* [group] */
} Offers;

static void
offers_clear (Offers *offers)
{
  g_free (offers->holder);
  g_free (offers->holds);
  g_free (offers->is_offered);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Offers, offers_clear)

static int
count_ops (const TpGroups *family)
{
  int n = 0;

  for (int i = 0; i < family->n_groups; i++)
    for (int k = 0; k < family->groups[i].n_nodes; k++)
      n = MAX (n, family->groups[i].nodes[k] + 1);
  return n;
}

static gboolean
is_looked_at (const Offers *offers, int group)
{
  return offers->family->groups[group].is_second == offers->is_second;
}

static void
offers_init (Offers *offers, const TpGroups *family)
{
  gsize n_ops = (gsize) count_ops (family), n = (gsize) family->n_groups;
  g_autofree int *last = tp_new (int, n_ops + 1);

  memset (last, -1, n_ops * sizeof (int));
  offers->family = family;
  offers->holder = tp_new (int, n + 1);
  offers->holds = tp_new0 (gboolean, n + 1);
  offers->is_offered = tp_new0 (gboolean, n + 1);
  for (gsize i = 0; i < n; i++)
    offers->holder[i] = -1;
  for (int i = 0; i < family->n_groups; i++)
    for (int k = 0; k < family->groups[i].n_nodes && is_looked_at (offers, i); k++)
      {
        int op = family->groups[i].nodes[k];

        if (last[op] >= 0)
          {
            offers->holder[last[op]] = i;
            offers->holds[i] = TRUE;
          }
        last[op] = i;
      }
}

/* ---- any choice ---------------------------------------------------------- */

static gboolean
is_same (const TpGroup *a, const TpGroup *b)
{
  gboolean is_equal = a->n_nodes == b->n_nodes;

  for (int i = 0; is_equal && i < a->n_nodes; i++)
    is_equal = a->nodes[i] == b->nodes[i];
  return is_equal;
}

/* One at most of a group and all that hold it; of what holds none, one. */
static gboolean
is_consistent (const Offers *offers, int group)
{
  gboolean is_there = FALSE;

  for (int i = group; i >= 0; i = offers->holder[i])
    {
      if (is_there && offers->is_offered[i])
        return FALSE;
      is_there |= offers->is_offered[i];
    }
  return is_there || offers->holds[group];
}

static gboolean
has_second (const TpGroups *family)
{
  for (int i = 0; i < family->n_groups; i++)
    if (family->groups[i].is_second)
      return TRUE;
  return FALSE;
}

/* Which bundles are by which reading. */
typedef struct
{
  TpCheckerBundles bundles;
  gboolean *is_second;        /* [bundle]; NULL: all are by the first */
} Readings;

static void
readings_clear (Readings *readings)
{
  tp_checker_bundles_clear (&readings->bundles);
  g_free (readings->is_second);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Readings, readings_clear)

/* By the second is a bundle of which one of @groups is, that the first does not make. */
static void
find_second (Readings *readings, const TpGroups *family, const TpGroups *groups)
{
  int n_ops = count_ops (family);

  tp_checker_bundles_init (&readings->bundles, family, n_ops);
  readings->is_second = tp_new0 (gboolean, (gsize) n_ops + 1);
  for (int i = 0; i < groups->n_groups; i++)
    {
      const TpGroup *it = &groups->groups[i];

      if (it->nodes[0] < n_ops
          && !tp_checker_bundles_have_first (&readings->bundles, it))
        readings->is_second[tp_checker_bundles_get (&readings->bundles, it)] = TRUE;
    }
}

static gboolean
is_by_second (const Readings *readings, const TpGroup *group)
{
  return readings->is_second != NULL
         && readings->is_second[tp_checker_bundles_get (&readings->bundles, group)];
}

/* Of those of which @offers are, whether each is there once: itself, what holds it or
 * what it holds. */
static void
find_lacking (const Offers *offers, const Readings *readings, TpCheckerFault *fault)
{
  for (int i = offers->family->n_groups - 1; i >= 0; i--)
    if (is_looked_at (offers, i)
        && is_by_second (readings, &offers->family->groups[i]) == offers->is_second
        && !is_consistent (offers, i))
      fault->lacking = i;
}

gboolean
tp_checker_is_choice (const TpGroups *family, const TpGroups *groups,
                      TpCheckerFault *out_fault)
{
  g_auto (Offers) first = { NULL }, second = { .is_second = TRUE };
  g_auto (Readings) readings = { { NULL }, NULL };
  int n = 0;

  if (has_second (family))
    {
      find_second (&readings, family, groups);
      offers_init (&second, family);
    }
  offers_init (&first, family);
  for (int i = 0; i < family->n_groups && n < groups->n_groups; i++)
    if (is_by_second (&readings, &family->groups[i]) == family->groups[i].is_second
        && is_same (&family->groups[i], &groups->groups[n]))
      {
        (family->groups[i].is_second ? &second : &first)->is_offered[i] = TRUE;
        n++;
      }
  *out_fault = (TpCheckerFault){ n < groups->n_groups ? n : -1, -1 };
  if (readings.is_second != NULL)
    find_lacking (&second, &readings, out_fault);
  find_lacking (&first, &readings, out_fault);
  return out_fault->strange < 0 && out_fault->lacking < 0;
}

/* ---- by figures ----------------------------------------------------------- */

/* What the ops of @group take one by one; TP_COST_NONE: not all may be there. */
static gint64
sum_apart (const Offers *offers, const TpGroup *group, int device)
{
  const char *name = offers->costs->devices[device];
  gint64 sum = 0;

  for (int i = 0; i < group->n_nodes; i++)
    {
      const char *const *pins = offers->graph->nodes[group->nodes[i]].pins;
      gint64 time_ns
          = tp_costs_node (offers->costs, group->nodes[i], device)->time_ns;

      if (time_ns == TP_COST_NONE || (pins != NULL && !g_strv_contains (pins, name)))
        return TP_COST_NONE;
      sum = MIN (sum + MIN (time_ns, MAX_TIME), MAX_TIME);
    }
  return sum;
}

/* What group @index saves on @device. */
static gint64
find_gain (const Offers *offers, int index, int device)
{
  gint64 apart = sum_apart (offers, &offers->family->groups[index], device);
  gint64 fused = tp_costs_group (offers->costs, index, device)->time_ns;

  return apart == TP_COST_NONE || fused >= apart ? 0 : apart - fused;
}

/* Whether the figure of a whole is a guess, and that of any op that takes time is
 * none. */
static gboolean
is_guess (const Offers *offers, int whole, int device)
{
  const TpGroup *group = &offers->family->groups[whole];

  if (!tp_costs_group (offers->costs, whole, device)->is_estimated)
    return FALSE;
  for (int i = 0; i < group->n_nodes; i++)
    {
      const TpCost *cost = tp_costs_node (offers->costs, group->nodes[i], device);

      if (cost->time_ns > 0 && !cost->is_estimated)
        return TRUE;
    }
  return FALSE;
}

/* Whether a whole is better than what it holds. @gains: [group * n_devices +
 * device]: of the best that it holds. */
static gboolean
is_better (const Offers *offers, int whole, const gint64 *gains)
{
  int n_devices = offers->costs->n_devices;
  gboolean is_anywhere = FALSE;

  for (int d = 0; d < n_devices; d++)
    {
      gint64 apart
          = sum_apart (offers, &offers->family->groups[whole], d);
      gint64 fused = tp_costs_group (offers->costs, whole, d)->time_ns;
      gint64 saved = gains[(gsize) whole * n_devices + d];
      gboolean is_there = apart != TP_COST_NONE && fused != TP_COST_NONE
                          && !is_guess (offers, whole, d);

      if (is_there ? fused > apart - saved : saved > 0)
        return FALSE;
      is_anywhere |= is_there;
    }
  return is_anywhere;
}

/* Whether @group puts together what its ops before that make. */
static gboolean
is_whole (const Offers *offers, int index)
{
  const TpGroup *group = &offers->family->groups[index];
  gboolean is_put = FALSE;

  for (int i = 1; i < group->n_nodes; i++)
    {
      const TpNode *it = &offers->graph->nodes[group->nodes[i]];

      is_put |= it->op != NULL && (it->op->flags & TP_OP_JOINS);
    }
  return is_put;
}

/* Whether a figure of @chain is a guess, or one of its parts, which come right before
 * it. */
static gboolean
is_guessed (const Offers *offers, int chain)
{
  for (int i = chain; i >= 0; i--)
    {
      int k = i;

      while (k >= 0 && k != chain)
        k = offers->holder[k];
      for (int d = 0; d < offers->costs->n_devices && k == chain; d++)
        if (is_guess (offers, i, d))
          return TRUE;
      if (k != chain)
        return FALSE;
    }
  return FALSE;
}

/* Whether a chain keeps its place before its parts: it saves more on some device, or
 * they nothing more on any. */
static gboolean
is_kept (const Offers *offers, int chain, const gint64 *within)
{
  gboolean is_less = FALSE;

  for (int d = 0; d < offers->costs->n_devices; d++)
    {
      gint64 gain = find_gain (offers, chain, d);

      if (gain > within[d])
        return TRUE;
      is_less |= gain < within[d];
    }
  return !is_less || is_guessed (offers, chain);
}

static void
choose (Offers *offers)
{
  int n = offers->family->n_groups, n_devices = offers->costs->n_devices;
  g_autofree gint64 *gains = tp_new0 (gint64, (gsize) n * n_devices + 1);

  for (int i = 0; i < n; i++)
    {
      gint64 *own = &gains[(gsize) i * n_devices];

      if (!is_looked_at (offers, i))
        continue;
      offers->is_offered[i] = !offers->holds[i]
                              || (is_whole (offers, i)
                                      ? is_better (offers, i, gains)
                                      : is_kept (offers, i, own));
      for (int d = 0; d < n_devices && offers->is_offered[i]; d++)
        own[d] = find_gain (offers, i, d);
      for (int d = 0; d < n_devices && offers->holder[i] >= 0; d++)
        gains[(gsize) offers->holder[i] * n_devices + d] += own[d];
    }
  for (int i = 0; i < n; i++)
    for (int k = offers->holder[i]; k >= 0; k = offers->holder[k])
      offers->is_offered[i] &= !offers->is_offered[k];
}

/* ---- by which reading ------------------------------------------------------ */

/* Of a bundle, what the second reading saves more than the first, and what it takes. */
typedef struct
{
  gboolean has_both;
  gboolean has_new;           /* offered, by the second alone */
  gboolean has_guess;
  gboolean is_more, is_less;  /* on some device */
} Balance;

static gboolean
has_guess (const Offers *offers, int group)
{
  for (int d = 0; d < offers->costs->n_devices; d++)
    if (is_guess (offers, group, d))
      return TRUE;
  return FALSE;
}

static void
weigh_device (const Offers *first, const Offers *second,
              const TpCheckerBundles *bundles, int device, Balance *balances)
{
  const TpGroups *family = first->family;
  int n_ops = bundles->n_ops;
  g_autofree gint64 *saved = tp_new0 (gint64, (gsize) n_ops + 1);

  for (int i = 0; i < family->n_groups; i++)
    {
      const Offers *its = family->groups[i].is_second ? second : first;
      gint64 gain = its->is_offered[i] ? find_gain (its, i, device) : 0;

      saved[tp_checker_bundles_get (bundles, &family->groups[i])] += its == second ? gain : -gain;
    }
  for (int i = 0; i < n_ops; i++)
    {
      balances[i].is_more |= saved[i] > 0;
      balances[i].is_less |= saved[i] < 0;
    }
}

static Balance *
weigh (const Offers *first, const Offers *second, const TpCheckerBundles *bundles)
{
  const TpGroups *family = first->family;
  g_autofree Balance *balances = tp_new0 (Balance, (gsize) bundles->n_ops + 1);

  for (int i = 0; i < family->n_groups; i++)
    {
      const TpGroup *group = &family->groups[i];
      Balance *it = &balances[tp_checker_bundles_get (bundles, group)];

      it->has_both |= group->is_second;
      it->has_new |= group->is_second && second->is_offered[i]
                     && !tp_checker_bundles_have_first (bundles, group);
      it->has_guess |= has_guess (first, i);
    }
  for (int d = 0; d < first->costs->n_devices; d++)
    weigh_device (first, second, bundles, d, balances);
  return g_steal_pointer (&balances);
}

/* Of each bundle that is read twice what is better. */
static void
choose_readings (Offers *first, const Offers *second)
{
  const TpGroups *family = first->family;
  g_auto (TpCheckerBundles) bundles = { NULL };
  g_autofree Balance *balances = NULL;

  tp_checker_bundles_init (&bundles, family, count_ops (family));
  balances = weigh (first, second, &bundles);
  for (int i = 0; i < family->n_groups; i++)
    {
      const Balance *it
          = &balances[tp_checker_bundles_get (&bundles, &family->groups[i])];

      if (it->has_both && it->has_new && !it->has_guess && it->is_more
          && !it->is_less)
        first->is_offered[i] = second->is_offered[i];
    }
}

/* ---- rows ------------------------------------------------------------------ */

/* Measurements are called by the first row, from 1, that has them. */
static void
name_kernels (int *kernels, int n_rows, int n_names)
{
  g_autofree int *called = tp_new0 (int, (gsize) n_names + 1);

  for (int i = 0; i < n_rows; i++)
    {
      int *name = &called[kernels[i]];

      if (kernels[i] == 0)
        continue;
      if (*name == 0)
        *name = i + 1;
      kernels[i] = *name;
    }
}

/* Takes rows of groups that are not offered out of @costs. */
static void
drop_rows (const Offers *offers, TpCosts *costs)
{
  int n_before = costs->n_groups, n_nodes = costs->n_nodes, n = 0;

  for (int i = 0; i < n_before; i++)
    {
      if (!offers->is_offered[i])
        continue;
      for (int d = 0; d < costs->n_devices; d++)
        *tp_costs_group (costs, n, d) = *tp_costs_group (costs, i, d);
      if (costs->kernels != NULL)
        costs->kernels[n_nodes + n] = costs->kernels[n_nodes + i];
      n++;
    }
  costs->n_groups = n;
  if (costs->kernels != NULL)
    name_kernels (costs->kernels, n_nodes + n, n_nodes + n_before);
}

TpGroups *
tp_checker_choose (const TpGroups *family, const TpGraph *graph, TpCosts *costs)
{
  g_autoptr (TpGroups) chosen = tp_groups_new ();
  g_auto (Offers) offers = { .graph = graph, .costs = costs };
  g_auto (Offers) second = { .graph = graph, .costs = costs, .is_second = TRUE };

  offers_init (&offers, family);
  choose (&offers);
  if (has_second (family))
    {
      offers_init (&second, family);
      choose (&second);
      choose_readings (&offers, &second);
    }
  for (int i = 0; i < family->n_groups; i++)
    if (offers.is_offered[i])
      tp_groups_add_copy (chosen, &family->groups[i]);
  drop_rows (&offers, costs);
  return g_steal_pointer (&chosen);
}
