/* share-climb.c: lower bounds, raised op by op.
 *
 * V. Kolmogorov, A new look at reweighted message passing, 2015, for terms of two
 * kinds that are easy to minimise. An op takes from each of its terms what the
 * term costs at least for each device the op may be on, and then hands equal parts
 * of what it has to the terms that lead on. No step lowers the bound; where terms
 * make no rings one sweep there and back finds the least cost.
 *
 * Of the readers of a tensor it matters only which devices they are on together.
 * So the least of the term is found over sets of devices, with the most that
 * messages come to within each set kept at hand. One reader is on one device: as no
 * copy costs less than nothing, no other set need be looked at then, and nothing is
 * kept. */
#include "config.h"

#include "planner/share-climb.h"

#include "ir/guard.h"

#include <string.h>

#define MAX_SETS (1 << TP_SHARE_MAX_DEVICES)
#define MARGIN_SWEEPS 4
#define HUGE_COST (G_GINT64_CONSTANT (1) << 60)

static const TpShareTerm *
get_term (const TpShareState *state, int term)
{
  return tp_share_model_get_term (state->model, term);
}

static int
find_term (const TpShareState *state, int part)
{
  return part < 0 ? -1 - part
                  : tp_array_index (state->model->members, TpShareMember, part)
                        .term;
}

/* Whether the term is of copies for one reader, or of bytes that one op holds. */
static gboolean
is_single (const TpShareTerm *term)
{
  return term->n == 1 && term->kind != 'g';
}

/* ---- what is kept at hand ------------------------------------------------- */

/* The greatest of @row within each set, of the devices in @may; -HUGE_COST where
 * there are none. */
static void
find_greatest (const TpShareModel *model, const gint64 *row, guint may,
               gint64 *out)
{
  out[0] = -HUGE_COST;
  for (int d = 0; d < model->n_devices; d++)
    {
      gint64 own = (may >> d & 1) != 0 ? row[d] : -HUGE_COST;

      for (guint set = 0; set < 1u << d; set++)
        out[1u << d | set] = MAX (out[set], own);
    }
}

/* Adds what a member has to its term, or takes it away. */
static void
add_member (TpShareState *state, int member, int sign)
{
  const TpShareModel *model = state->model;
  const TpShareMember *it
      = &tp_array_index (model->members, TpShareMember, member);
  gsize base = (gsize) it->term * model->n_sets;
  gint64 greatest[MAX_SETS];

  if (is_single (get_term (state, it->term)))
    return;
  find_greatest (model,
                 &state->messages[(gsize) member * model->n_devices],
                 state->sets[it->op], greatest);
  for (guint set = 0; set < model->n_sets; set++)
    if (greatest[set] == -HUGE_COST)
      state->n_barred[base + set] += sign;
    else
      state->reach[base + set] += sign * greatest[set];
}

/* What a member has was @before, one for each device. */
static void
renew_member (TpShareState *state, int member, const gint64 *before)
{
  const TpShareModel *model = state->model;
  const TpShareMember *it
      = &tp_array_index (model->members, TpShareMember, member);
  gint64 *reach = &state->reach[(gsize) it->term * model->n_sets];
  gint64 then[MAX_SETS], now[MAX_SETS];

  if (is_single (get_term (state, it->term)))
    return;
  find_greatest (model, before, state->sets[it->op], then);
  find_greatest (model,
                 &state->messages[(gsize) member * model->n_devices],
                 state->sets[it->op], now);
  for (guint set = 0; set < model->n_sets; set++)
    reach[set] += now[set] - then[set];
}

/* What the term costs at least apart from members' messages, for each set that
 * they may be in; of a single one for each device. */
static void
find_floors (const TpShareState *state, int index, gint64 *out)
{
  const TpShareModel *model = state->model;
  const TpShareTerm *term = get_term (state, index);
  const gint64 *credits = &state->credits[(gsize) index * model->n_devices];
  guint makers = term->maker < 0 ? 1 : state->sets[term->maker];
  guint n = is_single (term) ? (guint) model->n_devices : model->n_sets;
  gint64 here[MAX_SETS];

  for (guint i = 0; i < n; i++)
    out[i] = HUGE_COST;
  for (int from = 0; from < model->n_devices; from++)
    {
      gint64 credit = term->maker < 0 ? 0 : credits[from];

      if ((makers >> from & 1) == 0)
        continue;
      if (is_single (term))
        tp_share_model_list_single (model, term, from, here);
      else
        tp_share_model_list_prices (model, term, from, here);
      for (guint i = 0; i < n; i++)
        out[i] = MIN (out[i], here[i] - credit);
    }
}

