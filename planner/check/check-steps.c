/* check-steps.c: see check-steps.h.
 *
 * From the last op to the first all that matters of what is placed already is
 * which tensors are read there on which device, which constants, and which
 * groups and colocations have an op where. These are facts, one for each copy,
 * gain, constant, colocation and tensor that is held; they begin with the last op
 * that has to do with them. */
#include "config.h"

#include "planner/check/check-steps.h"

#include "ir/guard.h"
#include "planner/check/check-costs.h"

#include <stdlib.h>
#include <string.h>

#define MAX_FACTS (64 * TP_CHECKER_WORDS)
#define MAX_STEPS (1 << 20)
#define MAX_WORK (G_GINT64_CONSTANT (1) << 31) /* facts looked at: seconds */

typedef TpCheckerWide Wide;

typedef struct
{
  int device;                 /* where bytes are, or ops together */
  guint devices;              /* a set */
  const int *ops;             /* any of which on any of these makes it so;
                               * ascending */
  int n_all, n;               /* those to come, before the op at hand */
  int maker;                  /* -1: none */
  Wide costs[TP_SWEEP_MAX_DEVICES]; /* [device]: of a copy or a gain, for the
                               * maker there; if none, for who makes it so */
  gint64 weights;             /* of a constant */
  int root;                   /* tensor that is held; else -1 */
  gboolean is_together;       /* all of @ops are on one device */
  int next;                   /* with the same last op */
  /* Of the op at hand: */
  gboolean is_of_op;          /* among ops */
  gint64 bytes;               /* held while it runs */
} Fact;

typedef struct
{
  TpCheckerSteps *steps;
  TpChecker *checker;
  TpArray *facts;             /* Fact */
  int *by_last;               /* [op] */
  int now[MAX_FACTS];         /* -1: free */
  int n_now;                  /* up to which any is used */
  int k;                      /* devices */
  Wide *own;                  /* [op * k + device] */
  gint64 made[TP_SWEEP_MAX_DEVICES]; /* by the op at hand */
  gint64 work;
} Making;

static Fact *
get_fact (const Making *making, int index)
{
  return &tp_array_index (making->facts, Fact, index);
}

/* ---- facts -------------------------------------------------------------- */

static void
add_fact (Making *making, Fact fact)
{
  int *list = fact.n == 0 ? NULL : &making->by_last[fact.ops[fact.n - 1]];

  if (list == NULL)
    return;
  fact.n_all = fact.n;
  fact.next = *list;
  *list = (int) making->facts->len;
  tp_array_append_val (making->facts, fact);
}

/* Of @prices, [device]. What one op answers for alone is its own. */
static void
add_term (Making *making, const TpCheckerTerm *term, int device,
          const Wide *prices)
{
  Fact fact = { .device = device, .devices = term->devices, .ops = term->readers,
                .n = term->n, .maker = term->maker, .root = -1 };
  gboolean is_paid = FALSE;

  for (int d = 0; d < making->k; d++)
    {
      fact.costs[d] = prices[d];
      is_paid = is_paid || prices[d] > 0;
    }
  if (is_paid && (term->n > 1 || term->maker >= 0))
    add_fact (making, fact);
}

static void
add_copy (Making *making, int tensor, int device)
{
  Wide prices[TP_SWEEP_MAX_DEVICES];
  TpCheckerTerm term;

  for (int d = 0; d < making->k; d++)
    {
      if (!tp_checker_find_copy (making->checker, tensor, d, device, &term))
        return;
      prices[d] = term.price;
    }
  add_term (making, &term, device, prices);
}

static void
add_gain (Making *making, int index, int device)
{
  TpCheckerTerm term = tp_checker_find_gain (making->checker, index, device);
  Wide prices[TP_SWEEP_MAX_DEVICES];

  for (int d = 0; d < making->k; d++)
    prices[d] = term.price;
  add_term (making, &term, device, prices);
}

static void
add_root (Making *making, int root, int device)
{
  const TpCheckerHeld *held = making->steps->held;
  const TpTensor *tensor = &making->checker->graph->tensors[root];
  gboolean is_constant = tp_tensor_is_resident (tensor);
  Fact fact = { .device = device, .devices = 1u << device,
                .maker = tensor->producer,
                .ops = held->readers + held->firsts[root],
                .n = held->firsts[root + 1] - held->firsts[root],
                .root = is_constant ? -1 : root };

  if (held->roots[root] != root || (held->is_unordered && !is_constant))
    return;
  fact.weights = is_constant ? tp_tensor_get_resident_bytes (tensor) : 0;
  add_fact (making, fact);
}

static void
add_together (Making *making, const TpColocation *it, int device)
{
  add_fact (making, (Fact){ .device = device, .devices = 1u << device,
                            .ops = it->nodes, .n = it->n_nodes, .maker = -1,
                            .root = -1, .is_together = TRUE });
}

