/* check-margins.c: what ops cost more elsewhere.
 *
 * A placement with the op elsewhere is none cheaper than the cheapest such: so no
 * margin is more than what moving the op alone costs. That is asked of all. Of two
 * devices the plan's own flow says what the margin is: so much more flows once
 * the op is forced (check-forced.c). That is asked of all in small graphs, and in large
 * ones of ops from all over them, until so many arcs were looked at. */
#include "config.h"

#include "planner/check/check-margins.h"

#include "ir/guard.h"
#include "planner/check/check-costs.h"
#include "planner/check/check-forced.h"
#include "planner/check/check-moves.h"

/* Arcs to look at in a large graph, and of them how many for one op. */
#define LOOKS (1 << 18)
#define OP_LOOKS 1024

typedef struct
{
  TpChecker *checker;
  int *where;                 /* [node]: where it is in the plan that the flow, if
                               * there is one, is of */
  gint64 slack;               /* that costs so much less than this plan */
  TpCheckerMoves moves;
  TpCheckerForced *forced;    /* NULL: no flow says what margins are */
} Margins;

static void
margins_clear (Margins *margins)
{
  g_free (margins->where);
  tp_checker_moves_clear (&margins->moves);
  g_clear_pointer (&margins->forced, tp_checker_forced_free);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Margins, margins_clear)

/* Of so few ops each margin is worked out. */
static gboolean
is_small (const Margins *margins)
{
  return margins->checker->graph->n_nodes <= TP_PLAN_MAX_EXACT;
}

static gboolean
is_kind (const Margins *margins, const char *kind)
{
  return g_strcmp0 (margins->checker->plan->certificate, kind) == 0;
}

/* All of a colocation have the margin of the first. */
static const int *
list_together (const Margins *margins, const int *op, int *out_n)
{
  const TpGraph *graph = margins->checker->graph;
  int index = graph->colocation_of == NULL ? -1 : graph->colocation_of[*op];

  *out_n = index < 0 ? 1 : graph->colocations[index].n_nodes;
  return index < 0 ? op : graph->colocations[index].nodes;
}

static int
count_devices (const Margins *margins, int op)
{
  int n = 0;

  for (int d = 0; d < margins->checker->costs->n_devices; d++)
    n += tp_checker_may_run (margins->checker, op, d);
  return n;
}

static gboolean
fail_at (Margins *margins, int op, const char *is, gint64 bound)
{
  const TpPlacement *it = &margins->checker->plan->placements[op];

  return tp_checker_fail (
      margins->checker,
      "op '%s': margin %" G_GINT64_FORMAT " ns%s, worked out%s %" G_GINT64_FORMAT,
      margins->checker->graph->nodes[op].name, it->margin_ns,
      it->is_margin_least ? " at least" : "", is, bound);
}

/* ---- all ops -------------------------------------------------------------- */

/* What the best move of @op and its like to another device costs. */
static gint64
find_best_move (Margins *margins, int op)
{
  int n;
  const int *ops = list_together (margins, &op, &n);
  gint64 best = G_MAXINT64;

  for (int d = 0; d < margins->checker->costs->n_devices; d++)
    if (d != margins->where[op] && tp_checker_may_run (margins->checker, op, d))
      best = MIN (best, tp_checker_moves_try (&margins->moves, ops, n, d));
  return best;
}

/* Of one that is found to cost @more elsewhere than in the plan that the flow is of:
 * what its margin is in this plan. */
static gint64
find_margin (const Margins *margins, int op, gint64 more)
{
  const TpPlacement *it = &margins->checker->plan->placements[op];

  if (it->device != margins->where[op])
    more = 0;
  return MAX (more - margins->slack, 0);
}

/* Whether it has one where it should, in the form it should have. */
static gboolean
check_form (Margins *margins, int op)
{
  const TpPlacement *it = &margins->checker->plan->placements[op];
  const TpGraph *graph = margins->checker->graph;
  gboolean must_be_exact = is_kind (margins, "min-cut") && is_small (margins);

  if ((it->margin_ns >= 0) != (count_devices (margins, op) > 1))
    return tp_checker_fail (margins->checker, "op '%s' has %s margin",
                            graph->nodes[op].name,
                            it->margin_ns >= 0 ? "one device, and a" : "no");
  if (it->margin_ns < 0)
    return TRUE;
  if (must_be_exact && it->is_margin_least)
    return tp_checker_fail (margins->checker,
                            "op '%s': of so few ops margins are exact",
                            graph->nodes[op].name);
  return is_kind (margins, "min-cut") || it->is_margin_least
         || tp_checker_fail (margins->checker,
                             "op '%s': such a proof gives what a margin is at "
                             "least", graph->nodes[op].name);
}

