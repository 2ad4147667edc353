/* check-share.c: lower bounds of what placements cost, from shares of terms.
 *
 * A term costs its price where its maker is not on its devices and any of its
 * readers is. With x = 1 on these and 0 elsewhere, that is at least the sum
 * of any shares of the price, each times x of its reader less x of the maker. So
 * all costs are at least a sum over ops, each of which is least by itself. Of a
 * colocation x is one, so that amounts which add up to 0 change nothing. */
#include "config.h"

#include "planner/check/check-share.h"

#include "ir/array.h"
#include "ir/guard.h"
#include "planner/check/check-costs.h"
#include "planner/check/check-room.h"

typedef TpCheckerWide Wide;

/* ---- terms -------------------------------------------------------------- */

static const TpMemoryBound *
get_bound (TpCheckerHeld *held, int index)
{
  return held->checker->plan->memory_proof->bounds->pdata[index];
}

static const TpMemoryPrice *
get_price (const TpMemoryBound *bound, int row)
{
  return &tp_array_index (bound->prices, TpMemoryPrice, row);
}

static Wide
find_price (const TpMemoryPrice *price, gint64 bytes)
{
  return (Wide) price->price * bytes >> 30;
}

gboolean
tp_checker_find_copy (const TpChecker *checker, int tensor, int from, int to,
                      TpCheckerTerm *out)
{
  const TpTensor *it = &checker->graph->tensors[tensor];
  int place = it->producer < 0 ? TP_COSTS_HOST : from;

  if (tp_tensor_is_resident (it)
      || (it->is_output && it->producer >= 0 && checker->costs->host == to))
    return FALSE;
  *out = (TpCheckerTerm){ 1u << to, it->producer,
                          tp_checker_copy_cost (checker, tensor, place, to),
                          it->consumers, it->n_consumers };
  return TRUE;
}

TpCheckerTerm
tp_checker_find_gain (const TpChecker *checker, int index, int device)
{
  const TpGroup *group = &checker->plan->all_groups->groups[index];
  int k = checker->costs->n_devices;
  guint others = ((1u << k) - 1) & ~(1u << device);

  return (TpCheckerTerm){ others, -1, checker->gains[(gsize) index * k + device],
                          group->nodes, group->n_nodes };
}

static TpCheckerTerm
find_bytes (TpCheckerHeld *held, const TpMemoryPrice *price, int root)
{
  gint64 bytes
      = tp_checker_held_find (held, root, price->device, price->step);

  return (TpCheckerTerm){ 1u << price->device, -1, find_price (price, bytes),
                          held->ops, held->n_ops };
}

/* Costs nothing, wherever it is. */
static gboolean
find_together (const TpChecker *checker, const TpMemoryShare *share,
               TpCheckerTerm *out)
{
  const TpColocation *it;

  if (share->index < 0 || share->index >= checker->graph->n_colocations
      || share->row != 0)
    return FALSE;
  it = &checker->graph->colocations[share->index];
  *out = (TpCheckerTerm){ 1u << 1, -1, 0, it->nodes, it->n_nodes };
  return TRUE;
}

static gboolean
find_term (TpCheckerHeld *held, const TpMemoryBound *bound,
           const TpMemoryShare *share, TpCheckerTerm *out)
{
  const TpChecker *checker = held->checker;
  gboolean is_copy = share->kind == 'h' || share->kind == 'd';
  gboolean is_gain = share->kind == 'c' || share->kind == 'e';
  int n = is_gain ? checker->costs->n_groups : checker->costs->n_tensors;

  if (share->kind == 'k')
    return find_together (checker, share, out);
  if (share->index < 0 || share->index >= n || (!bound->has_costs
                                                && share->kind != 'm'))
    return FALSE;
  if (is_copy)
    return share->row == 0
           && tp_checker_find_copy (checker, share->index, share->kind != 'h',
                                    share->kind == 'h', out);
  if (is_gain)
    *out = tp_checker_find_gain (checker, share->index, share->kind == 'e');
  else if (share->kind != 'm' || share->row < 0
           || share->row >= (int) bound->prices->len)
    return FALSE;
  else
    *out = find_bytes (held, get_price (bound, share->row), share->index);
  return !is_gain || share->row == 0;
}

/* ---- what ops answer for alone ------------------------------------------ */

/* Of what @term costs, to @op on its devices. */
static void
add_amount (const TpChecker *checker, const TpCheckerTerm *term, int op,
            Wide amount, Wide *levels)
{
  int k = checker->costs->n_devices;

  for (int d = 0; d < k; d++)
    if (term->devices >> d & 1)
      levels[(gsize) op * k + d] += amount;
}

