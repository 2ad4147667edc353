/* limit-peaks.c: see limit-peaks.h.
 *
 * A box says between what bounds the peak lies of what a device holds besides
 * constants. Nothing there holds more at any step, and constants have the room
 * that the lower bound leaves. The cheapest such placement may hold much at one
 * step and many constants, but together too much: then the box is divided in
 * two, and it is in neither. */
#include "config.h"

#include "planner/limit-peaks.h"

#include "ir/array.h"
#include "ir/guard.h"
#include "planner/limit-sweep.h"
#include "planner/limit-walks.h"

#include <string.h>

#define WORK (G_GINT64_CONSTANT (1) << 25) /* labels looked at: half a second */
#define WORK_ONCE (WORK / 8)
#define TRIES 24              /* of one price */
#define ALL_TRIES 40          /* of prices on several devices at once */
#define MAX_BOXES 4096
#define SPARE_TRIES 8
#define FIRST_PART 64         /* of what is to be proved: a power of 4 */
#define FINE 256             /* of what is to be proved, and of a limit: what */
#define NARROW 256           /* leaves less, or is narrower, is swept */

typedef struct
{
  TpLimitBox box;
  gint64 value;               /* nothing in it costs less */
  int first_child;            /* of two; -1: an end */
  int device;                 /* by whose peak it is divided */
  gint64 peak;                /* the first has no more */
  gboolean is_done;           /* nothing more is to be had of it */
} Box;

typedef struct
{
  const TpLimitScope *scope;
  const TpLimitKeeper *keeper;
  TpLimitSweep sweep;
  TpLimitWalk walk;
  TpLimitWalks walks;         /* of the box at hand, where several have limits */
  TpArray *boxes;             /* Box */
  gint64 target;              /* what ends have to prove: cost of the best, or
                               * what holds no more than it may but is not laid
                               * out in that */
  gint64 over;                /* bytes that the layout of such takes too much */
} Peaks;

static Box *
get_box (const Peaks *peaks, int index)
{
  return &tp_array_index (peaks->boxes, Box, index);
}

static void
peaks_clear (Peaks *peaks)
{
  tp_limit_sweep_clear (&peaks->sweep);
  tp_limit_walks_clear (&peaks->walks);
  g_free (peaks->walk.devices);
  tp_array_unref (peaks->boxes);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Peaks, peaks_clear)

/* ---- placements --------------------------------------------------------- */

#define POOL TP_SWEEP_MAX_DEVICES /* beside devices */

/* By how much @walk takes more than the pool has. */
static gint64
find_pool_over (const Peaks *peaks)
{
  const TpLimitScope *scope = peaks->scope;
  const TpLimitWalk *walk = &peaks->walk;

  return tp_limit_scope_has_pool (scope)
             ? walk->weights[0] + walk->peaks[0] + walk->weights[1]
                   + walk->peaks[1] - (scope->pool - peaks->sweep.spare)
             : -G_MAXINT64;
}

/* The device on which @walk holds most too much, or POOL; -1: on none. */
static int
find_over (const Peaks *peaks)
{
  const TpLimitScope *scope = peaks->scope;
  gint64 most = 0;
  int found = -1;

  for (int d = 0; d < scope->n_devices; d++)
    {
      gint64 over = peaks->walk.weights[d] + peaks->walk.peaks[d]
                    - (scope->limits[d] - peaks->sweep.spare);

      if (!peaks->sweep.steps->is_limited[d] || over <= most)
        continue;
      most = over;
      found = d;
    }
  return find_pool_over (peaks) > most ? POOL : found;
}

/* By how many bytes limits would have to be less for @walk to hold too much; 0: there
 * are none. */
static gint64
find_margin (const Peaks *peaks)
{
  const TpLimitScope *scope = peaks->scope;
  gint64 most = find_pool_over (peaks);

  for (int d = 0; d < peaks->scope->n_devices; d++)
    if (peaks->sweep.steps->is_limited[d])
      most = MAX (most, peaks->walk.weights[d] + peaks->walk.peaks[d]
                            - (scope->limits[d] - peaks->sweep.spare));
  return most == -G_MAXINT64 ? 0 : 1 - most;
}