static void
add_facts (Making *making)
{
  const TpChecker *checker = making->checker;

  for (int d = 0; d < making->k; d++)
    {
      for (int i = 0; i < checker->costs->n_tensors; i++)
        add_copy (making, i, d);
      for (int i = 0; i < checker->costs->n_groups; i++)
        add_gain (making, i, d);
      for (int i = 0; i < checker->graph->n_colocations; i++)
        add_together (making, &checker->graph->colocations[i], d);
      for (int i = 0; i < checker->graph->n_tensors; i++)
        if (making->steps->is_limited[d])
          add_root (making, i, d);
    }
}

/* ---- the op at hand ----------------------------------------------------- */

static gboolean
begin_facts (Making *making, int op)
{
  for (int i = making->by_last[op]; i >= 0; i = get_fact (making, i)->next)
    {
      int at = 0;

      while (at < MAX_FACTS && making->now[at] >= 0)
        at++;
      if (at == MAX_FACTS)
        return FALSE;
      making->now[at] = i;
      making->n_now = MAX (making->n_now, at + 1);
    }
  return TRUE;
}

/* What is held while @op runs only if all that reads it then or later counts:
 * else it is left out, which is less than there is. */
static gint64
find_bytes (TpCheckerHeld *held, const Fact *fact, int op)
{
  gint64 bytes;

  if (fact->root < 0 || fact->maker == op)
    return 0;
  bytes = tp_checker_held_find (held, fact->root, fact->device, op);
  return held->n_ops == fact->n_all - fact->n ? bytes : 0;
}

static void
look_at_facts (Making *making, int op)
{
  for (int at = 0; at < making->n_now; at++)
    {
      Fact *it
          = making->now[at] < 0 ? NULL : get_fact (making, making->now[at]);

      if (it == NULL)
        continue;
      it->is_of_op = it->n > 0 && it->ops[it->n - 1] == op;
      it->n -= it->is_of_op;
      it->bytes = find_bytes (making->steps->held, it, op);
    }
  making->work += making->n_now;
}

static void
look_at_made (Making *making, int op)
{
  for (int d = 0; d < making->k; d++)
    making->made[d] = tp_checker_held_find_own (making->steps->held, d, op);
}

/* Nobody asks for them any more. */
static void
end_facts (Making *making, int op)
{
  for (int at = 0; at < making->n_now; at++)
    {
      const Fact *it
          = making->now[at] < 0 ? NULL : get_fact (making, making->now[at]);
      gboolean is_input = it != NULL && it->root >= 0 && it->maker < 0;

      if (it != NULL
          && (it->maker == op || (it->maker < 0 && it->n == 0 && !is_input)))
        making->now[at] = -1;
    }
}

static gboolean
holds (const guint64 *facts, int at)
{
  return facts[at / 64] >> at % 64 & 1;
}

static void
add_to_step (const Making *making, int at, gboolean was, int device,
             TpCheckerStep *step)
{
  const Fact *it = get_fact (making, making->now[at]);
  gboolean is_now = was || (it->is_of_op && (it->devices >> device & 1));

  if (!is_now)
    return;
  step->facts[at / 64] |= (guint64) 1 << at % 64;
  step->held[it->device] += it->bytes;
  if (was || it->maker >= 0)
    return;
  step->cost += it->costs[device];
  step->weights[it->device] += it->weights;
}

/* Copies of what @op makes to where it is not. */
static Wide
sum_copies (const Making *making, const guint64 *facts, int op, int device)
{
  Wide sum = 0;

  for (int at = 0; at < making->n_now; at++)
    {
      const Fact *it
          = making->now[at] < 0 ? NULL : get_fact (making, making->now[at]);

      if (it != NULL && it->maker == op && holds (facts, at))
        sum += it->costs[device];
    }
  return sum;
}

static gboolean
is_within (const Making *making, const TpCheckerStep *step)
{
  const TpCheckerRoom *room = &making->steps->room;
  Wide sum = 0;

  for (int d = 0; d < making->k; d++)
    {
      Wide bytes = (Wide) step->weights[d] + step->held[d];

      if (making->steps->is_limited[d] && bytes > room->limits[d])
        return FALSE;
      sum += bytes;
    }
  return room->pool == 0 || sum <= room->pool;
}

static void
clear_ended (const Making *making, guint64 *facts)
{
  for (int at = 0; at < MAX_FACTS; at++)
    if (making->now[at] < 0)
      facts[at / 64] &= ~((guint64) 1 << at % 64);
}

/* Whether it is to be with others that are not on @device. */
static gboolean
is_apart (const Making *making, const guint64 *facts, int device)
{
  for (int at = 0; at < making->n_now; at++)
    {
      const Fact *it
          = making->now[at] < 0 ? NULL : get_fact (making, making->now[at]);

      if (it != NULL && it->is_together && it->is_of_op
          && it->device != device && holds (facts, at))
        return TRUE;
    }
  return FALSE;
}

