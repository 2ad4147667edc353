/* mix.c: see mix.h.
 *
 * What engines carry in a round is what they carry in one run of all graphs together,
 * each with figures as many times as large as it is run. So all is left to load.c,
 * and what it found for the whole is handed to the parts. */
#include "config.h"

#include "planner/mix.h"

#include "ir/guard.h"
#include "planner/load-room.h"
#include "planner/load.h"
#include "planner/mix-room.h"
#include "planner/mix-union.h"
#include "planner/network.h"
#include "planner/place.h"
#include "planner/room-tree.h"

#include <math.h>
#include <string.h>

#define ROOM_WORK (1 << 21)   /* as of TpLoadRoom */

/* Of what there are flows, in the order that they are in. */
enum
{
  OF_OPS,
  OF_TENSORS,
  OF_GROUPS,
  OF_COLOCATIONS,
  N_KINDS
};

/* ---- the proof ----------------------------------------------------------- */

/* How many flows there are of what @part has, of each kind. */
static void
count_flows (const TpMixUnion *all, int part, guint *out)
{
  TpMixFirst first = all->first[part], end = all->first[part + 1];

  out[OF_OPS] = 2 * (guint) (end.node - first.node);
  for (int i = first.tensor; i < end.tensor; i++)
    out[OF_TENSORS] += tp_network_count_flows (&all->graph, i);
  for (int i = first.group; i < end.group; i++)
    out[OF_GROUPS] += 2 + 2 * (guint) all->groups->groups[i].n_nodes;
  for (int i = first.colocation; i < end.colocation; i++)
    out[OF_COLOCATIONS] += 2 * (guint) all->colocations[i].n_nodes;
}

/* Of one end, from where those of each kind begin in the whole. */
static gint64 *
split_end (const guint *counts, int n_parts, const gint64 **next, gint64 *to)
{
  for (int i = 0; i < n_parts * N_KINDS; i++)
    {
      const gint64 **from = &next[i % N_KINDS];

      memcpy (to, *from, sizeof (gint64) * counts[i]);
      *from += counts[i];
      to += counts[i];
    }
  return to;
}

/* From those of the whole to those of its parts, one after the other. */
static void
split_flows (const TpMix *mix, const TpMixUnion *all, TpLoadProof *proof)
{
  gsize n_kinds = (gsize) mix->n_parts * N_KINDS;
  g_autofree guint *counts = tp_new0 (guint, n_kinds + 1);
  g_autofree gint64 *flows = tp_new (gint64, (gsize) proof->n_flows + 1);
  gint64 *to = flows;
  guint totals[N_KINDS] = { 0 };

  for (int i = 0; i < mix->n_parts; i++)
    count_flows (all, i, &counts[i * N_KINDS]);
  for (gsize i = 0; i < n_kinds; i++)
    totals[i % N_KINDS] += counts[i];
  for (const gint64 *from = proof->flows; to < flows + proof->n_flows;)
    {
      const gint64 *next[N_KINDS];

      for (int kind = 0; kind < N_KINDS; kind++)
        {
          next[kind] = from;
          from += totals[kind];
        }
      to = split_end (counts, mix->n_parts, next, to);
    }
  g_free (proof->flows);
  proof->flows = g_steal_pointer (&flows);
}

/* Whose op it is. */
static int
find_part (const TpMix *mix, const TpMixUnion *all, int op)
{
  int part = 0;

  while (part + 1 < mix->n_parts && op >= all->first[part + 1].node)
    part++;
  return part;
}