/* ---- what a term costs at least ------------------------------------------- */

/* The least of what @prices, one for each device, are above what @member has. */
static gint64
find_least_alone (const TpShareState *state, int member, const gint64 *prices)
{
  const TpShareModel *model = state->model;
  const gint64 *row = &state->messages[(gsize) member * model->n_devices];
  guint may = state->sets[tp_share_model_get_op (model, member)];
  gint64 least = HUGE_COST;

  for (int d = 0; d < model->n_devices; d++)
    if ((may >> d & 1) != 0)
      least = MIN (least, prices[d] - row[d]);
  return least;
}

/* With the maker on @from, its credit apart. */
static gint64
find_least_from (const TpShareState *state, int index, int from)
{
  const TpShareModel *model = state->model;
  const TpShareTerm *term = get_term (state, index);
  gsize base = (gsize) index * model->n_sets;
  gint64 prices[MAX_SETS], least = HUGE_COST;

  if (is_single (term))
    {
      tp_share_model_list_single (model, term, from, prices);
      return find_least_alone (state, term->first, prices);
    }
  tp_share_model_list_prices (model, term, from, prices);
  for (guint set = term->n > 0; set < model->n_sets; set++)
    if (state->n_barred[base + set] == 0)
      least = MIN (least, prices[set] - state->reach[base + set]);
  return least;
}

/* For each device that the maker may be on. */
static void
ask_for_maker (const TpShareState *state, int index, gint64 *out)
{
  const TpShareModel *model = state->model;
  const TpShareTerm *term = get_term (state, index);

  for (int from = 0; from < model->n_devices; from++)
    if ((state->sets[term->maker] >> from & 1) != 0)
      out[from]
          = find_least_from (state, index, from)
            - state->credits[(gsize) index * model->n_devices + from];
}

static void
ask_tensor (const TpShareState *state, int member, gint64 *out)
{
  const TpShareModel *model = state->model;
  const TpShareMember *it
      = &tp_array_index (model->members, TpShareMember, member);
  const gint64 *row = &state->messages[(gsize) member * model->n_devices];
  gsize base = (gsize) it->term * model->n_sets;
  gint64 greatest[MAX_SETS], floors[MAX_SETS];

  find_greatest (model, row, state->sets[it->op], greatest);
  find_floors (state, it->term, floors);
  for (int d = 0; d < model->n_devices; d++)
    out[d] = HUGE_COST;
  for (guint set = 1; set < model->n_sets; set++)
    {
      gint64 least
          = floors[set] - state->reach[base + set] + greatest[set];

      for (int d = 0; d < model->n_devices && state->n_barred[base + set] == 0;
           d++)
        if ((set >> d & 1) != 0)
          out[d] = MIN (out[d], least);
    }
  for (int d = 0; d < model->n_devices; d++)
    out[d] -= row[d];
}

/* The same of a single one. */
static void
ask_single (const TpShareState *state, int member, gint64 *out)
{
  const TpShareModel *model = state->model;
  const TpShareMember *it
      = &tp_array_index (model->members, TpShareMember, member);

  find_floors (state, it->term, out);
  for (int d = 0; d < model->n_devices; d++)
    out[d] -= state->messages[(gsize) member * model->n_devices + d];
}

