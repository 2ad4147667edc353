/* check-proof.c: does the flow prove that no plan is cheaper?
 *
 * Every placement is a cut of the network, and no cut is smaller than a flow.
 * So it is enough that the flow is through arcs that graph and costs demand; that
 * it keeps to their capacities and is conserved; and that it is as large as the
 * plan's own cut. A plan that breaks a tie has a
 * second flow for that: with a price on every copy, its own cut is the least. */
#include "config.h"

#include "planner/check/check-proof.h"

#include "ir/guard.h"
#include "planner/check/check-arcs.h"
#include "planner/check/check-vertex.h"

#define INFINITE TP_CHECKER_INFINITE
#define MAX_BOUND (G_GINT64_CONSTANT (1) << 62)

__extension__ typedef __int128 Wide;

typedef struct
{
  TpChecker *checker;
  TpCheckerVertices vertices;
  TpCheckerArcs arcs;
  gint64 *balances;           /* [vertex]: in minus out */
  gint64 *tie_balances;       /* likewise, of the tie; NULL: none is broken */
} Proof;

/* Adds to @index where the flows begin in those they are of. */
static const char *
name_flows (const TpPlan *plan, gint64 *index)
{
  const TpLoadProof *load = plan->load_proof;
  const TpRateProof *rate = plan->rate_proof;

  if (rate != NULL && plan->flows == rate->flows)
    return "aim_flows";
  if (load == NULL || plan->flows < load->flows
      || plan->flows >= load->flows + load->n_flows)
    return "flows";
  *index += plan->flows - load->flows;
  return "load_flows";
}

typedef struct
{
  TpCutVertex from, to;
  TpCheckerArc arc;
} Arc;

/* Notes what is wrong with the flow of @arc: after its name, "from -> to". */
static gboolean G_GNUC_PRINTF (3, 4)
fail_at (const Proof *proof, const Arc *arc, const char *format, ...)
{
  gint64 place = arc->arc.number;
  const char *name = name_flows (proof->checker->plan, &place);
  g_autofree char *what = NULL;
  char from[TP_CUT_VERTEX_NAME], to[TP_CUT_VERTEX_NAME];
  va_list args;

  va_start (args, format);
  what = g_strdup_vprintf (format, args);
  va_end (args);
  return tp_checker_fail (proof->checker,
                          "%s[%" G_GINT64_FORMAT "]: %s -> %s %s", name, place,
                          tp_cut_vertex_write (arc->from, from),
                          tp_cut_vertex_write (arc->to, to), what);
}

/* With the price of the tie. */
static Wide
find_tie_capacity (const Proof *proof, const Arc *arc)
{
  Wide price = proof->checker->plan->tie_price_ns;

  if (arc->arc.capacity == INFINITE)
    return G_MAXINT64;
  return arc->arc.capacity
         + (arc->arc.capacity == TP_CHECKER_ABSENT
                ? 0
                : price * tp_checker_arcs_count_copies (&proof->arcs, arc->from,
                                                        arc->to));
}

/* FALSE: more than any honest flow. */
static gboolean
add_flow (gint64 *balances, gint64 from, gint64 to, gint64 flow)
{
  return !__builtin_sub_overflow (balances[from], flow, &balances[from])
         && !__builtin_add_overflow (balances[to], flow, &balances[to]);
}

static gboolean
take_flow (Proof *proof, const Arc *arc, gint64 flow, gint64 *balances)
{
  gint64 u = tp_checker_find_vertex (&proof->vertices, arc->from);
  gint64 v = tp_checker_find_vertex (&proof->vertices, arc->to);

  if (flow == 0)
    return TRUE;
  if (arc->arc.capacity == TP_CHECKER_ABSENT)
    return fail_at (proof, arc, "is not called for");
  return add_flow (balances, u, v, flow)
         || fail_at (proof, arc, "has a flow at an end that is beyond all "
                                 "numbers");
}

static gboolean
check_arc (gpointer data, TpCutVertex from, TpCutVertex to)
{
  Proof *proof = data;
  const TpPlan *plan = proof->checker->plan;
  const Arc arc
      = { from, to, tp_checker_arcs_find (&proof->arcs, from, to) };
  gint64 flow = plan->flows[arc.arc.number], tie;

  if (flow < 0
      || (arc.arc.capacity > 0 && flow > arc.arc.capacity))
    return fail_at (proof, &arc, "does not take flow %" G_GINT64_FORMAT, flow);
  if (!take_flow (proof, &arc, flow, proof->balances))
    return FALSE;
  if (proof->tie_balances == NULL)
    return TRUE;
  tie = plan->tie_flows[arc.arc.number];
  if (tie < 0 || tie > find_tie_capacity (proof, &arc))
    return fail_at (proof, &arc,
                    "does not take flow %" G_GINT64_FORMAT " of the tie", tie);
  return take_flow (proof, &arc, tie, proof->tie_balances);
}

