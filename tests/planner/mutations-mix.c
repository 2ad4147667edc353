/* mutations-mix.c: ways to spoil plans that run side by side, and their proof. */
#include "config.h"

#include "mix-case.h"
#include "mutations.h"
#include "planner/place.h"

#include <string.h>

#define FAR (G_GINT64_CONSTANT (1) << 62)

static TpMixPart *
pick_part (TpMix *mix)
{
  return &mix->parts[pick (mix->n_parts)];
}

/* NULL: there are none. */
static gint64 *
pick_flow (TpMix *mix)
{
  return mix->proof->n_flows == 0
             ? NULL
             : &mix->proof->flows[pick (mix->proof->n_flows)];
}

/* ---- loads ---------------------------------------------------------------- */

TP_TEST_SPOIL_MIX (raise_load, mix->proof->load_ns++)
TP_TEST_SPOIL_MIX_IF (lower_load, mix->proof->load_ns-- > 0)
TP_TEST_SPOIL_MIX (raise_bound, mix->proof->bound_ns++)
TP_TEST_SPOIL_MIX_IF (lower_bound, mix->proof->bound_ns-- > 0)
TP_TEST_SPOIL_MIX (raise_engine, mix->proof->loads[pick (6)]++)

static gboolean
swap_engines (TpMix *mix)
{
  gint64 *loads = mix->proof->loads, kept = loads[0];

  loads[0] = loads[1];
  loads[1] = kept;
  return loads[0] != loads[1];
}

/* ---- parts ---------------------------------------------------------------- */

TP_TEST_SPOIL_MIX (raise_runs, pick_part (mix)->n_runs++)

static gboolean
double_runs (TpMix *mix)
{
  for (int i = 0; i < mix->n_parts; i++)
    mix->parts[i].n_runs *= 2;
  return TRUE;
}

TP_TEST_SPOIL_MIX (no_runs, pick_part (mix)->n_runs = 0)
TP_TEST_SPOIL_MIX (negative_runs, pick_part (mix)->n_runs *= -1)
TP_TEST_SPOIL_MIX (double_rate, pick_part (mix)->rate.span_ns *= 2)

static gboolean
reducible_rate (TpMix *mix)
{
  TpMixRate *rate = &pick_part (mix)->rate;

  rate->n_runs *= 2;
  rate->span_ns *= 2;
  return TRUE;
}

TP_TEST_SPOIL_MIX (no_rate, pick_part (mix)->rate.n_runs = 0)

/* So that the same is to be done in a round of a nanosecond. */
static gboolean
rates_too_high (TpMix *mix)
{
  for (int i = 0; i < mix->n_parts; i++)
    mix->parts[i].rate = (TpMixRate){ mix->parts[i].n_runs, 1 };
  return mix->proof->load_ns > 1;
}

static gboolean
same_names (TpMix *mix)
{
  g_free (mix->parts[1].name);
  mix->parts[1].name = g_strdup (mix->parts[0].name);
  return TRUE;
}

static gboolean
swap_runs (TpMix *mix)
{
  gint64 kept = mix->parts[0].n_runs;

  mix->parts[0].n_runs = mix->parts[1].n_runs;
  mix->parts[1].n_runs = kept;
  return kept != mix->parts[0].n_runs;
}

static gboolean
drop_part (TpMix *mix)
{
  TpMixPart *last = &mix->parts[mix->n_parts - 1];

  if (last->plan->load_proof->load_ns == 0)
    return FALSE;
  g_free (last->name);
  tp_plan_unref (last->plan);
  tp_graph_unref (last->graph);
  mix->n_parts--;
  return TRUE;
}

/* A right plan, which is not the one that the loads are of. */
static gboolean
move_op (TpMix *mix)
{
  TpMixPart *part = pick_part (mix);
  int n = part->graph->n_nodes, op = pick (n);
  gint64 loads[TP_LOAD_MAX_ENGINES];
  gsize size;
  g_autofree guint8 *devices = g_new0 (guint8, n + 1);

  for (int i = 0; i < n; i++)
    devices[i] = (guint8) part->plan->placements[i].device;
  devices[op] = 1 - devices[op];
  if (part->graph->nodes[op].pins != NULL
      || (part->graph->colocation_of != NULL
          && part->graph->colocation_of[op] >= 0)
      || tp_costs_node (part->plan->costs, op, devices[op])->time_ns
             == TP_COST_NONE)
    return FALSE;
  size = sizeof (gint64) * (gsize) part->plan->load_proof->n_engines;
  memcpy (loads, part->plan->load_proof->loads, size);
  tp_place_move (part->plan, part->graph, devices);
  return memcmp (loads, part->plan->load_proof->loads, size) != 0;
}

TP_TEST_SPOIL_MIX (spoil_plan, pick_part (mix)->plan->cost_ns++)

static gboolean
other_objective (TpMix *mix)
{
  TpMixPart *part = pick_part (mix);
  TpPlan *plan
      = tp_place (part->graph, part->plan->all_groups, part->plan->costs,
                  "time", NULL);

  tp_plan_unref (part->plan);
  part->plan = plan;
  return TRUE;
}

TP_TEST_SPOIL_MIX (other_threads, pick_part (mix)->plan->origin.n_threads = 7)

static gboolean
negative_limit (TpMix *mix)
{
  mix->memory_limits = g_new0 (gint64, 2);
  mix->memory_limits[pick (2)] = -1;
  return TRUE;
}

