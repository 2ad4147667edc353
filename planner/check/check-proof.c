/* check-proof.c: does the flow prove that no plan is cheaper?
 *
 * Every placement is a cut of the network, and no cut is smaller than a flow.
 * So it is enough that the flow is through arcs that graph and costs demand,
 * each listed once; that it keeps to their capacities and is conserved; and that
 * it is as large as the plan's own cut. A plan that breaks a tie has a
 * second flow for that: with a price on every copy, its own cut is the least. */
#include "config.h"

#include "planner/check/check-proof.h"

#include "ir/guard.h"
#include "planner/check/check-arcs.h"
#include "planner/check/check-vertex.h"

#define INFINITE TP_CHECKER_INFINITE

__extension__ typedef __int128 Wide;

typedef struct
{
  TpChecker *checker;
  TpCheckerVertices vertices;
  TpCheckerArcs arcs;
  guint8 *met;                /* [number of an arc] */
  gint64 *balances;           /* [vertex]: in minus out */
  gint64 *tie_balances;       /* likewise, of the tie; NULL: none is broken */
} Proof;

/* Adds to @index where the arcs begin in those they are of. */
static const char *
name_arcs (const TpPlan *plan, gint64 *index)
{
  const TpLoadProof *load = plan->load_proof;
  const TpRateProof *rate = plan->rate_proof;

  if (rate != NULL && plan->arcs == rate->arcs)
    return "aim_arcs";
  if (load == NULL || plan->arcs < load->arcs
      || plan->arcs >= load->arcs + load->n_arcs)
    return "arcs";
  *index += plan->arcs - load->arcs;
  return "load_arcs";
}

/* Notes what is wrong with arc @index: after its name, "from -> to". */
static gboolean G_GNUC_PRINTF (3, 4)
fail_at (const Proof *proof, int index, const char *format, ...)
{
  const TpPlan *plan = proof->checker->plan;
  const TpArc *arc = &plan->arcs[index];
  gint64 place = index;
  const char *name = name_arcs (plan, &place);
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
                         &proof->arcs, arc->from, arc->to);
  if (arc->tie_flow >= 0 && arc->tie_flow <= capacity)
    return TRUE;
  return fail_at (proof, index,
                  "does not take flow %" G_GINT64_FORMAT " of the tie",
                  arc->tie_flow);
}

/* Capacity and flow of arc @index, which @want calls for. */
static gboolean
check_fit (const Proof *proof, int index, TpCheckerArc want)
{
  const TpArc *arc = &proof->checker->plan->arcs[index];

  if (arc->capacity != want.capacity)
    return fail_at (proof, index,
                    "should have capacity %" G_GINT64_FORMAT
                    ", not %" G_GINT64_FORMAT,
                    want.capacity, arc->capacity);
  if (arc->flow < 0
      || (arc->capacity != INFINITE && arc->flow > arc->capacity))
    return fail_at (proof, index, "does not take flow %" G_GINT64_FORMAT,
                    arc->flow);
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
  const TpArc *arc = &proof->checker->plan->arcs[index];
  gint64 u = tp_checker_find_vertex (&proof->vertices, arc->from);
  gint64 v = tp_checker_find_vertex (&proof->vertices, arc->to);
  TpCheckerArc want;

  if (u < 0 || v < 0)
    return fail_at (proof, index, "is not between vertices");
  want = tp_checker_arcs_find (&proof->arcs, arc->from, arc->to);
  if (want.capacity == TP_CHECKER_ABSENT)
    return fail_at (proof, index, "is not called for");
  if (!check_fit (proof, index, want))
    return FALSE;
  if (proof->met[want.number]++)
    return fail_at (proof, index, "comes twice");
  if (add_flow (proof->balances, u, v, arc->flow)
      && (proof->tie_balances == NULL
          || add_flow (proof->tie_balances, u, v, arc->tie_flow)))
    return TRUE;
  return fail_at (proof, index, "has a flow at an end that is beyond all "
                                "numbers");
}

/* Whether a flow is conserved, and proves @expected. */
static void
check_balances (const Proof *proof, const gint64 *balances, Wide expected)
{
  Wide bound = -(Wide) balances[0] - proof->checker->plan->constant_ns;
  gint64 n_leaks = 0;

  for (gint64 v = 2; v < tp_checker_count_vertices (&proof->vertices); v++)
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
  gint64 n;

  *proof = (Proof){ .checker = checker,
                    .vertices = tp_checker_number_vertices (checker) };
  n = tp_checker_count_vertices (&proof->vertices);
  tp_checker_arcs_init (&proof->arcs, checker);
  proof->met = tp_new0 (guint8, proof->arcs.n_numbers + 1);
  proof->balances = tp_new0 (gint64, n);
  if (checker->plan->tie_price_ns > 0)
    proof->tie_balances = tp_new0 (gint64, n);
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

/* Through arcs that are not listed nothing flows. */
static void
check_flow (TpChecker *checker)
{
  const TpPlan *plan = checker->plan;
  Wide price = plan->tie_price_ns;
  g_auto (Proof) proof = { 0 };

  proof_init (&proof, checker);
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