/* Members as they like best, or all on the device. */
static void
ask_group (const TpShareState *state, int member, gint64 *out)
{
  const TpShareModel *model = state->model;
  const TpShareMember *it
      = &tp_array_index (model->members, TpShareMember, member);
  const TpShareTerm *term = get_term (state, it->term);
  const gint64 *row = &state->messages[(gsize) member * model->n_devices];
  const gint64 *reach = &state->reach[(gsize) it->term * model->n_sets];
  const int *n_barred = &state->n_barred[(gsize) it->term * model->n_sets];
  gint64 greatest[MAX_SETS];

  find_greatest (model, row, state->sets[it->op], greatest);
  for (int d = 0; d < model->n_devices; d++)
    {
      guint set = 1u << d;
      gint64 gain
          = tp_array_index (model->prices, gint64, term->prices + d);

      out[d] = greatest[model->n_sets - 1] - reach[model->n_sets - 1]
               - row[d];
      if (gain > 0 && n_barred[set] == 0)
        out[d] = MIN (out[d], -gain - reach[set]);
    }
}

/* ---- handing on ----------------------------------------------------------- */

/* @sign times @amounts go from the part of a term that is @op's to its level. */
static void
move (TpShareState *state, int op, int part, const gint64 *amounts, int sign)
{
  const TpShareModel *model = state->model;
  gsize k = model->n_devices;
  gint64 *row = part < 0 ? &state->credits[(gsize) (-1 - part) * k]
                         : &state->messages[(gsize) part * k];
  gint64 before[TP_SHARE_MAX_DEVICES];

  state->is_stale[find_term (state, part)] = TRUE;
  memcpy (before, row, k * sizeof (gint64));
  for (int d = 0; d < model->n_devices; d++)
    if ((state->sets[op] >> d & 1) != 0)
      {
        row[d] += sign * amounts[d];
        state->levels[(gsize) op * k + d] += sign * amounts[d];
      }
  if (part >= 0)
    renew_member (state, part, before);
}

/* To the level of @op comes what its part of a term costs at least, which is nothing
 * where that is of the maker, and nothing was moved since it last did. */
static void
collect (TpShareState *state, int op, int part)
{
  gint64 amounts[TP_SHARE_MAX_DEVICES] = { 0 };
  const TpShareTerm *term = get_term (state, find_term (state, part));

  state->model->work += state->model->n_sets;
  if (part < 0 && !state->is_stale[-1 - part])
    return;
  if (part < 0)
    ask_for_maker (state, -1 - part, amounts);
  else if (term->kind == 'g')
    ask_group (state, part, amounts);
  else if (is_single (term))
    ask_single (state, part, amounts);
  else
    ask_tensor (state, part, amounts);
  move (state, op, part, amounts, 1);
  if (part < 0)
    state->is_stale[-1 - part] = FALSE;
}

static void
collect_all (TpShareState *state, int op)
{
  const TpShareModel *model = state->model;

  for (int i = model->firsts[op]; i < model->firsts[op + 1]; i++)
    collect (state, op, model->parts[i]);
}

/* What is above the least, in equal parts to terms that lead on. */
static void
hand_on (TpShareState *state, int op, gboolean is_forward)
{
  const TpShareModel *model = state->model;
  const gint64 *levels = &state->levels[(gsize) op * model->n_devices];
  gint64 least = levels[tp_share_state_choose (state, op)];
  gint64 amounts[TP_SHARE_MAX_DEVICES] = { 0 };
  int n_parts = MAX (MAX (model->n_on[op], model->n_back[op]), 1);
  guint8 way = is_forward ? TP_SHARE_ON : TP_SHARE_BACK;

  for (int d = 0; d < model->n_devices; d++)
    if ((state->sets[op] >> d & 1) != 0)
      amounts[d] = (levels[d] - least) / n_parts;
  for (int i = model->firsts[op]; i < model->firsts[op + 1]; i++)
    if ((model->ways[i] & way) != 0)
      move (state, op, model->parts[i], amounts, -1);
}

static void
visit (TpShareState *state, int op, gboolean is_forward)
{
  collect_all (state, op);
  hand_on (state, op, is_forward);
}

void
tp_share_state_sweep (TpShareState *state, const int *ops, int n_ops)
{
  for (int i = 0; i < n_ops; i++)
    visit (state, ops[i], TRUE);
  for (int i = n_ops - 1; i >= 0; i--)
    visit (state, ops[i], FALSE);
}

