/* check-proof.c: does the flow prove that no plan is cheaper?
 *
 * Every placement is a cut of the network, and no cut is smaller than a flow.
 * So it is enough that the arcs are those that graph and costs demand, no more
 * and no fewer; that the flow keeps to their capacities and is conserved; and
 * that it is as large as the plan's own cut. A plan that breaks a tie has a
 * second flow for that: with a price on every copy, its own cut is the least. */
#include "config.h"

#include "planner/check/check-proof.h"

#include "ir/guard.h"
#include "planner/check/check-arcs.h"

#include <string.h>

#define INFINITE TP_CHECKER_INFINITE

__extension__ typedef __int128 Wide;

/* A vertex by the name it had last: lists have many arcs of one in a row. */
typedef struct
{
  char name[TP_ARC_NAME];
  gboolean is_vertex;
  TpCheckerVertex vertex;
} Named;

typedef struct
{
  TpChecker *checker;
  TpCheckerArcs arcs;
  Named from, to;
  guint8 *met;                /* [number of an arc] */
  gint64 n_vertices;
  gint64 *balances;           /* [vertex]: in minus out */
  gint64 *tie_balances;       /* likewise, of the tie; NULL: none is broken */
} Proof;

static gboolean
find_vertex (const Proof *proof, const char *name, Named *last)
{
  if (last->is_vertex && memcmp (last->name, name, TP_ARC_NAME) == 0)
    return TRUE;
  memcpy (last->name, name, TP_ARC_NAME);
  last->is_vertex
      = tp_checker_parse_vertex (proof->checker, name, &last->vertex);
  return last->is_vertex;
}

/* The flow of the tie, through arc @index. */
static gboolean
check_tie_flow (const Proof *proof, int index)
{
  const TpArc *arc = &proof->checker->plan->arcs[index];
  Wide price = proof->checker->plan->tie_price_ns;
  Wide capacity = 0;

  if (price > 0 && arc->capacity == INFINITE)
    capacity = G_MAXINT64;
  else if (price > 0)
    capacity = arc->capacity
               + price
                     * tp_checker_arcs_count_copies (
                         &proof->arcs, proof->from.vertex, proof->to.vertex);
  if (arc->tie_flow >= 0 && arc->tie_flow <= capacity)
    return TRUE;
  return tp_checker_fail (proof->checker,
                          "arcs[%d]: flow %" G_GINT64_FORMAT
                          " of the tie does not fit through %s -> %s",
                          index, arc->tie_flow, arc->from, arc->to);
}

/* Capacity and flow of arc @index, which @want calls for. */
static gboolean
check_fit (const Proof *proof, int index, TpCheckerArc want)
{
  const TpArc *arc = &proof->checker->plan->arcs[index];

  if (arc->capacity != want.capacity)
    return tp_checker_fail (proof->checker,
                            "arcs[%d]: %s -> %s should have capacity %"
                            G_GINT64_FORMAT ", not %" G_GINT64_FORMAT,
                            index, arc->from, arc->to, want.capacity,
                            arc->capacity);
  if (arc->flow < 0
      || (arc->capacity != INFINITE && arc->flow > arc->capacity))
    return tp_checker_fail (proof->checker,
                            "arcs[%d]: flow %" G_GINT64_FORMAT
                            " does not fit through %s -> %s",
                            index, arc->flow, arc->from, arc->to);
  return check_tie_flow (proof, index);
}

/* FALSE: more than any honest flow. */
static gboolean
add_flow (gint64 *balances, gint64 from, gint64 to, gint64 flow)
{
  return !__builtin_sub_overflow (balances[from], flow, &balances[from])
         && !__builtin_add_overflow (balances[to], flow, &balances[to]);
}

