/* check-ends.c: see check-ends.h.
 *
 * The ends of the tree are all placements there are: an op is on the first device, then on the
 * second. At each end all figures are multiplied by the weights of engines, and every part
 * has shares and prices on what it holds (check-share.c). So the least of all parts
 * together is a sum over ops, of which what fits pays no more than limits come to: of each
 * device the highest price that any part has there, for what all hold side by side. Where
 * there are no weights, all ops are fixed, and arenas as sessions lay them out do not fit. */
#include "config.h"

#include "planner/check/check-ends.h"

#include "ir/guard.h"
#include "planner/check/check-costs.h"
#include "planner/check/check-memory.h"
#include "planner/check/check-room.h"
#include "planner/check/check-share.h"
#include "planner/check/check-weigh.h"

#define FREE (-1)
#define MAX_SUM (G_GINT64_CONSTANT (1) << 62)
#define MAX_WORK (G_GINT64_CONSTANT (1) << 30) /* ops looked at */

typedef TpCheckerWide Wide;

typedef struct
{
  const TpCheckerLoads *loads;
  gint64 *limits;
  const TpRoomEnds *ends;
  TpCheckerRoom room;
  int *first;                 /* [part], and what is after the last */
  gint8 *devices;             /* [op of all]; FREE: either */
  int *path;                  /* ops that are fixed */
  int n_path;
  int n_done;                 /* ends */
  Wide prices[2];             /* [device]: the highest of any part */
  Wide least;
} Walk;

static TpChecker *
get_checker (const Walk *walk, int part)
{
  return walk->loads->parts[part].checker;
}

static gboolean G_GNUC_PRINTF (2, 3)
fail (const Walk *walk, const char *format, ...)
{
  g_autofree char *text = NULL;
  va_list args;

  va_start (args, format);
  text = g_strdup_vprintf (format, args);
  va_end (args);
  return tp_checker_fail (get_checker (walk, 0), "what fits: %s", text);
}

/* ---- one end ---------------------------------------------------------------- */

/* What weights add up to; 0: they are none. */
static gint64
sum_weights (const Walk *walk, const gint64 *weights)
{
  gboolean is_one = tp_costs_is_one_engine (get_checker (walk, 0)->costs);
  Wide sum = 0;

  for (int e = 0; e < walk->loads->proof->n_engines; e++)
    {
      if (weights[e] < 1 || (is_one && weights[e] != weights[0]))
        return 0;
      sum += weights[e];
    }
  return sum >= MAX_SUM ? 0 : is_one ? weights[0] : (gint64) sum;
}

static void
take_prices (Walk *walk, const TpMemoryBound *bound)
{
  Wide sums[2] = { 0, 0 };

  for (guint i = 0; i < bound->prices->len; i++)
    {
      const TpMemoryPrice *it
          = &tp_array_index (bound->prices, TpMemoryPrice, i);

      sums[it->device] += it->price;
    }
  for (int d = 0; d < 2; d++)
    walk->prices[d] = MAX (walk->prices[d], sums[d]);
}

/* Adds what ops of the part, with what is fixed, answer for at least. */
static gboolean
add_levels (Walk *walk, int part, TpCheckerWeighed *weighed,
            TpMemoryBound *bound)
{
  TpChecker *checker = &weighed->checker;
  TpPlan plan = *checker->plan;
  g_autoptr (TpPointers) bounds = tp_pointers_new (NULL);
  TpMemoryProof proof = { 0, bounds, NULL };
  int n = plan.n_placements, n_gains = checker->costs->n_groups * 2;
  g_autofree Wide *sums = tp_new0 (Wide, 2 * (gsize) n + 1);
  TpCheckerLevels levels = { 0, 0, sums };
  g_auto (TpCheckerHeld) held = { 0 };
  const gint8 *devices = walk->devices + walk->first[part];

  tp_pointers_add (bounds, bound);
  plan.memory_limits = walk->limits;
  plan.memory_proof = &proof;
  plan.constant_ns = 0;
  for (int i = 0; i < n_gains; i++)
    plan.constant_ns += weighed->gains[i];
  checker->plan = &plan;
  tp_checker_held_init (&held, checker);
  if (!bound->has_costs || !tp_checker_find_levels (&held, 0, &levels))
    return fail (walk, "end %d proves nothing of part %d", walk->n_done, part);
  take_prices (walk, bound);
  walk->least += levels.offset;
  for (int i = 0; i < n; i++)
    walk->least += devices[i] == FREE ? MIN (sums[2 * i], sums[2 * i + 1])
                                      : sums[2 * i + devices[i]];
  return TRUE;
}