/* What a flow proves, which is to be conserved. */
static Wide
find_bound (const Proof *proof, const gint64 *balances)
{
  gint64 n_leaks = 0;

  for (gint64 v = 2; v < tp_checker_count_vertices (&proof->vertices); v++)
    n_leaks += balances[v] != 0;
  if (n_leaks > 0)
    tp_checker_fail (proof->checker,
                     "flow is not conserved at %" G_GINT64_FORMAT " vertices",
                     n_leaks);
  return -(Wide) balances[0] - proof->checker->plan->constant_ns;
}

static void
check_bound (const Proof *proof, Wide bound, Wide expected)
{
  if (bound != expected)
    tp_checker_fail (proof->checker, "a flow proves a bound of %.0f, not %.0f",
                     (double) bound, (double) expected);
}

static void
proof_init (Proof *proof, TpChecker *checker)
{
  gint64 n;

  *proof = (Proof){ .checker = checker,
                    .vertices = tp_checker_number_vertices (checker) };
  n = tp_checker_count_vertices (&proof->vertices);
  tp_checker_arcs_init (&proof->arcs, checker);
  proof->balances = tp_new0 (gint64, n);
  if (checker->plan->tie_price_ns > 0)
    proof->tie_balances = tp_new0 (gint64, n);
}

static void
proof_clear (Proof *proof)
{
  tp_checker_arcs_clear (&proof->arcs);
  g_free (proof->balances);
  g_free (proof->tie_balances);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Proof, proof_clear)

int
tp_checker_count_flows (const TpChecker *checker)
{
  g_auto (TpCheckerArcs) arcs = { 0 };

  if (checker->costs->n_devices == 2)
    tp_checker_arcs_init (&arcs, checker);
  return (int) MIN (arcs.n_numbers, G_MAXINT);
}

/* FALSE: there are none for its arcs, or not one that is, which was said. */
static gboolean
take_flows (Proof *proof)
{
  const TpPlan *plan = proof->checker->plan;
  gint64 place = 0;
  const char *name = name_flows (plan, &place);

  if (plan->n_flows != proof->arcs.n_numbers)
    return tp_checker_fail (proof->checker,
                            "%s: there are %d, the graph has %" G_GINT64_FORMAT
                            " arcs",
                            name, plan->n_flows, proof->arcs.n_numbers);
  if ((plan->tie_price_ns > 0) != (plan->tie_flows != NULL))
    return tp_checker_fail (proof->checker,
                            "tie_flows are there where a tie has a price");
  return tp_checker_arcs_walk (&proof->arcs, check_arc, proof);
}

static void
check_flow (TpChecker *checker)
{
  const TpPlan *plan = checker->plan;
  Wide price = plan->tie_price_ns;
  g_auto (Proof) proof = { 0 };

  proof_init (&proof, checker);
  if (!take_flows (&proof))
    return;
  check_bound (&proof, find_bound (&proof, proof.balances), plan->bound_ns);
  if (price > 0)
    check_bound (&proof, find_bound (&proof, proof.tie_balances),
                 plan->cost_ns + price * checker->n_copies);
}

static gboolean
check_alone (TpChecker *checker)
{
  return (checker->plan->n_flows == 0 && checker->plan->tie_flows == NULL)
         || tp_checker_fail (checker,
                             "a plan for one device has flows, and nothing to "
                             "cut");
}

void
tp_checker_check_cut (TpChecker *checker)
{
  if (checker->costs->n_devices == 2)
    check_flow (checker);
  else
    check_alone (checker);
}

gboolean
tp_checker_find_cut (TpChecker *checker, gint64 *out_bound)
{
  g_auto (Proof) proof = { 0 };
  Wide bound;

  *out_bound = 0;
  if (checker->costs->n_devices == 1)
    return check_alone (checker);
  proof_init (&proof, checker);
  if (!take_flows (&proof))
    return FALSE;
  bound = find_bound (&proof, proof.balances);
  *out_bound = (gint64) CLAMP (bound, 0, MAX_BOUND - 1);
  return *out_bound == bound
         || tp_checker_fail (checker, "the flow of weighted arcs is no flow");
}