static gint64
get_cost (const Peaks *peaks)
{
  return peaks->keeper->get_cost (peaks->keeper->data);
}

static gboolean
offer (Peaks *peaks)
{
  const TpLimitKeeper *keeper = peaks->keeper;
  gboolean is_good = keeper->offer (keeper->data, peaks->walk.devices);

  peaks->target = MIN (peaks->target, get_cost (peaks));
  return is_good;
}

/* ---- prices ------------------------------------------------------------- */

/* The value of @box at its prices. */
static gint64
try_prices (Peaks *peaks, const TpLimitBox *box)
{
  gint64 value = tp_limit_sweep_bound (&peaks->sweep, box, &peaks->walk);

  peaks->sweep.work_left -= peaks->sweep.steps->ways->len;
  if (value != TP_COST_NONE && find_over (peaks) < 0
      && peaks->walk.cost < get_cost (peaks))
    offer (peaks);
  return value;
}

typedef struct
{
  gint64 price;               /* -1: none yet */
  gint64 cost, weights;
} Side;

static gint64
meet (const Side *over, const Side *under, gint64 max_price)
{
  TpLimitWide price = (TpLimitWide) (under->cost - over->cost) * (1 << 30);

  price /= MAX (over->weights - under->weights, 1);
  return (gint64) CLAMP (price, 0, (TpLimitWide) max_price);
}

/* A price at which constants take @room, or at which two placements are as
 * good, one that takes more and one that does not. -1: there is nothing left to
 * try. */
static gint64
find_next (const Peaks *peaks, const Side *over, const Side *under,
           gint64 price)
{
  gint64 next;

  if (over->price < 0)
    return price == 0 ? -1 : price / 64;
  if (under->price >= 0)
    {
      next = meet (over, under, peaks->scope->max_price);
      return next <= over->price || next >= under->price ? -1 : next;
    }
  if (price >= peaks->scope->max_price)
    return -1;
  next = price > 0 ? price
                   : (gint64) MIN (((TpLimitWide) peaks->scope->sum << 24)
                                       / (over->weights + 1),
                                   (TpLimitWide) peaks->scope->max_price / 64);
  return MIN (MAX (next, 1), peaks->scope->max_price / 64) * 64;
}

/* What the other of two devices leaves @device of their pool for constants. */
static gint64
find_beside (const Peaks *peaks, const Box *box, int device)
{
  return peaks->scope->pool - peaks->sweep.spare - box->box.low[0]
         - box->box.low[1] - peaks->walk.weights[1 - device];
}

/* The price on @device for which @box proves most. */
static void
climb (Peaks *peaks, Box *box, int device)
{
  gint64 room = peaks->scope->limits[device] - peaks->sweep.spare
                - box->box.low[device];
  gboolean has_pool = tp_limit_scope_has_pool (peaks->scope);
  Side over = { .price = -1 }, under = { .price = -1 };
  TpLimitBox trial = box->box;

  for (int i = 0; i < TRIES && trial.price[device] >= 0; i++)
    {
      gint64 value = try_prices (peaks, &trial);
      gint64 weights = peaks->walk.weights[device];
      gboolean is_over
          = weights > (has_pool ? MIN (room, find_beside (peaks, box, device))
                                : room);
      Side *side = is_over ? &over : &under;

      if (value > box->value)
        {
          box->value = value;
          box->box.price[device] = trial.price[device];
        }
      if (box->value >= peaks->target)
        return;
      *side = (Side){ trial.price[device],
                      value - tp_limit_price (trial.price[device],
                                              weights - room),
                      weights };
      trial.price[device]
          = find_next (peaks, &over, &under, trial.price[device]);
    }
}