void
tp_share_state_fill_groups (TpShareState *state)
{
  const TpShareModel *model = state->model;

  for (int op = 0; op < model->n_ops; op++)
    {
      const gint64 *levels = &state->levels[(gsize) op * model->n_devices];

      for (int i = model->firsts[op]; i < model->firsts[op + 1]; i++)
        {
          int part = model->parts[i];
          gint64 least = levels[tp_share_state_choose (state, op)];
          gint64 amounts[TP_SHARE_MAX_DEVICES];

          if (get_term (state, find_term (state, part))->kind != 'g')
            continue;
          for (int d = 0; d < model->n_devices; d++)
            amounts[d] = levels[d] - least;
          move (state, op, part, amounts, -1);
        }
    }
}

void
tp_share_state_add (TpShareState *state, int member, const gint64 *amounts)
{
  move (state, tp_share_model_get_op (state->model, member), member, amounts,
        1);
}

/* ---- bounds --------------------------------------------------------------- */

int
tp_share_state_choose (const TpShareState *state, int op)
{
  const gint64 *levels
      = &state->levels[(gsize) op * state->model->n_devices];
  int best = -1;

  for (int d = 0; d < state->model->n_devices; d++)
    if ((state->sets[op] >> d & 1) != 0
        && (best < 0 || levels[d] < levels[best]))
      best = d;
  return best;
}

static gint64
find_least_of_group (const TpShareState *state, int index)
{
  const TpShareModel *model = state->model;
  const TpShareTerm *term = get_term (state, index);
  const gint64 *reach = &state->reach[(gsize) index * model->n_sets];
  const int *n_barred = &state->n_barred[(gsize) index * model->n_sets];
  gint64 least = -reach[model->n_sets - 1];

  for (int d = 0; d < model->n_devices; d++)
    if (n_barred[1u << d] == 0)
      least = MIN (least, -reach[1u << d]
                              - tp_array_index (model->prices, gint64,
                                                term->prices + d));
  return least;
}

/* What the term, which has no maker, costs at least, its messages taken off. */
static gint64
find_least (const TpShareState *state, int index)
{
  return get_term (state, index)->kind == 'g'
             ? find_least_of_group (state, index)
             : find_least_from (state, index, 0);
}

gint64
tp_share_state_bound (TpShareState *state)
{
  const TpShareModel *model = state->model;
  gint64 sum = 0;

  for (guint i = 0; i < model->terms->len; i++)
    {
      const TpShareTerm *term = get_term (state, (int) i);

      if (term->maker >= 0)
        collect (state, term->maker, -1 - (int) i);
      else if (state->is_stale[i] || term->kind == 'm')
        state->leasts[i] = find_least (state, (int) i);
      state->is_stale[i] = FALSE;
      sum += state->leasts[i];
    }
  for (int i = 0; i < model->n_ops; i++)
    sum += state->levels[(gsize) i * model->n_devices
                         + tp_share_state_choose (state, i)];
  /* rounded up: costs are whole */
  return sum >= 0 ? (sum + model->unit - 1) / model->unit
                  : -(-sum / model->unit);
}

gint64
tp_share_state_op_slack (const TpShareState *state, int op, int device)
{
  const gint64 *levels
      = &state->levels[(gsize) op * state->model->n_devices];

  return levels[device] - levels[tp_share_state_choose (state, op)];
}

gint64
tp_share_state_term_slack (const TpShareState *state, int index,
                           const guint8 *devices)
{
  const TpShareModel *model = state->model;
  const TpShareTerm *term = get_term (state, index);
  gsize k = model->n_devices;
  gint64 cost = tp_share_model_term_cost (model, index, devices);

  for (int i = term->first; i < term->first + term->n; i++)
    cost -= state->messages[(gsize) i * k
                            + devices[tp_share_model_get_op (model, i)]];
  if (term->maker >= 0)
    cost -= state->credits[(gsize) index * k + devices[term->maker]];
  return cost - state->leasts[index];
}

