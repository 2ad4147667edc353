/* mutations-proof.c: ways to spoil a proof, sums, and what a plan is for. */
#include "config.h"

#include "mutations.h"

#include <string.h>

static gint64
pick_shift (void)
{
  return g_test_rand_bit () ? 1 : -1;
}

static void
replace (char **text, const char *by)
{
  g_free (*text);
  *text = g_strdup (by);
}

/* ---- the proof --------------------------------------------------------- */

static TpArc *
pick_arc (TpPlan *plan)
{
  return &plan->arcs[pick (plan->n_arcs)];
}

TP_TEST_SPOIL (change_flow, pick_arc (plan)->flow += pick_shift ())

static gboolean
is_vertex (TpCutVertex vertex, int kind, int index)
{
  return vertex.kind == kind && vertex.index == index;
}

/* Right in balance, too much for the arc: s -> n -> t both get more. */
static gboolean
overfill_op (TpPlan *plan, const TpTestCase *test)
{
  int n_done = 0;

  for (int i = 0; i < plan->n_arcs; i++)
    if (is_vertex (plan->arcs[i].from, TP_CUT_SOURCE, 0)
        && is_vertex (plan->arcs[i].to, TP_CUT_NODE, 0))
      n_done++, plan->arcs[i].flow += 1 << 20;
    else if (is_vertex (plan->arcs[i].from, TP_CUT_NODE, 0)
             && is_vertex (plan->arcs[i].to, TP_CUT_SINK, 0))
      n_done++, plan->arcs[i].flow += 1 << 20;
  plan->bound_ns += 1 << 20;
  return n_done == 2;
}

static gboolean
change_capacity (TpPlan *plan, const TpTestCase *test)
{
  TpArc *arc = pick_arc (plan);

  arc->capacity = arc->capacity < 0 ? 1000000 : arc->capacity + pick_shift ();
  return TRUE;
}

static gboolean
free_capacity (TpPlan *plan, const TpTestCase *test)
{
  TpArc *arc = pick_arc (plan);

  if (arc->capacity < 0)
    return FALSE;
  arc->capacity = -1;
  return TRUE;
}

static gboolean
drop_arc (TpPlan *plan, const TpTestCase *test)
{
  *pick_arc (plan) = plan->arcs[plan->n_arcs - 1];
  plan->n_arcs--;
  return TRUE;
}

static const TpCutVertex source = { TP_CUT_SOURCE, 0 };
static const TpCutVertex sink = { TP_CUT_SINK, 0 };

static void
append_arc (TpPlan *plan, TpCutVertex from, TpCutVertex to, gint64 capacity)
{
  plan->arcs = g_renew (TpArc, plan->arcs, plan->n_arcs + 1);
  plan->arcs[plan->n_arcs++] = (TpArc){ from, to, capacity, 0, 0 };
}

static gboolean
repeat_arc (TpPlan *plan, const TpTestCase *test)
{
  TpArc arc = *pick_arc (plan);

  append_arc (plan, arc.from, arc.to, arc.capacity);
  return TRUE;
}

static gboolean
repeat_instead (TpPlan *plan, const TpTestCase *test)
{
  TpArc *arc = pick_arc (plan);
  const TpArc *other = pick_arc (plan);

  if (arc == other)
    return FALSE;
  *arc = *other;
  arc->flow = arc->tie_flow = 0;
  return TRUE;
}

gboolean
tp_test_lists_arc (const TpPlan *plan, TpCutVertex from, TpCutVertex to)
{
  for (int i = 0; i < plan->n_arcs; i++)
    if (is_vertex (plan->arcs[i].from, from.kind, from.index)
        && is_vertex (plan->arcs[i].to, to.kind, to.index))
      return TRUE;
  return FALSE;
}

int
tp_test_list_idle_arcs (TpPlan *plan, const TpGraph *graph)
{
  int n_before = plan->n_arcs;

  for (int i = 0; i < graph->n_nodes && plan->costs->host >= 0; i++)
    for (int d = 0; d < 2; d++)
      {
        const TpCutVertex op = { TP_CUT_NODE, i };
        gint64 cost = tp_costs_node (plan->costs, i, d)->time_ns;

        if (graph->nodes[i].pins != NULL || cost == TP_COST_NONE || cost == 0
            || (graph->colocation_of != NULL && graph->colocation_of[i] >= 0))
          continue;           /* what it is with may be unable to be there */
        if (d == 0 && !tp_test_lists_arc (plan, op, sink))
          append_arc (plan, op, sink, cost);
        if (d == 1 && !tp_test_lists_arc (plan, source, op))
          append_arc (plan, source, op, cost);
      }
  return plan->n_arcs - n_before;
}