/* Of one state, where @facts hold. */
static void
add_steps (Making *making, int op, int from, const guint64 *facts)
{
  const gint8 *fixed = making->steps->devices;

  for (int d = 0; d < making->k; d++)
    {
      TpCheckerStep step
          = { .from = from, .cost = making->own[(gsize) op * making->k + d] };

      if ((fixed[op] >= 0 && fixed[op] != d)
          || !tp_checker_may_run (making->checker, op, d)
          || is_apart (making, facts, d))
        continue;
      step.held[d] = making->steps->is_limited[d] ? making->made[d] : 0;
      for (int at = 0; at < making->n_now; at++)
        if (making->now[at] >= 0)
          add_to_step (making, at, holds (facts, at), d, &step);
      step.cost += sum_copies (making, step.facts, op, d);
      making->work += 2 * making->n_now;
      if (is_within (making, &step))
        tp_array_append_val (making->steps->steps, step);
    }
}

/* ---- states ------------------------------------------------------------- */

static int
compare_facts (const void *a, const void *b)
{
  const TpCheckerStep *x = a, *y = b;

  return memcmp (x->facts, y->facts, sizeof x->facts);
}

/* What leads to the same facts leads to one state. Returns how many there
 * are. */
static int
number_states (Making *making, int first)
{
  int n = (int) making->steps->steps->len - first, n_states = 0;
  TpCheckerStep *steps
      = &tp_array_index (making->steps->steps, TpCheckerStep, first);

  for (int i = 0; i < n; i++)
    clear_ended (making, steps[i].facts);
  if (n > 0)
    qsort (steps, n, sizeof *steps, compare_facts);
  for (int i = 0; i < n; i++)
    {
      n_states += i == 0 || compare_facts (&steps[i - 1], &steps[i]) != 0;
      steps[i].to = n_states - 1;
    }
  return n_states;
}

/* From the states that the steps from @first on lead to. */
static void
place_op (Making *making, int op, int first, int n_before)
{
  static const guint64 none[TP_CHECKER_WORDS] = { 0 };
  int last = -1;

  if (n_before == 0)
    add_steps (making, op, 0, none);
  for (int i = 0; i < n_before; i++)
    {
      const TpCheckerStep it = tp_array_index (making->steps->steps,
                                               TpCheckerStep, first + i);

      if (it.to != last)
        add_steps (making, op, it.to, it.facts);
      last = it.to;
    }
}

static gboolean
make_steps (Making *making)
{
  TpCheckerSteps *steps = making->steps;
  int n = making->checker->graph->n_nodes, before = 0;

  steps->n_states[0] = 1;
  for (int k = 0; k < n; k++)
    {
      int op = n - 1 - k, first = (int) steps->steps->len;

      steps->first[k] = first;
      if (!begin_facts (making, op) || making->work > MAX_WORK
          || steps->steps->len > MAX_STEPS)
        return FALSE;
      look_at_facts (making, op);
      look_at_made (making, op);
      if (k == 0 || first > before)
        place_op (making, op, before, first - before);
      end_facts (making, op);
      steps->n_states[k + 1] = number_states (making, first);
      before = first;
    }
  steps->first[n] = (int) steps->steps->len;
  return TRUE;
}

static void
making_clear (Making *making)
{
  tp_array_unref (making->facts);
  g_free (making->by_last);
  g_free (making->own);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Making, making_clear)

void
tp_checker_steps_clear (TpCheckerSteps *steps)
{
  g_clear_pointer (&steps->devices, g_free);
  g_clear_pointer (&steps->steps, tp_array_unref);
  g_clear_pointer (&steps->first, g_free);
  g_clear_pointer (&steps->n_states, g_free);
}

/* Whether not everything fits there anyway. */
static gboolean
is_limited (const TpChecker *checker, const TpCheckerRoom *room, int device)
{
  gint64 limit = room->limits[device];
  Wide sum = 0;

  for (int i = 0; i < checker->graph->n_tensors; i++)
    sum += MAX (checker->graph->tensors[i].size_bytes, 1);
  return (limit > 0 && sum > limit)
         || (room->pool > 0 && 2 * sum > room->pool);
}

gboolean
tp_checker_steps_init (TpCheckerSteps *steps, TpCheckerHeld *held,
                       const gint8 *devices)
{
  gsize n = held->checker->graph->n_nodes;
  int k = held->checker->costs->n_devices;
  g_auto (Making) making
      = { .steps = steps, .checker = held->checker, .k = k };

  *steps = (TpCheckerSteps){ .held = held, .n_devices = k };
  steps->devices = tp_memdup (devices, n + 1);
  steps->steps = tp_array_new (sizeof (TpCheckerStep));
  steps->first = tp_new0 (int, n + 1);
  steps->n_states = tp_new0 (int, n + 1);
  steps->room = tp_checker_find_room (held->checker->plan->costs,
                                      held->checker->plan->memory_limits);
  for (int d = 0; d < k; d++)
    steps->is_limited[d] = is_limited (held->checker, &steps->room, d);
  memset (making.now, -1, sizeof making.now);
  making.facts = tp_array_new (sizeof (Fact));
  making.by_last = tp_new (int, n + 1);
  memset (making.by_last, -1, sizeof (int) * (n + 1));
  making.own = tp_new0 (Wide, n * k + 1);
  tp_checker_add_own (held->checker, making.own);
  add_facts (&making);
  return make_steps (&making);
}