static gboolean
add_part (Walk *walk, int part, const gint64 *weights)
{
  const TpCheckerLoadPart *own = &walk->loads->parts[part];
  gint64 runs[TP_LOAD_MAX_ENGINES];
  g_auto (TpCheckerWeighed) weighed = { 0 };
  TpPointers *bounds = walk->ends->bounds;

  for (int e = 0; e < walk->loads->proof->n_engines; e++)
    if (__builtin_mul_overflow (weights[e], own->n_runs, &runs[e])
        || runs[e] >= MAX_SUM)
      return fail (walk, "weights times runs reach 2^62");
  return tp_checker_weigh (own->checker, runs, NULL, &weighed)
         && add_levels (walk, part, &weighed,
                        bounds->pdata[walk->n_done * walk->loads->n_parts
                                      + part]);
}

/* Whether all ops are fixed, and do not fit so. */
static gboolean
is_too_large (const Walk *walk)
{
  TpCheckerBytes bytes[2] = { 0, 0 };

  for (int i = 0; i < walk->first[walk->loads->n_parts]; i++)
    if (walk->devices[i] == FREE)
      return FALSE;
  for (int i = 0; i < walk->loads->n_parts; i++)
    if (!tp_checker_add_needed (get_checker (walk, i),
                                walk->devices + walk->first[i], bytes))
      return FALSE;
  return !tp_checker_is_within (get_checker (walk, 0)->plan->costs,
                                walk->limits, bytes);
}

static gboolean
is_empty (const gint64 *weights, int n)
{
  gboolean is_any = FALSE;

  for (int e = 0; e < n; e++)
    is_any |= weights[e] != 0;
  return !is_any;
}

/* Whether the next end proves anything; *@bound is no more than that: as it was where all ops
 * are fixed and do not fit. */
static gboolean
prove_end (Walk *walk, gint64 *bound)
{
  int n_engines = walk->loads->proof->n_engines;
  const gint64 *weights = &walk->ends->weights[walk->n_done * n_engines];
  gint64 sum = sum_weights (walk, weights);
  Wide least;

  if (is_empty (weights, n_engines) && is_too_large (walk))
    return TRUE;
  if (sum == 0)
    return fail (walk, "end %d has weights that are none, and may fit",
                 walk->n_done);
  walk->prices[0] = walk->prices[1] = walk->least = 0;
  for (int i = 0; i < walk->loads->n_parts; i++)
    if (!add_part (walk, i, weights))
      return FALSE;
  least = walk->least
          - (tp_checker_pay_most (walk->prices, walk->room.limits,
                                  walk->room.pool > 0 ? walk->room.pool : -1)
             >> 30);
  *bound = (gint64) MIN (*bound, (MAX (least, 0) + sum - 1) / sum);
  return TRUE;
}

/* ---- the tree ---------------------------------------------------------------- */

static int
find_part (const Walk *walk, int op)
{
  int part = 0;

  while (op >= walk->first[part + 1])
    part++;
  return part;
}

/* What is to be on one device is there with @op. */
static void
set_device (Walk *walk, int op, gint8 device)
{
  int part = find_part (walk, op);
  const TpGraph *graph = get_checker (walk, part)->graph;
  int own = op - walk->first[part];
  int index = graph->colocation_of == NULL ? -1 : graph->colocation_of[own];
  const TpColocation *it = index < 0 ? NULL : &graph->colocations[index];

  walk->devices[op] = device;
  for (int i = 0; it != NULL && i < it->n_nodes; i++)
    walk->devices[walk->first[part] + it->nodes[i]] = device;
}

static gboolean
enter (Walk *walk, int op)
{
  if (op < 0 || op >= walk->first[walk->loads->n_parts]
      || walk->devices[op] != FREE)
    return fail (walk, "op %d is not free, or none", op);
  set_device (walk, op, 0);
  walk->path[walk->n_path++] = op;
  return TRUE;
}