TP_TEST_SPOIL (add_arc, append_arc (plan, sink, source, 5))

static gboolean
add_bypass (TpPlan *plan, const TpTestCase *test)
{
  append_arc (plan, source, sink, 5);
  plan->arcs[plan->n_arcs - 1].flow = 5;
  plan->bound_ns += 5;
  return TRUE;
}

static gboolean
misname_vertex (TpPlan *plan, const TpTestCase *test)
{
  static const int kinds[] = { -1, TP_N_CUT_VERTICES, G_MAXINT, G_MININT };
  static const int indices[] = { -1, 1 << 20, G_MAXINT, G_MININT };
  TpArc *arc = pick_arc (plan);
  TpCutVertex *vertex = g_test_rand_bit () ? &arc->from : &arc->to;

  /* files have no number of "s" and "t" */
  if (vertex->kind == TP_CUT_SOURCE || vertex->kind == TP_CUT_SINK
      || g_test_rand_bit ())
    vertex->kind = kinds[pick (G_N_ELEMENTS (kinds))];
  else
    vertex->index = indices[pick (G_N_ELEMENTS (indices))];
  return TRUE;
}

static gboolean
turn_arc (TpPlan *plan, const TpTestCase *test)
{
  TpArc *arc = pick_arc (plan);
  TpCutVertex from = arc->from;

  arc->from = arc->to;
  arc->to = from;
  return TRUE;
}

static gboolean
drop_proof (TpPlan *plan, const TpTestCase *test)
{
  while (plan->n_arcs > 0)
    drop_arc (plan, test);
  return TRUE;
}

/* Kinds there are not, or not quite. */
static gboolean
change_certificate (TpPlan *plan, const TpTestCase *test)
{
  static const char *const kinds[]
      = { "", "min-cuts", "min", "Min-cut", "simplex", "trust-me", NULL };

  replace (&plan->certificate, kinds[pick (G_N_ELEMENTS (kinds))]);
  return TRUE;
}

/* ---- totals ------------------------------------------------------------ */

TP_TEST_SPOIL (change_cost, plan->cost_ns += pick_shift ())
TP_TEST_SPOIL (change_bound, plan->bound_ns += pick_shift ())
TP_TEST_SPOIL (change_cost_and_bound, plan->bound_ns = ++plan->cost_ns)

static gboolean
change_constant (TpPlan *plan, const TpTestCase *test)
{
  gint64 shift = pick_shift ();

  plan->constant_ns += shift;
  plan->bound_ns -= shift;
  return TRUE;
}

TP_TEST_SPOIL (change_estimated, plan->n_estimated += pick_shift ())
TP_TEST_SPOIL (change_single, plan->best_single = plan->best_single == 0 ? 1 : 0)
TP_TEST_SPOIL (change_single_cost, plan->best_single_ns += pick_shift ())

/* ---- identity ---------------------------------------------------------- */

static void
flip_digit (char *digest)
{
  char *at = &digest[pick (strlen (digest))];

  *at = *at == '0' ? '1' : '0';
}

TP_TEST_SPOIL (change_graph_digest, flip_digit (plan->graph_digest))
TP_TEST_SPOIL (change_costs_digest, flip_digit (plan->costs_digest))
TP_TEST_SPOIL (change_name, replace (&plan->graph_name, "another"))
TP_TEST_SPOIL (change_device, replace (&plan->devices[pick (2)], "opencl:3"))
TP_TEST_SPOIL (change_objective, replace (&plan->objective, "beauty"))
TP_TEST_SPOIL (claim_simulated, plan->is_simulated = !plan->is_simulated)

const TpTestMutation tp_test_proof_mutations[] = {
  { "change-flow", change_flow },
  { "overfill-op", overfill_op },
  { "change-capacity", change_capacity },
  { "free-capacity", free_capacity },
  { "drop-arc", drop_arc },
  { "repeat-arc", repeat_arc },
  { "repeat-instead", repeat_instead },
  { "add-arc", add_arc },
  { "add-bypass", add_bypass },
  { "misname-vertex", misname_vertex },
  { "turn-arc", turn_arc },
  { "drop-proof", drop_proof },
  { "change-certificate", change_certificate },
  { "change-cost", change_cost },
  { "change-bound", change_bound },
  { "change-cost-and-bound", change_cost_and_bound },
  { "change-constant", change_constant },
  { "change-estimated", change_estimated },
  { "change-single", change_single },
  { "change-single-cost", change_single_cost },
  { "change-graph-digest", change_graph_digest },
  { "change-costs-digest", change_costs_digest },
  { "change-name", change_name },
  { "change-device", change_device },
  { "change-objective", change_objective },
  { "claim-simulated", claim_simulated },
  { NULL, NULL },
};