/* Each row of @whole to the part whose op it is of. */
static void
split_rows (const TpMix *mix, const TpMixUnion *all, const TpShareBound *whole,
            TpPointers *out)
{
  guint first = out->len;

  for (int i = 0; i < mix->n_parts; i++)
    tp_pointers_add (out, tp_share_bound_new ());
  for (guint i = 0; i < whole->rows->len; i++)
    {
      TpShareRow row = tp_array_index (whole->rows, TpShareRow, i);
      int part = find_part (mix, all, row.op);
      TpShareBound *own = out->pdata[first + (guint) part];
      const gint64 *amounts
          = &tp_array_index (whole->amounts, gint64, row.first);

      row.first = own->amounts->len;
      row.op -= all->first[part].node;
      row.index -= row.kind == 'g' ? all->first[part].group
                                   : all->first[part].tensor;
      tp_array_append_val (own->rows, row);
      tp_array_append_vals (own->amounts, amounts, all->costs->n_devices);
    }
}

/* From rows of the whole to those of its parts; of three devices and more. */
static void
split_shares (const TpMix *mix, const TpMixUnion *all, TpLoadProof *proof)
{
  g_autoptr (TpPointers) parts
      = tp_pointers_new ((GDestroyNotify) tp_share_bound_free);

  if (proof->shares == NULL)
    return;
  for (guint i = 0; i < proof->shares->len; i++)
    split_rows (mix, all, proof->shares->pdata[i], parts);
  tp_pointers_free (proof->shares);
  proof->shares = g_steal_pointer (&parts);
}

/* ---- rates --------------------------------------------------------------- */

/* What to divide by is rounded up: rates divided so are kept by this placement. */
static gboolean
check_rates (const TpMix *mix, GError **error)
{
  const TpLoadProof *proof = mix->proof;
  gint64 bound_ns = tp_load_proof_get_bound (proof);
  const TpPlan *plan = mix->parts[0].plan;
  g_autofree char *name
      = tp_mix_name_engine (mix, tp_mix_find_busiest (mix));
  double busy = tp_mix_get_busy (mix, proof->load_ns);

  if (tp_mix_can_carry (mix, proof->load_ns))
    return TRUE;
  g_set_error (error, TPLAN_ERROR, TPLAN_ERROR_INFEASIBLE,
               "%s: '%s' would be busy %.3f s of every second%s, and in no "
               "placement%s is the busiest engine busy less than %.3f s: divide "
               "the rates by %.3f",
               tp_mix_can_carry (mix, bound_ns)
                   ? "no placement was found that keeps the rates"
                   : "the rates cannot be kept",
               name, busy, plan->is_simulated ? " (simulated)" : "",
               proof->room == NULL ? "" : " that fits",
               tp_mix_get_busy (mix, bound_ns),
               ceil (busy * 1000) / 1000);
  return FALSE;
}

/* ---- all ------------------------------------------------------------------ */

static void
move_parts (const TpMix *mix, const TpMixUnion *all, const guint8 *devices)
{
  for (int i = 0; i < mix->n_parts; i++)
    tp_place_move (mix->parts[i].plan, mix->parts[i].graph,
                   devices + all->first[i].node);
}

/* What is found on the way is near what fits, and is made better. What is proved of those
 * that fit is of lower limits than there are, and no proof. */
static void
search_room (const TpProblem *problem, TpMixRoom *room, guint8 *devices,
             TpLoadProof *proof)
{
  TpLoadRoom asked = { tp_mix_room_find_excess, room, ROOM_WORK, NULL, NULL };
  TpProblem lower = *problem;

  lower.limits = room->lower;
  lower.is_part = TRUE;
  tp_load_room_search (&lower, devices, &asked, proof);
  g_clear_pointer (&proof->room, tp_room_proof_free);
}

/* What proves it knows of limits. */
static void
prove_room (const TpProblem *problem, TpMixRoom *room, guint8 *devices,
            TpLoadProof *proof)
{
  int n = room->mix->n_parts;
  g_auto (TpLoadModel) model = { 0 };
  g_autofree TpRoomPart *parts = tp_new0 (TpRoomPart, (gsize) n);
  TpLoadRoom asked = { tp_mix_room_find_excess, room, ROOM_WORK, NULL, NULL };
  TpLoadBest best = { &model, devices, proof->loads, 0, &asked, 0, 0, 0 };
  TpProblem whole = *problem;

  whole.limits = room->limits;
  tp_load_model_init (&model, problem);
  for (int i = 0; i < n; i++)
    parts[i] = (TpRoomPart){ room->parts[i].problem,
                             room->mix->parts[i].n_runs,
                             room->all->first[i].node };
  tp_room_tree_search (&whole, parts, n, &best, proof);
}