static void
add_single (const TpChecker *checker, const TpCheckerTerm *term, Wide *levels)
{
  if (term->n == 1 && term->maker < 0)
    add_amount (checker, term, term->readers[0], term->price, levels);
}

/* Of an output that its op has to bring to the caller. */
static void
add_output (const TpChecker *checker, int tensor, Wide *levels)
{
  const TpTensor *it = &checker->graph->tensors[tensor];
  int host = checker->costs->host, k = checker->costs->n_devices;

  for (int d = 0; d < k && it->is_output && it->producer >= 0; d++)
    if (d != host)
      levels[(gsize) it->producer * k + d]
          += tp_checker_copy_cost (checker, tensor, d, host);
}

void
tp_checker_add_own (const TpChecker *checker, Wide *levels)
{
  int k = checker->costs->n_devices;
  TpCheckerTerm term;

  for (int i = 0; i < checker->costs->n_nodes; i++)
    for (int d = 0; d < k; d++)
      if (tp_checker_may_run (checker, i, d))
        levels[(gsize) i * k + d] += tp_checker_node_cost (checker, i, d);
  for (int i = 0; i < checker->costs->n_tensors; i++)
    for (int d = 0; d < k; d++)
      if (tp_checker_find_copy (checker, i, TP_COSTS_HOST, d, &term))
        add_single (checker, &term, levels);
  for (int i = 0; i < checker->costs->n_tensors; i++)
    if (!tp_tensor_is_resident (&checker->graph->tensors[i]))
      add_output (checker, i, levels);
  for (int i = 0; i < checker->costs->n_groups; i++)
    for (int d = 0; d < k; d++)
      {
        term = tp_checker_find_gain (checker, i, d);
        add_single (checker, &term, levels);
      }
}

static TpCheckerRoom
find_room (const TpCheckerHeld *held)
{
  const TpPlan *plan = held->checker->plan;

  return tp_checker_find_room (plan->costs, plan->memory_limits);
}

/* What all prices come to, at most, of what fits. With limits of devices alone each
 * row is rounded by itself; of what devices share all of them together. */
static Wide
find_most (const TpCheckerHeld *held, const TpMemoryBound *bound)
{
  TpCheckerRoom room = find_room (held);
  Wide prices[2] = { 0, 0 }, sum = 0;

  for (guint i = 0; i < bound->prices->len; i++)
    {
      const TpMemoryPrice *it = get_price (bound, (int) i);

      sum += find_price (it, room.limits[it->device]);
      prices[it->device] += it->price;
    }
  return room.pool == 0
             ? sum
             : tp_checker_pay_most (prices, room.limits, room.pool) >> 30;
}

static void
add_price (TpCheckerHeld *held, const TpMemoryPrice *price,
           TpCheckerLevels *out)
{
  for (int i = 0; i < held->checker->graph->n_tensors; i++)
    {
      TpCheckerTerm term = find_bytes (held, price, i);

      add_single (held->checker, &term, out->levels);
    }
}

static gboolean
check_prices (TpCheckerHeld *held, const TpMemoryBound *bound)
{
  const TpPlan *plan = held->checker->plan;
  TpCheckerRoom room = find_room (held);

  for (guint i = 0; i < bound->prices->len; i++)
    {
      const TpMemoryPrice *it = get_price (bound, (int) i);

      if (it->price < 0 || it->device < 0 || it->device > 1
          || room.limits[it->device] <= 0 || it->step < 0
          || it->step >= plan->n_placements)
        return FALSE;
    }
  return bound->prices->len <= TP_MEMORY_MAX_PRICES;
}

/* ---- shares ------------------------------------------------------------- */

static int
get_class (char kind)
{
  return kind == 'k' ? 3 : kind == 'm' ? 2 : kind == 'c' || kind == 'e';
}

/* Copies by tensor, then groups, then bytes by price, then colocations; to the first,
 * then to the second. */
static int
compare_terms (const TpMemoryShare *a, const TpMemoryShare *b)
{
  if (get_class (a->kind) != get_class (b->kind))
    return get_class (a->kind) - get_class (b->kind);
  if (a->row != b->row)
    return a->row < b->row ? -1 : 1;
  if (a->index != b->index)
    return a->index < b->index ? -1 : 1;
  return a->kind - b->kind;
}