/* When all that is around @op has come to it; 0: it can be nowhere else. */
static gint64
find_margin (const TpShareState *state, int op, int device)
{
  const TpShareModel *model = state->model;
  const gint64 *levels = &state->levels[(gsize) op * model->n_devices];
  gint64 least = G_MAXINT64;

  for (int d = 0; d < model->n_devices; d++)
    if (d != device && (state->sets[op] >> d & 1) != 0)
      least = MIN (least, levels[d]);
  if (least == G_MAXINT64)
    return 0;
  return (least - levels[tp_share_state_choose (state, op)]) / model->unit;
}

void
tp_share_state_find_margins (TpShareState *state, const guint8 *devices,
                             gint64 *out)
{
  int n = state->model->n_ops;

  for (int i = 0; i < 2 * n * MARGIN_SWEEPS; i++)
    {
      gboolean is_forward = i % (2 * n) < n;
      int op = is_forward ? i % n : n - 1 - i % n;

      collect_all (state, op);
      out[op] = MAX (out[op], find_margin (state, op, devices[op]));
      hand_on (state, op, is_forward);
    }
}

/* ---- the whole ------------------------------------------------------------ */

static void
allocate (TpShareState *state, TpShareModel *model)
{
  gsize k = model->n_devices, n = model->n_ops, n_terms = model->terms->len;

  state->model = model;
  state->sets = tp_new0 (guint, n + 1);
  state->levels = tp_new0 (gint64, n * k + 1);
  state->messages = tp_new0 (gint64, model->members->len * k + 1);
  state->credits = tp_new0 (gint64, n_terms * k + 1);
  state->reach = tp_new0 (gint64, n_terms * model->n_sets + 1);
  state->n_barred = tp_new0 (int, n_terms * model->n_sets + 1);
  state->leasts = tp_new0 (gint64, n_terms + 1);
  state->is_stale = tp_new (guint8, n_terms + 1);
  memset (state->is_stale, TRUE, n_terms + 1);
}

void
tp_share_state_init (TpShareState *state, TpShareModel *model)
{
  gsize k = model->n_devices;

  allocate (state, model);
  memcpy (state->levels, model->own, model->n_ops * k * sizeof (gint64));
  for (int i = 0; i < model->n_ops; i++)
    for (int d = 0; d < model->n_devices; d++)
      if (model->own[(gsize) i * k + d] != TP_COST_NONE)
        state->sets[i] |= 1u << d;
  for (guint i = 0; i < model->members->len; i++)
    add_member (state, (int) i, 1);
}

void
tp_share_state_copy (TpShareState *state, const TpShareState *from)
{
  const TpShareModel *model = from->model;
  gsize k = model->n_devices, n = model->n_ops, n_terms = model->terms->len;

  if (state->model == NULL)
    allocate (state, from->model);
  memcpy (state->sets, from->sets, n * sizeof (guint));
  memcpy (state->levels, from->levels, n * k * sizeof (gint64));
  memcpy (state->messages, from->messages,
          model->members->len * k * sizeof (gint64));
  memcpy (state->credits, from->credits, n_terms * k * sizeof (gint64));
  memcpy (state->reach, from->reach,
          n_terms * model->n_sets * sizeof (gint64));
  memcpy (state->n_barred, from->n_barred,
          n_terms * model->n_sets * sizeof (int));
  memcpy (state->leasts, from->leasts, n_terms * sizeof (gint64));
  memcpy (state->is_stale, from->is_stale, n_terms);
}

void
tp_share_state_clear (TpShareState *state)
{
  g_free (state->sets);
  g_free (state->levels);
  g_free (state->messages);
  g_free (state->credits);
  g_free (state->reach);
  g_free (state->n_barred);
  g_free (state->leasts);
  g_free (state->is_stale);
}

void
tp_share_state_fix (TpShareState *state, int op, int device)
{
  const TpShareModel *model = state->model;

  for (int i = model->firsts[op]; i < model->firsts[op + 1]; i++)
    if (model->parts[i] >= 0)
      add_member (state, model->parts[i], -1);
  for (int i = model->firsts[op]; i < model->firsts[op + 1]; i++)
    state->is_stale[find_term (state, model->parts[i])] = TRUE;
  state->sets[op] = 1u << device;
  for (int i = model->firsts[op]; i < model->firsts[op + 1]; i++)
    if (model->parts[i] >= 0)
      add_member (state, model->parts[i], 1);
}