static gboolean
check_move (Margins *margins, int op)
{
  const TpPlacement *it = &margins->checker->plan->placements[op];
  int n, first = list_together (margins, &op, &n)[0];
  gint64 bound;

  if (it->margin_ns < 0)
    return TRUE;
  if (first < op)
    return it->margin_ns == margins->checker->plan->placements[first].margin_ns
           || fail_at (margins, op, " of what is with it",
                       margins->checker->plan->placements[first].margin_ns);
  bound = find_margin (margins, op, find_best_move (margins, op));
  return it->margin_ns <= bound || fail_at (margins, op, " at most", bound);
}

/* ---- by the flow ---------------------------------------------------------- */

/* Looks at @looks arcs at most; fewer are left then. FALSE: it is another, which was
 * said. */
static gboolean
check_flow (Margins *margins, int op, gint64 *looks)
{
  const TpPlacement *it = &margins->checker->plan->placements[op];
  gboolean may_be_less = it->is_margin_least && !is_small (margins);
  TpCheckerForcedAnswer answer = { .looks = *looks };
  gint64 margin;

  /* more than this is too much for such a margin */
  tp_checker_forced_find (margins->forced, op, margins->where[op],
                          it->margin_ns + margins->slack + 1, &answer);
  *looks = answer.looks;
  margin = find_margin (margins, op, answer.amount);
  if (answer.kind == TP_CHECKER_FORCED_EXACT && it->margin_ns > margin)
    return fail_at (margins, op, "", margin);
  return margin <= it->margin_ns || may_be_less
         || fail_at (margins, op, " at least", margin);
}

/* Steps that come to every op, and far from the one before. */
static int
find_stride (int n)
{
  int stride = MAX (1, (int) (n * 0.6180339887));

  for (;; stride++)
    {
      int a = n, b = stride;

      while (b != 0)
        {
          int rest = a % b;

          a = b;
          b = rest;
        }
      if (a == 1)
        return stride;
    }
}

static gboolean
check_flows (Margins *margins)
{
  const TpChecker *checker = margins->checker;
  int n = checker->graph->n_nodes, stride = find_stride (n);
  gint64 left = LOOKS;

  for (int i = 0, op = 0; i < n && left > 0;
       i++, op = (int) (((gint64) op + stride) % n))
    {
      gint64 part = is_small (margins) ? G_MAXINT64 : OP_LOOKS, before = part;

      if (checker->plan->placements[op].margin_ns < 0)
        continue;
      if (!check_flow (margins, op, &part))
        return FALSE;
      left -= is_small (margins) ? 0 : before - part;
    }
  return TRUE;
}

/* ---- the whole ------------------------------------------------------------ */

/* No sum of prices is out of range. */
static gboolean
check_price (const Margins *margins)
{
  const TpChecker *checker = margins->checker;
  gint64 n_copies = 4 * ((gint64) checker->graph->n_tensors + 1);

  return checker->plan->tie_price_ns <= (G_GINT64_CONSTANT (1) << 61) / n_copies
         || tp_checker_fail (margins->checker,
                             "no copy of so few is worth the price of the tie");
}

/* A flow is of the cheapest plan, with the price of a tie of this one; shares are of
 * all placements, whatever copies are worth. */
static void
margins_init (Margins *margins, TpChecker *checker)
{
  const TpPlan *plan = checker->plan;
  int n = plan->n_placements;
  gboolean is_fitting = is_kind (margins, TP_PLAN_MEMORY_TREE);
  gboolean is_cut = is_fitting || is_kind (margins, "min-cut");

  margins->where = tp_new (int, (gsize) n + 1);
  for (int i = 0; i < n; i++)
    margins->where[i] = is_fitting ? plan->placements[i].cheapest
                                   : plan->placements[i].device;
  margins->slack = is_fitting ? plan->cost_ns - plan->bound_ns : 0;
  tp_checker_moves_init (&margins->moves, checker, margins->where,
                         is_cut ? plan->tie_price_ns : 0);
  if (is_cut)
    margins->forced = tp_checker_forced_new (checker);
}

static gboolean
has_any (const TpPlan *plan)
{
  for (int i = 0; i < plan->n_placements; i++)
    if (plan->placements[i].margin_ns >= 0)
      return TRUE;
  return FALSE;
}

void
tp_checker_check_margins (TpChecker *checker)
{
  const TpPlan *plan = checker->plan;
  g_auto (Margins) margins = { .checker = checker };
  gboolean is_good = TRUE;

  if (!has_any (plan))
    return;                   /* they were not asked for */
  if (!is_kind (&margins, "min-cut") && !is_kind (&margins, TP_PLAN_MEMORY_TREE)
      && !is_kind (&margins, TP_PLAN_SHARE_TREE))
    {
      tp_checker_fail (checker, "objective '%s' has no margins",
                       plan->objective);
      return;
    }
  if (!check_price (&margins))
    return;
  margins_init (&margins, checker);
  for (int i = 0; i < plan->n_placements && is_good; i++)
    is_good = check_form (&margins, i) && check_move (&margins, i);
  if (is_good && margins.forced != NULL)
    check_flows (&margins);
}
