/* check-step-facts.c: see check-step-facts.h. One for each copy, gain, constant, colocation
 * and tensor that is held; they begin with the last op that has to do with them, or where a
 * group ends that has such an op. */
#include "config.h"

#include "planner/check/check-step-facts.h"

#include "ir/guard.h"

#include <string.h>

static void
add_fact (TpCheckerFacts *facts, TpCheckerFact fact)
{
  int start = 0, *list;

  if (fact.n == 0)
    return;
  for (int i = 0; i < fact.n; i++)
    start = MAX (start, facts->ends[fact.ops[i]]);
  list = &facts->by_start[start];
  fact.next = *list;
  *list = (int) facts->facts->len;
  tp_array_append_val (facts->facts, fact);
}

/* Of @prices, [device]. What one op answers for alone is its own. */
static void
add_term (TpCheckerFacts *facts, const TpCheckerTerm *term, int device,
          const TpCheckerWide *prices)
{
  TpCheckerFact fact = { .device = device, .devices = term->devices,
                         .ops = term->readers, .n = term->n,
                         .maker = term->maker, .root = -1, .apart = -1 };
  gboolean is_paid = FALSE;

  for (int d = 0; d < facts->k; d++)
    {
      fact.costs[d] = prices[d];
      is_paid = is_paid || prices[d] > 0;
    }
  if (is_paid && (term->n > 1 || term->maker >= 0))
    add_fact (facts, fact);
}

static void
add_copy (TpCheckerFacts *facts, int tensor, int device)
{
  TpCheckerWide prices[TP_SWEEP_MAX_DEVICES];
  TpCheckerTerm term;

  for (int d = 0; d < facts->k; d++)
    {
      if (!tp_checker_find_copy (facts->checker, tensor, d, device, &term))
        return;
      prices[d] = term.price;
    }
  add_term (facts, &term, device, prices);
}

/* Whether it is ever run where its last op stands. */
static gboolean
is_kernel (const TpCheckerFacts *facts, const TpGroup *group)
{
  return !group->is_claimed && !facts->held->is_unordered;
}

static void
add_gain (TpCheckerFacts *facts, int index, int device)
{
  const TpGroup *group = &facts->checker->plan->all_groups->groups[index];
  TpCheckerTerm term = tp_checker_find_gain (facts->checker, index, device);
  int fact = (int) facts->facts->len;
  TpCheckerWide prices[TP_SWEEP_MAX_DEVICES];

  for (int d = 0; d < facts->k; d++)
    prices[d] = term.price;
  add_term (facts, &term, device, prices);
  for (int i = 0; i < group->n_nodes && fact < (int) facts->facts->len; i++)
    if (is_kernel (facts, group))
      facts->apart[(gsize) group->nodes[i] * facts->k + device] = fact;
}

static void
add_root (TpCheckerFacts *facts, int root, int device)
{
  const TpCheckerHeld *held = facts->held;
  const TpTensor *tensor = &facts->checker->graph->tensors[root];
  gboolean is_constant = tp_tensor_is_resident (tensor);
  TpCheckerFact fact = { .device = device, .devices = 1u << device,
                         .maker = tensor->producer,
                         .ops = held->readers + held->firsts[root],
                         .n = held->firsts[root + 1] - held->firsts[root],
                         .root = is_constant ? -1 : root, .apart = -1 };

  if (tensor->producer >= 0 && facts->ends[tensor->producer] != tensor->producer)
    fact.apart = facts->apart[(gsize) tensor->producer * facts->k + device];
  if (held->roots[root] != root || (held->is_unordered && !is_constant))
    return;
  fact.is_own = is_constant && fact.n == 1;
  fact.weights = is_constant ? tp_tensor_get_resident_bytes (tensor) : 0;
  add_fact (facts, fact);
}

static void
add_together (TpCheckerFacts *facts, const TpColocation *it, int device)
{
  add_fact (facts, (TpCheckerFact){ .device = device, .devices = 1u << device,
                                    .ops = it->nodes, .n = it->n_nodes,
                                    .maker = -1, .root = -1, .apart = -1,
                                    .is_together = TRUE });
}

static void
add_facts (TpCheckerFacts *facts)
{
  const TpChecker *checker = facts->checker;

  for (int d = 0; d < facts->k; d++)
    {
      for (int i = 0; i < checker->costs->n_tensors; i++)
        add_copy (facts, i, d);
      for (int i = 0; i < checker->costs->n_groups; i++)
        add_gain (facts, i, d);
      for (int i = 0; i < checker->graph->n_colocations; i++)
        add_together (facts, &checker->graph->colocations[i], d);
      for (int i = 0; i < checker->graph->n_tensors; i++)
        if (facts->is_limited[d])
          add_root (facts, i, d);
    }
}

/* Of groups that may be one kernel. */
static void
find_ends (TpCheckerFacts *facts)
{
  const TpChecker *checker = facts->checker;
  gsize n = (gsize) checker->graph->n_nodes;

  facts->ends = tp_new (int, n + 1);
  facts->apart = tp_new (int, n * (gsize) facts->k + 1);
  memset (facts->apart, -1, sizeof (int) * (n * (gsize) facts->k + 1));
  for (gsize i = 0; i < n; i++)
    facts->ends[i] = (int) i;
  for (int g = 0; g < checker->costs->n_groups; g++)
    {
      const TpGroup *group = &checker->plan->all_groups->groups[g];

      for (int i = 0; i < group->n_nodes && is_kernel (facts, group); i++)
        facts->ends[group->nodes[i]] = group->nodes[group->n_nodes - 1];
    }
}

void
tp_checker_facts_init (TpCheckerFacts *facts, TpCheckerHeld *held,
                       const gboolean *is_limited)
{
  gsize n = (gsize) held->checker->graph->n_nodes;

  *facts = (TpCheckerFacts){ .held = held, .checker = held->checker,
                             .is_limited = is_limited,
                             .k = held->checker->costs->n_devices };
  facts->facts = tp_array_new (sizeof (TpCheckerFact));
  facts->by_start = tp_new (int, n + 1);
  memset (facts->by_start, -1, sizeof (int) * (n + 1));
  find_ends (facts);
  add_facts (facts);
}

void
tp_checker_facts_clear (TpCheckerFacts *facts)
{
  g_clear_pointer (&facts->facts, tp_array_unref);
  g_clear_pointer (&facts->by_start, g_free);
  g_clear_pointer (&facts->ends, g_free);
  g_clear_pointer (&facts->apart, g_free);
}
