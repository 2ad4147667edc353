/* check-ends.c: see check-ends.h.
 *
 * The ends of the tree are all placements there are: an op is on one of its devices after the
 * other. At each end all figures are multiplied by the weights of engines, and every part
 * has shares and prices on what it holds (check-share.c, check-answers.c). So the least of all
 * parts together is a sum over ops, of which what fits pays no more than limits come to: of each
 * device the highest price that any part has there, for what all hold side by side. Where
 * there are no weights, all ops are fixed, and arenas as sessions lay them out do not fit. */
#include "config.h"

#include "planner/check/check-ends.h"

#include "ir/guard.h"
#include "planner/check/check-answers.h"
#include "planner/check/check-costs.h"
#include "planner/check/check-memory.h"
#include "planner/check/check-room.h"
#include "planner/check/check-share-room.h"
#include "planner/check/check-share.h"
#include "planner/check/check-weigh.h"

#include <string.h>

#define FREE (-1)
#define MAX_UNIT (1 << 20)
#define MAX_DEVICES (TP_LOAD_MAX_ENGINES / 3)
#define MAX_SUM (G_GINT64_CONSTANT (1) << 62)
#define MAX_WORK (G_GINT64_CONSTANT (1) << 30) /* ops looked at */

typedef TpCheckerWide Wide;

typedef struct
{
  const TpCheckerLoads *loads;
  gint64 *limits;
  const TpRoomEnds *ends;
  int *first;                 /* [part], and what is after the last */
  int n_devices;
  gint8 *devices;             /* [op of all]; FREE: any that it may be on */
  int *path;                  /* ops that are fixed */
  int n_path;
  int n_done;                 /* ends */
  Wide prices[MAX_DEVICES];   /* [device]: the highest of any part */
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
take_prices (Walk *walk, const TpArray *prices)
{
  Wide sums[MAX_DEVICES] = { 0 };

  for (guint i = 0; i < prices->len; i++)
    {
      const TpMemoryPrice *it = &tp_array_index (prices, TpMemoryPrice, i);

      sums[it->device] += it->price;
    }
  for (int d = 0; d < walk->n_devices; d++)
    walk->prices[d] = MAX (walk->prices[d], sums[d]);
}

/* Adds what ops of the part, with what is fixed, answer for at least. Two devices. */
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
  take_prices (walk, bound->prices);
  walk->least += levels.offset;
  for (int i = 0; i < n; i++)
    walk->least += devices[i] == FREE ? MIN (sums[2 * i], sums[2 * i + 1])
                                      : sums[2 * i + devices[i]];
  return TRUE;
}

/* What is fixed may be nowhere else. */
static void
bar (const Walk *walk, int part, TpCheckerWeighed *weighed)
{
  const gint8 *devices = walk->devices + walk->first[part];
  int n = walk->n_devices;

  for (int i = 0; i < weighed->checker.graph->n_nodes; i++)
    for (int d = 0; d < n; d++)
      if (devices[i] != FREE && devices[i] != d)
        weighed->node_costs[(gsize) i * n + d] = TP_COST_NONE;
}

/* Likewise by shares, rounded up: costs are whole. Three devices and more. */
static gboolean
add_answers (Walk *walk, int part, TpCheckerWeighed *weighed,
             TpShareProof *proof)
{
  TpChecker *checker = &weighed->checker;
  TpPlan plan = *checker->plan;
  g_auto (TpCheckerAnswers) answers = { 0 };
  Wide least;

  plan.memory_limits = walk->limits;
  plan.share_proof = proof;
  checker->plan = &plan;
  bar (walk, part, weighed);
  if (proof->room == NULL || proof->unit < 1 || proof->unit > MAX_UNIT
      || !tp_checker_check_prices (checker, proof))
    return fail (walk, "end %d proves nothing of part %d", walk->n_done, part);
  tp_checker_answers_init (&answers, checker, proof->prices);
  if (!tp_checker_answers_read (&answers, proof->room, "load_room",
                                answers.amounts))
    return FALSE;
  take_prices (walk, proof->prices);
  least = tp_checker_answers_sum (&answers);
  walk->least += least / proof->unit + (least > 0 && least % proof->unit > 0);
  return TRUE;
}