static TpLoadProof *
solve_within (const TpProblem *problem, TpMixRoom *room, guint8 *devices,
              GError **error)
{
  g_autofree guint8 *start
      = tp_new0 (guint8, (gsize) problem->graph->n_nodes + 1);
  TpLoadRoom asked = { tp_mix_room_find_excess, room, ROOM_WORK, start, NULL };
  g_autoptr (TpLoadProof) proof = NULL;
  gint64 excess = 0;

  if (!tp_mix_room_find (room, problem, start))
    asked.start = NULL;
  proof = tp_load_solve_within (problem, &asked, devices, &excess, error);
  if (proof == NULL)
    return NULL;
  if (excess > 0)
    {
      tp_mix_room_fail (room, devices, error);
      return NULL;
    }
  search_room (problem, room, devices, proof);
  if (problem->n_devices > 1)
    prove_room (problem, room, devices, proof);
  return g_steal_pointer (&proof);
}

/* Without limits; and once more with them, if what was found does not fit. */
static TpLoadProof *
solve (const TpProblem *problem, TpMixRoom *room, guint8 *devices,
       GError **error)
{
  g_autoptr (TpLoadProof) proof = tp_load_solve (problem, devices, error);

  if (proof == NULL || tp_mix_room_find_excess (room, devices) == 0)
    return g_steal_pointer (&proof);
  return solve_within (problem, room, devices, error);
}

static TpLoadProof *
solve_all (const TpMix *mix, const TpMixUnion *all, const gint64 *limits,
           guint8 *devices, GError **error)
{
  g_auto (TpMixRoom) room = { 0 };
  g_autoptr (TpProblem) problem
      = tp_problem_new (&all->graph, all->groups, all->costs, "throughput",
                        error);

  if (problem == NULL)
    return NULL;
  if (limits == NULL)
    return tp_load_solve (problem, devices, error);
  tp_mix_room_init (&room, mix, all, limits);
  return solve (problem, &room, devices, error);
}

gboolean
tp_mix_place (TpMix *mix, const gint64 *limits, GError **error)
{
  g_auto (TpMixUnion) all = { 0 };
  g_autofree guint8 *devices = NULL;

  tp_mix_union_init (&all, mix);
  devices = tp_new0 (guint8, (gsize) all.graph.n_nodes + 1);
  tp_load_proof_free (mix->proof);
  mix->proof = NULL;
  mix->proof = solve_all (mix, &all, limits, devices, error);
  if (mix->proof == NULL)
    return FALSE;
  move_parts (mix, &all, devices);
  split_flows (mix, &all, mix->proof);
  split_shares (mix, &all, mix->proof);
  tp_mix_find_interval (mix);
  return check_rates (mix, error);
}

gint64
tp_mix_find_alone (const TpMix *mix, int device)
{
  g_auto (TpMixUnion) all = { 0 };
  g_auto (TpLoadModel) model = { 0 };
  g_autoptr (TpProblem) problem = NULL;
  g_autofree guint8 *devices = NULL;
  gint64 loads[TP_LOAD_MAX_ENGINES] = { 0 };

  tp_mix_union_init (&all, mix);
  problem = tp_problem_new (&all.graph, all.groups, all.costs, "throughput",
                            NULL);
  if (problem == NULL
      || tp_problem_single_cost (problem, device) == TP_COST_NONE)
    return -1;
  devices = tp_new (guint8, (gsize) all.graph.n_nodes + 1);
  memset (devices, device, (gsize) all.graph.n_nodes + 1);
  tp_load_model_init (&model, problem);
  tp_load_model_sum (&model, devices, loads);
  return loads[tp_load_model_find_busiest (&model, loads)];
}