/* To the next end; FALSE: there is none left. */
static gboolean
turn (Walk *walk)
{
  while (walk->n_path > 0)
    {
      int op = walk->path[walk->n_path - 1];

      if (walk->devices[op] == 0)
        {
          set_device (walk, op, 1);
          return TRUE;
        }
      set_device (walk, op, FREE);
      walk->n_path--;
    }
  return FALSE;
}

static gboolean
check_end (Walk *walk, gint64 *bound)
{
  if (walk->n_done == walk->ends->n_ends)
    return fail (walk, "an end without a proof");
  if (!prove_end (walk, bound))
    return FALSE;
  walk->n_done++;
  return TRUE;
}

/* *@bound: no more than what all ends prove. */
static gboolean
walk_tree (Walk *walk, gint64 *bound)
{
  gboolean is_left = TRUE;

  for (int i = 0; i < walk->ends->n_entries; i++)
    {
      int op = walk->ends->tree[i];

      if (!is_left)
        return fail (walk, "more ends than the tree has");
      if (op != TP_LOAD_END)
        {
          if (!enter (walk, op))
            return FALSE;
          continue;
        }
      if (!check_end (walk, bound))
        return FALSE;
      is_left = turn (walk);
    }
  return (!is_left && walk->n_done == walk->ends->n_ends)
         || fail (walk, "an end without a proof, or a proof without an end");
}

/* The one device that @op may be on; FREE: there are two. */
static gint8
find_only (const TpChecker *checker, int op)
{
  if (!tp_checker_may_run (checker, op, 0))
    return 1;
  return tp_checker_may_run (checker, op, 1) ? FREE : 0;
}

static void
walk_init (Walk *walk)
{
  int n_parts = walk->loads->n_parts, n;

  walk->first = tp_new0 (int, n_parts + 1);
  for (int i = 0; i < n_parts; i++)
    walk->first[i + 1]
        = walk->first[i] + get_checker (walk, i)->graph->n_nodes;
  n = walk->first[n_parts];
  walk->devices = tp_new (gint8, (gsize) n + 1);
  walk->path = tp_new (int, (gsize) n + 1);
  for (int i = 0; i < n_parts; i++)
    for (int k = walk->first[i]; k < walk->first[i + 1]; k++)
      walk->devices[k] = find_only (get_checker (walk, i), k - walk->first[i]);
  walk->room = tp_checker_find_room (get_checker (walk, 0)->plan->costs,
                                     walk->limits);
}

static void
walk_clear (Walk *walk)
{
  g_free (walk->first);
  g_free (walk->devices);
  g_free (walk->path);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Walk, walk_clear)

static gboolean
check_form (const Walk *walk)
{
  const TpCheckerLoads *loads = walk->loads;
  const TpRoomProof *room = loads->proof->room;
  const TpRoomEnds *ends = room->ends;
  Wide n_items = 1;

  for (int i = 0; i < loads->n_parts; i++)
    n_items += get_checker (walk, i)->graph->n_nodes
               + get_checker (walk, i)->graph->n_tensors;
  if (walk->limits == NULL || room->tree != NULL || room->shares != NULL
      || room->paths->len > 0 || get_checker (walk, 0)->costs->n_devices != 2)
    return fail (walk, "there is no limit, or another proof, or not of two "
                       "devices");
  if (ends->n_ends < 0
      || (Wide) ends->n_ends * loads->n_parts != ends->bounds->len
      || ends->n_ends * n_items > MAX_WORK)
    return fail (walk, "not a bound for each part at each end, or too many");
  return TRUE;
}

void
tp_checker_check_ends (const TpCheckerLoads *loads, gint64 *limits)
{
  const TpLoadProof *proof = loads->proof;
  g_auto (Walk) walk = { .loads = loads, .limits = limits,
                         .ends = proof->room->ends };
  gint64 bound = proof->load_ns;

  if (!check_form (&walk))
    return;
  walk_init (&walk);
  if (walk_tree (&walk, &bound) && proof->room->bound_ns != bound)
    fail (&walk, "the busiest carries at least %" G_GINT64_FORMAT
                 " by its proof, not %" G_GINT64_FORMAT,
          bound, proof->room->bound_ns);
}