/* Whether several have limits, each its own. */
static gboolean
has_several (const Peaks *peaks)
{
  return peaks->sweep.steps->n_limited > 1
         && !tp_limit_scope_has_pool (peaks->scope);
}

/* Prices of all devices at once. */
typedef struct
{
  Peaks *peaks;
  Box *box;
  TpLimitBox trial;
} Ascent;

static gboolean
try (gpointer data)
{
  Ascent *it = data;
  Box *box = it->box;
  gint64 value = try_prices (it->peaks, &it->trial);

  if (value > box->value)
    {
      box->value = value;
      memcpy (box->box.price, it->trial.price, sizeof it->trial.price);
    }
  if (value == TP_COST_NONE || box->value >= it->peaks->target)
    return FALSE;
  tp_limit_walks_add (&it->peaks->walks, &it->peaks->sweep, &it->peaks->walk);
  return TRUE;
}

static gboolean
next (gpointer data, int round)
{
  Ascent *it = data;

  return tp_limit_walks_next (&it->peaks->walks, &it->peaks->sweep,
                              it->box->value, it->trial.price);
}

static void
climb_all (Peaks *peaks, Box *box)
{
  static const TpLimitAscent ascent = { try, next };
  Ascent it = { peaks, box, box->box };

  tp_limit_walks_reset (&peaks->walks, &peaks->sweep, &box->box, peaks->target);
  if (tp_limit_master_climb (&ascent, ALL_TRIES, &it) == TP_LIMIT_TIRED)
    next (&it, ALL_TRIES); /* for the mix */
}

static void
find_prices (Peaks *peaks, Box *box)
{
  const TpLimitSteps *steps = peaks->sweep.steps;
  int n_rounds = has_several (peaks) ? 0 : CLAMP (steps->n_limited, 1, 2);

  if (n_rounds == 0)
    climb_all (peaks, box);
  for (int i = 0; i < n_rounds; i++)
    for (int d = 0; d < peaks->scope->n_devices && box->value < peaks->target;
         d++)
      if (steps->is_limited[d])
        climb (peaks, box, d);
}

/* ---- boxes -------------------------------------------------------------- */

static void
divide (Peaks *peaks, int index, int device, gint64 peak)
{
  Box half = *get_box (peaks, index), *box = get_box (peaks, index);

  box->first_child = (int) peaks->boxes->len;
  box->device = device;
  box->peak = peak;
  half.peak = peak;
  for (int i = 0; i < 2; i++)
    {
      Box child = half;

      if (i == 0)
        child.box.high[device] = half.peak;
      else
        child.box.low[device] = half.peak + 1;
      tp_array_append_val (peaks->boxes, child);
    }
}

/* Between what the rest of memory would take, and what walk holds. */
static void
divide_found (Peaks *peaks, int index, int device)
{
  gint64 least = peaks->scope->limits[device] - peaks->sweep.spare
                 - peaks->walk.weights[device];
  gint64 most = peaks->walk.peaks[device] - 1;

  least = MAX (least, get_box (peaks, index)->box.low[device]);
  divide (peaks, index, device, least + (most - least) / 2);
}

/* Likewise where it is the pool of which too much is taken: by the peak that is
 * farther above its lower bound. If the other is above its own, one division may not
 * do, and the next is by that. */
static void
divide_pool (Peaks *peaks, int index)
{
  const TpLimitWalk *walk = &peaks->walk;
  const gint64 *low = get_box (peaks, index)->box.low;
  int d = walk->peaks[1] - low[1] > walk->peaks[0] - low[0];
  gint64 most = walk->peaks[d] - 1;
  gint64 least = peaks->scope->pool - peaks->sweep.spare - low[1 - d]
                 - walk->weights[0] - walk->weights[1];

  least = MIN (MAX (least, low[d]), most);
  divide (peaks, index, d, least + (most - least) / 2);
}

/* Where it is wide, and prices leave much to be proved: prices of halves leave
 * less. FALSE: it is narrow. */
