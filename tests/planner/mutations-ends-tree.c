/* mutations-ends-tree.c: ways to spoil what plans that run side by side say of those that keep to
 * limits of memory, on however many devices: its tree, weights and bound. */
#include "config.h"

#include "mix-case.h"
#include "mutations.h"
#include "planner/mix.h"
#include "planner/place.h"

#define FAR (G_GINT64_CONSTANT (1) << 62)

static TpRoomEnds *
get_ends (const TpMix *mix)
{
  return mix->proof->room->ends;
}

static gint64 *
pick_weight (const TpMix *mix)
{
  return &get_ends (mix)->weights[pick (mix->proof->n_engines)];
}

/* ---- what no file says, or only who lays arenas out sees ---------------------- */

TP_TEST_SPOIL_MIX (proof_of_one,
                   g_clear_pointer (&mix->proof->room->ends, tp_room_ends_free))
TP_TEST_SPOIL_MIX (tree_besides, mix->proof->room->tree = tp_memory_proof_new ())
TP_TEST_SPOIL_MIX (shares_besides, mix->proof->room->shares = tp_share_proof_new ())
TP_TEST_SPOIL_MIX (path_besides,
                   tp_pointers_add (mix->proof->room->paths, tp_path_new (1)))
TP_TEST_SPOIL_MIX (negative_ends, get_ends (mix)->n_ends = -1)

/* ---- the bound ------------------------------------------------------------------ */

TP_TEST_SPOIL_MIX (raise_room, mix->proof->room->bound_ns++)
TP_TEST_SPOIL_MIX_IF (lower_room, mix->proof->room->bound_ns-- > 0)

/* As if nothing were known of limits. */
static gboolean
forget_room_bound (TpMix *mix)
{
  gboolean is_more = mix->proof->room->bound_ns > mix->proof->bound_ns;

  mix->proof->room->bound_ns = mix->proof->bound_ns;
  return is_more;
}

TP_TEST_SPOIL_MIX (drop_limits, g_clear_pointer (&mix->memory_limits, g_free))

/* What the busiest engine carries of the same graphs without limits. */
static gint64
find_free_load (const TpMix *mix)
{
  g_autoptr (TpMix) other = tp_mix_new (mix->n_parts);

  for (int i = 0; i < mix->n_parts; i++)
    {
      const TpMixPart *part = &mix->parts[i];

      other->parts[i] = (TpMixPart){
        .name = g_strdup (part->name),
        .rate = part->rate,
        .n_runs = part->n_runs,
        .plan = tp_place (part->graph, part->plan->all_groups,
                          part->plan->costs, "throughput", NULL),
        .graph = tp_graph_ref (part->graph),
      };
    }
  g_assert_true (tp_mix_place (other, NULL, NULL));
  return other->proof->load_ns;
}

/* All fits then; below what is best of that nothing is, and a bound of so much stays true. */
static gboolean
raise_limits (TpMix *mix)
{
  for (int d = 0; d < mix->parts[0].plan->n_devices; d++)
    mix->memory_limits[d] *= 1000;
  return mix->proof->room->bound_ns > find_free_load (mix);
}

/* ---- the tree -------------------------------------------------------------------- */

TP_TEST_SPOIL_MIX_IF (cut_room_tree, get_ends (mix)->n_entries-- > 0)
TP_TEST_SPOIL_MIX (empty_room_tree, get_ends (mix)->n_entries = 0)

static void
insert (TpRoomEnds *ends, int at, int entry)
{
  ends->tree = g_renew (int, ends->tree, ends->n_entries + 1);
  for (int i = ends->n_entries++; i > at; i--)
    ends->tree[i] = ends->tree[i - 1];
  ends->tree[at] = entry;
}

TP_TEST_SPOIL_MIX (add_room_end,
                   insert (get_ends (mix), get_ends (mix)->n_entries, TP_LOAD_END))

static gboolean
room_root_alone (TpMix *mix)
{
  TpRoomEnds *ends = get_ends (mix);
  gboolean had = ends->n_entries > 1;

  ends->tree[0] = TP_LOAD_END;
  ends->n_entries = 1;
  return had;
}

static gboolean
room_unknown_op (TpMix *mix)
{
  int n = 0;

  for (int i = 0; i < mix->n_parts; i++)
    n += mix->parts[i].graph->n_nodes;
  insert (get_ends (mix), 0, n);
  return TRUE;
}

TP_TEST_SPOIL_MIX (room_no_op, get_ends (mix)->tree[0] = -2)

static gboolean
fix_twice (TpMix *mix)
{
  TpRoomEnds *ends = get_ends (mix);

  if (ends->tree[0] == TP_LOAD_END)
    return FALSE;
  insert (ends, 1, ends->tree[0]);
  return TRUE;
}

TP_TEST_SPOIL_MIX_IF (drop_room_end, get_ends (mix)->n_ends-- > 0)

static gboolean
drop_room_bound (TpMix *mix)
{
  TpRoomEnds *ends = get_ends (mix);
  TpPointers *bounds = ends->shares->len > 0 ? ends->shares : ends->bounds;

  tp_pointers_cut (bounds, bounds->len - 1);
  return TRUE;
}

/* ---- weights --------------------------------------------------------------------- */

static gboolean
zero_room_weight (TpMix *mix)
{
  gint64 *weight = pick_weight (mix);
  gboolean was_any = *weight > 0;

  *weight = 0;
  return was_any;
}

TP_TEST_SPOIL_MIX (negative_room_weight, *pick_weight (mix) = -1 - pick (100))
TP_TEST_SPOIL_MIX (huge_room_weight, *pick_weight (mix) = FAR)

#define MUTATION(name) { "ends-" #name, name }

const TpTestMixMutation tp_test_ends_tree_mutations[] = {
  MUTATION (proof_of_one),
  MUTATION (tree_besides),
  MUTATION (shares_besides),
  MUTATION (path_besides),
  MUTATION (negative_ends),
  MUTATION (raise_limits),
  MUTATION (raise_room),
  MUTATION (lower_room),
  MUTATION (forget_room_bound),
  MUTATION (drop_limits),
  MUTATION (cut_room_tree),
  MUTATION (empty_room_tree),
  MUTATION (add_room_end),
  MUTATION (room_root_alone),
  MUTATION (room_unknown_op),
  MUTATION (room_no_op),
  MUTATION (fix_twice),
  MUTATION (drop_room_end),
  MUTATION (drop_room_bound),
  MUTATION (zero_room_weight),
  MUTATION (negative_room_weight),
  MUTATION (huge_room_weight),
  { NULL, NULL },
};