/* Readers ascend. */
static gboolean
is_reader (const TpCheckerTerm *term, int op)
{
  int low = 0, high = term->n;

  while (low < high)
    {
      int middle = low + (high - low) / 2;

      if (term->readers[middle] == op)
        return term->n > 1 || term->maker >= 0;
      if (term->readers[middle] < op)
        low = middle + 1;
      else
        high = middle;
    }
  return FALSE;
}

/* Where the list of shares is. */
typedef struct
{
  const TpMemoryShare *before; /* NULL: at its beginning */
  TpCheckerTerm term;                  /* whose share that was */
  Wide taken;                 /* of its price */
} Taking;

/* Whether the shares of the last term are all there are. */
static gboolean
is_complete (const Taking *taking)
{
  return taking->before == NULL || taking->before->kind != 'k'
         || taking->taken == 0;
}

static gboolean
add_share (TpCheckerHeld *held, const TpMemoryBound *bound,
           const TpMemoryShare *share, Taking *taking, TpCheckerLevels *out)
{
  int order = taking->before == NULL ? -1
                                     : compare_terms (taking->before, share);
  const TpCheckerTerm *term = &taking->term;

  if (order > 0 || (order == 0 && taking->before->op >= share->op)
      || (order < 0
          && (!is_complete (taking)
              || !find_term (held, bound, share, &taking->term)))
      || (share->amount < 0 && share->kind != 'k')
      || !is_reader (term, share->op))
    return FALSE;
  taking->before = share;
  taking->taken = (order == 0 ? taking->taken : 0) + share->amount;
  add_amount (held->checker, term, share->op, share->amount, out->levels);
  if (term->maker >= 0)
    add_amount (held->checker, term, term->maker, -(Wide) share->amount,
                out->levels);
  return share->kind == 'k' || taking->taken <= term->price;
}

static gboolean
add_shares (TpCheckerHeld *held, const TpMemoryBound *bound,
            TpCheckerLevels *out)
{
  Taking taking = { NULL, { 0 }, 0 };

  for (guint i = 0; i < bound->shares->len; i++)
    if (!add_share (held, bound,
                    &tp_array_index (bound->shares, TpMemoryShare, i), &taking,
                    out))
      return FALSE;
  return is_complete (&taking);
}

gboolean
tp_checker_find_levels (TpCheckerHeld *held, int index,
                        TpCheckerLevels *out)
{
  TpChecker *checker = held->checker;
  const TpMemoryBound *bound = get_bound (held, index);

  for (int i = 0; i < 2 * checker->plan->n_placements; i++)
    out->levels[i] = 0;
  out->offset = bound->has_costs ? -checker->plan->constant_ns : 0;
  if (!check_prices (held, bound))
    return tp_checker_fail (checker,
                            "memory_bounds[%d]: a price on what has no limit",
                            index);
  if (bound->has_costs)
    tp_checker_add_own (checker, out->levels);
  out->paid = find_most (held, bound);
  for (guint i = 0; i < bound->prices->len; i++)
    add_price (held, get_price (bound, (int) i), out);
  return add_shares (held, bound, out)
         || tp_checker_fail (checker,
                             "memory_bounds[%d]: shares of what is not there, "
                             "or of more than there is",
                             index);
}

/* ---- one placement ------------------------------------------------------ */

static Wide
pay (const TpCheckerTerm *term, const gint8 *devices)
{
  if (term->maker >= 0 && (term->devices >> devices[term->maker] & 1))
    return 0;
  for (int i = 0; i < term->n; i++)
    if (term->devices >> devices[term->readers[i]] & 1)
      return term->n == 1 && term->maker < 0 ? 0 : term->price;
  return 0;
}

TpCheckerWide
tp_checker_sum_cost (TpCheckerHeld *held, const gint8 *devices)
{
  const TpChecker *checker = held->checker;
  g_autofree Wide *levels = tp_new0 (Wide, 2 * checker->costs->n_nodes + 1);
  Wide sum = -checker->plan->constant_ns;
  TpCheckerTerm term;

  tp_checker_add_own (checker, levels);
  for (int i = 0; i < checker->costs->n_nodes; i++)
    sum += levels[2 * (gsize) i + devices[i]];
  for (int i = 0; i < checker->costs->n_tensors; i++)
    for (int d = 0; d < 2; d++)
      if (tp_checker_find_copy (checker, i, 1 - d, d, &term))
        sum += pay (&term, devices);
  for (int i = 0; i < checker->costs->n_groups; i++)
    for (int d = 0; d < 2; d++)
      {
        term = tp_checker_find_gain (checker, i, d);
        sum += pay (&term, devices);
      }
  return sum;
}