static gboolean
divide_wide (Peaks *peaks, int index)
{
  const Box *box = get_box (peaks, index);
  int found = -1;
  gint64 most = 0;

  if (peaks->target - box->value < peaks->target / FINE)
    return FALSE;
  for (int d = 0; d < peaks->scope->n_devices; d++)
    {
      gint64 width = box->box.high[d] - box->box.low[d];

      if (width <= most || width < peaks->scope->limits[d] / NARROW)
        continue;
      most = width;
      found = d;
    }
  if (found >= 0)
    divide (peaks, index, found, box->box.low[found] + most / 2);
  return found >= 0;
}

/* Where several have limits, by what the mix holds too much. FALSE: it does not, or
 * little is left to prove. */
static gboolean
divide_mix (Peaks *peaks, int index)
{
  const Box *box = get_box (peaks, index);
  const TpLimitWalk *walk;
  int device;

  if (peaks->target - box->value < peaks->target / FINE)
    return FALSE;
  walk = tp_limit_walks_find_over (&peaks->walks, &peaks->sweep, 1.0 / NARROW,
                                   &device);
  if (walk == NULL)
    return FALSE;
  peaks->walk.weights[device] = walk->weights[device];
  peaks->walk.peaks[device] = walk->peaks[device];
  divide_found (peaks, index, device);
  return TRUE;
}

/* The cheapest in the box is in walk. */
static void
take_found (Peaks *peaks, int index)
{
  int device = find_over (peaks);
  Box *box = get_box (peaks, index);

  box->value = MAX (box->value, peaks->walk.cost);
  if (device == POOL)
    divide_pool (peaks, index);
  else if (device >= 0)
    divide_found (peaks, index, device);
  if (device >= 0)
    return;
  box->is_done = TRUE;
  if (!offer (peaks))
    {
      const TpLimitKeeper *keeper = peaks->keeper;

      peaks->over = MAX (keeper->get_over (keeper->data, peaks->walk.devices),
                         find_margin (peaks));
      keeper->search (keeper->data, peaks->walk.devices);
    }
  peaks->target = MIN (peaks->target, peaks->walk.cost);
}

/* Towards the target by steps: the lower it is, the less there is to look at,
 * and what is found below it is the cheapest of all. */
static void
sweep_box (Peaks *peaks, int index)
{
  for (int part = FIRST_PART; part >= 1; part /= 4)
    {
      Box *box = get_box (peaks, index);
      gint64 target = box->value + (peaks->target - box->value) / part;

      switch (tp_limit_sweep_search (&peaks->sweep, target, WORK_ONCE,
                                     &peaks->walk))
        {
        case TP_LIMIT_SWEEP_NONE:
          box->value = MAX (box->value, target);
          break;
        case TP_LIMIT_SWEEP_FOUND:
          take_found (peaks, index);
          return;
        case TP_LIMIT_SWEEP_SPENT:
          part = 1;
          break;
        }
    }
  get_box (peaks, index)->is_done = TRUE;
}

static void
visit (Peaks *peaks, int index)
{
  Box *box = get_box (peaks, index);

  find_prices (peaks, box);
  if (box->value >= peaks->target)
    return;
  box->is_done = try_prices (peaks, &box->box) == TP_COST_NONE;
  if (!box->is_done
      && !(has_several (peaks) ? divide_mix (peaks, index)
                               : divide_wide (peaks, index)))
    sweep_box (peaks, index);
}

/* The open end that proves least; -1: there is none below the target. */
static int
find_open (const Peaks *peaks)
{
  int found = -1;

  for (int i = 0; i < (int) peaks->boxes->len; i++)
    {
      const Box *it = get_box (peaks, i);

      if (it->first_child < 0 && !it->is_done && it->value < peaks->target
          && (found < 0 || it->value < get_box (peaks, found)->value))
        found = i;
    }
  return found;
}

/* ---- the proof ---------------------------------------------------------- */