static gboolean
add_part (Walk *walk, int part, const gint64 *weights)
{
  const TpCheckerLoadPart *own = &walk->loads->parts[part];
  gint64 runs[TP_LOAD_MAX_ENGINES];
  g_auto (TpCheckerWeighed) weighed = { 0 };
  gsize at = (gsize) walk->n_done * (gsize) walk->loads->n_parts + (gsize) part;

  for (int e = 0; e < walk->loads->proof->n_engines; e++)
    if (__builtin_mul_overflow (weights[e], own->n_runs, &runs[e])
        || runs[e] >= MAX_SUM)
      return fail (walk, "weights times runs reach 2^62");
  if (!tp_checker_weigh (own->checker, runs, NULL, &weighed))
    return FALSE;
  return walk->n_devices > 2
             ? add_answers (walk, part, &weighed, walk->ends->shares->pdata[at])
             : add_levels (walk, part, &weighed, walk->ends->bounds->pdata[at]);
}

/* Whether all ops are fixed, and do not fit so. */
static gboolean
is_too_large (const Walk *walk)
{
  TpCheckerBytes bytes[MAX_DEVICES] = { 0 };

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

/* What all pay for limits at most. */
static Wide
pay_limits (const Walk *walk)
{
  const TpCosts *costs = get_checker (walk, 0)->plan->costs;
  Wide sum = 0;

  for (int d = 0; d < walk->n_devices; d++)
    if (!tp_checker_shares_room (costs, walk->limits, d))
      sum += walk->prices[d] * tp_checker_find_limit (costs, walk->limits, d);
  return (sum + tp_checker_pay_shared (costs, walk->limits, walk->prices))
         >> 30;
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
  memset (walk->prices, 0, sizeof walk->prices);
  walk->least = 0;
  for (int i = 0; i < walk->loads->n_parts; i++)
    if (!add_part (walk, i, weights))
      return FALSE;
  least = walk->least - pay_limits (walk);
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

/* The first device after @device that @op may be on; FREE: there is none. */
static gint8
find_next (const Walk *walk, int op, int device)
{
  int part = find_part (walk, op);

  while (++device < walk->n_devices)
    if (tp_checker_may_run (get_checker (walk, part), op - walk->first[part],
                            device))
      return (gint8) device;
  return FREE;
}

static gboolean
enter (Walk *walk, int op)
{
  if (op < 0 || op >= walk->first[walk->loads->n_parts]
      || walk->devices[op] != FREE)
    return fail (walk, "op %d is not free, or none", op);
  set_device (walk, op, find_next (walk, op, -1));
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
      gint8 device = find_next (walk, op, walk->devices[op]);

      set_device (walk, op, device);
      if (device != FREE)
        return TRUE;
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

/* The one device that @op may be on; FREE: there are several. */
static gint8
find_only (const Walk *walk, int op)
{
  gint8 first = find_next (walk, op, -1);

  return find_next (walk, op, first) == FREE ? first : FREE;
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
  for (int i = 0; i < n; i++)
    walk->devices[i] = find_only (walk, i);
}

static void
walk_clear (Walk *walk)
{
  g_free (walk->first);
  g_free (walk->devices);
  g_free (walk->path);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Walk, walk_clear)

/* One for each part at each end. */
static gboolean
has_bounds (const Walk *walk)
{
  const TpRoomEnds *ends = walk->ends;
  gboolean is_shared = walk->n_devices > 2;
  Wide n = (Wide) ends->n_ends * walk->loads->n_parts;

  return ends->bounds->len == (is_shared ? 0 : n)
         && ends->shares->len == (is_shared ? n : 0);
}

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
      || room->paths->len > 0 || walk->n_devices < 2
      || walk->n_devices > MAX_DEVICES)
    return fail (walk, "there is no limit, or another proof, or not of several "
                       "devices");
  if (ends->n_ends < 0 || !has_bounds (walk)
      || ends->n_ends * (n_items << (walk->n_devices - 2)) > MAX_WORK)
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

  walk.n_devices = loads->parts[0].checker->costs->n_devices;
  if (!check_form (&walk))
    return;
  walk_init (&walk);
  if (walk_tree (&walk, &bound) && proof->room->bound_ns != bound)
    fail (&walk, "the busiest carries at least %" G_GINT64_FORMAT
                 " by its proof, not %" G_GINT64_FORMAT,
          bound, proof->room->bound_ns);
}
