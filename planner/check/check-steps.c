/* check-steps.c: see check-steps.h.
 *
 * From the last op to the first all that matters of what is placed already is
 * which tensors are read there on which device, which constants, and which
 * groups and colocations have an op where: facts (check-step-facts.h).
 *
 * A group that gains runs where it ends, so whether it does is settled there: either all
 * that its ops make true is true from there on, and they all have to be on that device; or
 * its gain is lost, wherever they are, and they are held apart. */
#include "config.h"

#include "planner/check/check-steps.h"

#include "ir/guard.h"
#include "planner/check/check-costs.h"
#include "planner/check/check-step-facts.h"

#include <stdlib.h>
#include <string.h>

#define MAX_FACTS (64 * TP_CHECKER_WORDS)
#define MAX_STEPS (1 << 20)
#define MAX_WORK (G_GINT64_CONSTANT (1) << 31) /* facts looked at: seconds */

typedef TpCheckerWide Wide;
typedef TpCheckerFact Fact;

/* How an op runs that ends a group. */
typedef enum
{
  ALONE,                      /* it ends none that gains */
  WHOLE,
  APART
} Manner;

typedef struct
{
  TpCheckerSteps *steps;
  TpChecker *checker;
  TpCheckerFacts facts;
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
  return tp_checker_facts_get (&making->facts, index);
}

/* ---- the op at hand ----------------------------------------------------- */

static gboolean
begin_facts (Making *making, int op)
{
  for (int i = making->facts.by_start[op]; i >= 0; i = get_fact (making, i)->next)
    {
      int at = 0;

      while (at < MAX_FACTS && making->now[at] >= 0)
        at++;
      if (at == MAX_FACTS)
        return FALSE;
      making->now[at] = i;
      get_fact (making, i)->at = at;
      making->n_now = MAX (making->n_now, at + 1);
    }
  return TRUE;
}

static gint64
find_bytes (TpCheckerHeld *held, const Fact *fact, int op)
{
  return fact->root < 0 || fact->maker >= op
             ? 0
             : tp_checker_held_find (held, fact->root, fact->device, op);
}

/* Whether any of @fact is of the group that @op ends; a constant of one op alone comes
 * with that. */
static gboolean
is_of_group (const Making *making, const Fact *fact, int op)
{
  int group = making->facts.ends[op] == op ? making->checker->group_of[op] : -1;

  if (fact->is_own)
    return fact->ops[0] == op;
  for (int i = 0; i < fact->n && group >= 0; i++)
    if (making->checker->group_of[fact->ops[i]] == group)
      return TRUE;
  return FALSE;
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
      it->is_of_group = is_of_group (making, it, op);
      it->is_of_op = it->n > 0 && it->ops[it->n - 1] == op;
      it->n -= it->is_of_op;
      it->bytes = find_bytes (making->steps->held, it, op);
    }
  making->work += making->n_now;
}

/* What op @op makes that has bytes of its own. */
static gint64
sum_made (const Making *making, int op)
{
  const TpNode *node = &making->checker->graph->nodes[op];
  gint64 sum = 0;

  for (int i = 0; i < node->n_outputs; i++)
    {
      int tensor = node->outputs[i];

      if (tensor >= 0 && making->steps->held->roots[tensor] == tensor
          && !tp_tensor_is_resident (&making->checker->graph->tensors[tensor]))
        sum += MAX (making->checker->graph->tensors[tensor].size_bytes, 1);
    }
  return sum;
}

static void
look_at_made (Making *making, int op)
{
  TpCheckerHeld *held = making->steps->held;

  for (int d = 0; d < making->k; d++)
    making->made[d] = held->is_unordered ? tp_checker_held_find_own (held, d, op)
                                         : sum_made (making, op);
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

/* Whether it holds with the op at hand on @device, in that manner. */
static gboolean
does_hold (const Fact *it, gboolean was, int device, Manner manner)
{
  gboolean is_of = manner == WHOLE ? it->is_of_group : it->is_of_op;

  return was || (is_of && (it->devices >> device & 1));
}

static void
add_to_step (const Making *making, int at, gboolean was, int device,
             TpCheckerStep *step)
{
  const Fact *it = get_fact (making, making->now[at]);

  step->facts[at / 64] |= (guint64) 1 << at % 64;
  if (was || it->maker >= 0)
    return;
  step->cost += it->costs[device];
  step->weights[it->device] += it->weights;
}

/* What is there of what others made: of what a group makes inside, where it is apart. */
static void
add_bytes (const Making *making, TpCheckerStep *step)
{
  for (int at = 0; at < making->n_now; at++)
    {
      const Fact *it
          = making->now[at] < 0 ? NULL : get_fact (making, making->now[at]);

      if (it != NULL && holds (step->facts, at)
          && (it->apart < 0
              || holds (step->facts, get_fact (making, it->apart)->at)))
        step->held[it->device] += it->bytes;
    }
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

/* The fact that the group of @op is apart on @device; NULL: there is none. */
static const Fact *
find_apart (const Making *making, int op, int device)
{
  int index = making->facts.apart[(gsize) op * making->k + device];

  return index < 0 ? NULL : get_fact (making, index);
}

/* Whether @op on @device would part a group that is one kernel elsewhere, as was settled at
 * its end. */
static gboolean
does_part (const Making *making, const guint64 *facts, int op, int device)
{
  for (int d = 0; d < making->k; d++)
    {
      const Fact *apart = find_apart (making, op, d);

      if (d != device && apart != NULL && making->facts.ends[op] != op
          && !holds (facts, apart->at))
        return TRUE;
    }
  return FALSE;
}

/* On @device, where @facts hold. */
static void
add_step (Making *making, int op, const guint64 *facts, Manner manner,
          TpCheckerStep step)
{
  int d = step.device;
  const Fact *apart = find_apart (making, op, d);

  for (int at = 0; at < making->n_now; at++)
    if (making->now[at] >= 0
        && (does_hold (get_fact (making, making->now[at]), holds (facts, at), d, manner)
            || (manner == APART && at == apart->at)))
      add_to_step (making, at, holds (facts, at), d, &step);
  if (making->steps->is_limited[d]
      && (manner != ALONE || apart == NULL || holds (step.facts, apart->at)))
    step.held[d] = making->made[d];
  add_bytes (making, &step);
  step.cost += sum_copies (making, step.facts, op, d);
  making->work += 3 * making->n_now;
  if (is_within (making, &step))
    tp_array_append_val (making->steps->steps, step);
}

/* Of one state, where @facts hold. */
static void
add_steps (Making *making, int op, int from, const guint64 *facts)
{
  const gint8 *fixed = making->steps->devices;

  for (int d = 0; d < making->k; d++)
    {
      TpCheckerStep step = { .from = from, .device = d,
                             .cost = making->own[(gsize) op * making->k + d] };
      gboolean is_end
          = making->facts.ends[op] == op && find_apart (making, op, d) != NULL;

      if ((fixed[op] >= 0 && fixed[op] != d)
          || !tp_checker_may_run (making->checker, op, d)
          || is_apart (making, facts, d) || does_part (making, facts, op, d))
        continue;
      add_step (making, op, facts, is_end ? APART : ALONE, step);
      if (is_end)
        add_step (making, op, facts, WHOLE, step);
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
  tp_checker_facts_clear (&making->facts);
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
  making.own = tp_new0 (Wide, n * k + 1);
  tp_checker_add_own (held->checker, making.own);
  tp_checker_facts_init (&making.facts, held, steps->is_limited);
  return make_steps (&making);
}