static void
write_box (const Peaks *peaks, int index, TpMemoryProof *proof)
{
  const Box *box = get_box (peaks, index);
  TpProofEntry entry = { .kind = TP_PROOF_SWEEP };

  if (box->first_child >= 0)
    {
      entry.kind = TP_PROOF_PEAK;
      entry.index = box->device;
      entry.bytes = box->peak;
    }
  else
    {
      for (int d = 0; d < peaks->scope->n_devices; d++)
        entry.prices[d] = box->box.price[d];
      proof->bound_ns = MIN (proof->bound_ns, box->value);
    }
  tp_array_append_val (proof->entries, entry);
}

static TpMemoryProof *
write_proof (const Peaks *peaks)
{
  g_autoptr (TpMemoryProof) proof = tp_memory_proof_new ();
  g_autoptr (TpArray) stack = tp_array_new (sizeof (int));
  int at = 0;

  proof->bound_ns = get_cost (peaks);
  tp_array_append_val (stack, at);
  while (stack->len > 0)
    {
      at = tp_array_index (stack, int, stack->len - 1);
      tp_array_set_size (stack, stack->len - 1);
      write_box (peaks, at, proof);
      for (int i = 1; i >= 0 && get_box (peaks, at)->first_child >= 0; i--)
        {
          int child = get_box (peaks, at)->first_child + i;

          tp_array_append_val (stack, child);
        }
    }
  return g_steal_pointer (&proof);
}

/* ---- the search --------------------------------------------------------- */

/* Leaves @spare bytes of each limit alone. */
static void
search (Peaks *peaks, gint64 spare)
{
  const TpLimitScope *scope = peaks->scope;
  Box root = { .first_child = -1 }; /* its value is 0, as no figure is less */

  peaks->over = 0;
  peaks->sweep.spare = spare;
  peaks->target = MIN (get_cost (peaks), scope->sum + 1);
  for (int d = 0; d < peaks->scope->n_devices; d++)
    root.box.high[d]
        = peaks->sweep.steps->is_limited[d] ? scope->limits[d] - spare : 0;
  tp_array_set_size (peaks->boxes, 0);
  tp_array_append_val (peaks->boxes, root);
  while (peaks->sweep.work_left > 0 && peaks->boxes->len < MAX_BOXES)
    {
      int index = find_open (peaks);

      if (index < 0)
        return;
      visit (peaks, index);
    }
}

/* Arenas may take more than what they hold. What holds so much less than it
 * may, as they took too much, is laid out within the limits more often. */
static void
search_spare (Peaks *peaks)
{
  gint64 spare = 0, least = G_MAXINT64;

  for (int d = 0; d < peaks->scope->n_devices; d++)
    if (peaks->sweep.steps->is_limited[d])
      least = MIN (least, peaks->scope->limits[d]);
  for (int i = 0; i < SPARE_TRIES && peaks->over > 0; i++)
    {
      if (peaks->over >= least - spare)
        return;
      spare += peaks->over;
      peaks->sweep.work_left = WORK / SPARE_TRIES;
      search (peaks, spare);
    }
}

TpMemoryProof *
tp_limit_peaks_search (const TpLimitScope *scope, const TpLimitKeeper *keeper)
{
  g_autoptr (TpLimitSteps) steps = tp_limit_steps_new (scope);
  g_autoptr (TpMemoryProof) proof = NULL;
  g_auto (Peaks) peaks = { .scope = scope, .keeper = keeper,
                           .boxes = tp_array_new (sizeof (Box)) };

  if (steps == NULL)
    return NULL;
  tp_limit_sweep_init (&peaks.sweep, steps);
  tp_limit_walks_init (&peaks.walks);
  peaks.sweep.work_left = scope->n_devices > 2 ? 2 * WORK : WORK;
  peaks.walk.devices = tp_new0 (gint8, scope->n_ops + 1);
  search (&peaks, 0);
  proof = write_proof (&peaks);
  search_spare (&peaks);
  return g_steal_pointer (&proof);
}