static gboolean
low_limit (TpMix *mix)
{
  int device = pick (2);
  gint64 bytes = 0;

  for (int i = 0; i < mix->n_parts; i++)
    {
      if (mix->parts[i].plan->peak_bytes[device] >= FAR)
        return FALSE;         /* groups that no run can have */
      bytes += mix->parts[i].plan->peak_bytes[device]
               + mix->parts[i].plan->weight_bytes[device];
    }
  mix->memory_limits = g_new0 (gint64, 2);
  mix->memory_limits[device] = bytes - 1;
  return bytes > 1;
}

/* ---- weights and flows ---------------------------------------------------- */

TP_TEST_SPOIL_MIX (drop_weights, memset (mix->proof->weights, 0, 6 * sizeof (gint64)))
TP_TEST_SPOIL_MIX (negative_weight, mix->proof->weights[pick (6)] = -1)
TP_TEST_SPOIL_MIX (huge_weight, mix->proof->weights[pick (6)] = FAR)

/* Times the runs of a part it is none. */
static gboolean
large_weight (TpMix *mix)
{
  if (mix->parts[0].n_runs < 2)
    return FALSE;
  mix->proof->weights[pick (6)] = FAR - 1;
  return TRUE;
}

static gboolean
raise_flow (TpMix *mix)
{
  gint64 *flow = pick_flow (mix);

  if (flow != NULL)
    ++*flow;
  return flow != NULL;
}

static gboolean
lower_flow (TpMix *mix)
{
  gint64 *flow = pick_flow (mix);

  if (flow != NULL)
    --*flow;
  return flow != NULL;
}

static gboolean
swap_flows (TpMix *mix)
{
  gint64 *a = pick_flow (mix), *b = pick_flow (mix), kept;

  if (a == NULL || *a == *b)
    return FALSE;
  kept = *a;
  *a = *b;
  *b = kept;
  return TRUE;
}

TP_TEST_SPOIL_MIX_IF (drop_flow, mix->proof->n_flows-- > 0)

static gboolean
drop_flows (TpMix *mix)
{
  gboolean had = mix->proof->n_flows > 0;

  mix->proof->n_flows = 0;
  return had;
}

/* ---- the tree ------------------------------------------------------------- */

TP_TEST_SPOIL_MIX_IF (cut_tree, mix->proof->n_entries-- > 0)

static gboolean
add_end (TpMix *mix)
{
  TpLoadProof *proof = mix->proof;

  proof->tree = g_renew (int, proof->tree, proof->n_entries + 1);
  proof->tree[proof->n_entries++] = TP_LOAD_END;
  return TRUE;
}

static gboolean
root_alone (TpMix *mix)
{
  TpLoadProof *proof = mix->proof;

  if (proof->n_entries == 1)
    return FALSE;
  proof->tree[0] = TP_LOAD_END;
  proof->n_entries = 1;
  return TRUE;
}

static gboolean
fix_unknown_op (TpMix *mix)
{
  if (mix->proof->tree[0] == TP_LOAD_END)
    return FALSE;
  mix->proof->tree[0] = 0;
  for (int i = 0; i < mix->n_parts; i++)
    mix->proof->tree[0] += mix->parts[i].graph->n_nodes;
  return TRUE;
}

TP_TEST_SPOIL_MIX_IF (drop_bound, mix->proof->n_bounds-- > 0)

#define MUTATION(name) { #name, name }

/* ---- how sure it is -------------------------------------------------------- */

TP_TEST_SPOIL_MIX (narrow_mix, mix->proof->high_ns -= 3 + mix->proof->high_ns / 1000)

static gboolean
lower_mix_low (TpMix *mix)
{
  mix->proof->low_ns -= MIN (mix->proof->low_ns, 3 + mix->proof->low_ns / 1000);
  return mix->proof->low_ns > 3;
}

static gboolean
drop_mix_interval (TpMix *mix)
{
  mix->proof->low_ns = mix->proof->high_ns = -1;
  return mix->parts[0].plan->costs->errors != NULL;
}

const TpTestMixMutation tp_test_mix_mutations[] = {
  MUTATION (raise_load),
  MUTATION (lower_load),
  MUTATION (raise_bound),
  MUTATION (lower_bound),
  MUTATION (raise_engine),
  MUTATION (swap_engines),
  MUTATION (raise_runs),
  MUTATION (double_runs),
  MUTATION (no_runs),
  MUTATION (negative_runs),
  MUTATION (double_rate),
  MUTATION (reducible_rate),
  MUTATION (no_rate),
  MUTATION (rates_too_high),
  MUTATION (same_names),
  MUTATION (swap_runs),
  MUTATION (drop_part),
  MUTATION (move_op),
  MUTATION (spoil_plan),
  MUTATION (other_objective),
  MUTATION (other_threads),
  MUTATION (negative_limit),
  MUTATION (low_limit),
  MUTATION (drop_weights),
  MUTATION (negative_weight),
  MUTATION (huge_weight),
  MUTATION (large_weight),
  MUTATION (raise_flow),
  MUTATION (lower_flow),
  MUTATION (swap_flows),
  MUTATION (drop_flow),
  MUTATION (drop_flows),
  MUTATION (cut_tree),
  MUTATION (add_end),
  MUTATION (root_alone),
  MUTATION (fix_unknown_op),
  MUTATION (drop_bound),
  MUTATION (narrow_mix),
  MUTATION (lower_mix_low),
  MUTATION (drop_mix_interval),
  { NULL, NULL },
};