static gboolean
check_arc (Proof *proof, int index)
{
  TpChecker *checker = proof->checker;
  const TpArc *arc = &checker->plan->arcs[index];
  TpCheckerArc want;
  gint64 u, v;

  if (!find_vertex (proof, arc->from, &proof->from)
      || !find_vertex (proof, arc->to, &proof->to))
    return tp_checker_fail (checker, "arcs[%d]: no vertex '%s' or '%s'", index,
                            arc->from, arc->to);
  want = tp_checker_arcs_find (&proof->arcs, proof->from.vertex,
                               proof->to.vertex);
  if (want.capacity == TP_CHECKER_ABSENT)
    return tp_checker_fail (checker, "arcs[%d]: no arc %s -> %s is called for",
                            index, arc->from, arc->to);
  if (!check_fit (proof, index, want))
    return FALSE;
  if (proof->met[want.number]++)
    return tp_checker_fail (checker, "arcs[%d]: %s -> %s comes twice", index,
                            arc->from, arc->to);
  u = tp_checker_number_vertex (checker, proof->from.vertex);
  v = tp_checker_number_vertex (checker, proof->to.vertex);
  if (add_flow (proof->balances, u, v, arc->flow)
      && (proof->tie_balances == NULL
          || add_flow (proof->tie_balances, u, v, arc->tie_flow)))
    return TRUE;
  return tp_checker_fail (checker, "arcs[%d]: the flow past %s or %s is beyond "
                                   "all numbers",
                          index, arc->from, arc->to);
}

/* Whether a flow is conserved, and proves @expected. */
static void
check_balances (const Proof *proof, const gint64 *balances, Wide expected)
{
  Wide bound = -(Wide) balances[0] - proof->checker->plan->constant_ns;
  gint64 n_leaks = 0;

  for (gint64 v = 2; v < proof->n_vertices; v++)
    n_leaks += balances[v] != 0;
  if (n_leaks > 0)
    tp_checker_fail (proof->checker,
                     "flow is not conserved at %" G_GINT64_FORMAT " vertices",
                     n_leaks);
  if (bound != expected)
    tp_checker_fail (proof->checker, "a flow proves a bound of %.0f, not %.0f",
                     (double) bound, (double) expected);
}

static void
proof_init (Proof *proof, TpChecker *checker)
{
  *proof = (Proof){
    .checker = checker,
    .n_vertices = 2 + (gint64) checker->graph->n_nodes
                  + 2 * (gint64) checker->graph->n_tensors
                  + 2 * (gint64) checker->costs->n_groups,
  };
  tp_checker_arcs_init (&proof->arcs, checker);
  proof->met = tp_new0 (guint8, proof->arcs.n_numbers + 1);
  proof->balances = tp_new0 (gint64, proof->n_vertices);
  if (checker->plan->tie_price_ns > 0)
    proof->tie_balances = tp_new0 (gint64, proof->n_vertices);
}

static void
proof_clear (Proof *proof)
{
  tp_checker_arcs_clear (&proof->arcs);
  g_free (proof->met);
  g_free (proof->balances);
  g_free (proof->tie_balances);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Proof, proof_clear)

/* As many arcs as are called for, each called for, none twice: all of them. */
static void
check_flow (TpChecker *checker)
{
  const TpPlan *plan = checker->plan;
  Wide price = plan->tie_price_ns;
  g_auto (Proof) proof = { 0 };

  proof_init (&proof, checker);
  if (plan->n_arcs != proof.arcs.n_arcs)
    tp_checker_fail (checker,
                     "the network has %" G_GINT64_FORMAT
                     " arcs, the proof lists %d",
                     proof.arcs.n_arcs, plan->n_arcs);
  for (int i = 0; i < plan->n_arcs; i++)
    check_arc (&proof, i);
  check_balances (&proof, proof.balances, plan->bound_ns);
  if (price > 0)
    check_balances (&proof, proof.tie_balances,
                    plan->cost_ns + price * checker->n_copies);
}

void
tp_checker_check_cut (TpChecker *checker)
{
  if (checker->costs->n_devices == 2)
    check_flow (checker);
  else if (checker->plan->n_arcs != 0)
    tp_checker_fail (checker, "a plan for one device has nothing to cut, but "
                              "%d arcs",
                     checker->plan->n_arcs);
}
