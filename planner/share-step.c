/* share-step.c: subgradient steps.
 *
 * B. Polyak, Minimization of unsmooth functionals, 1969. A sweep changes what has
 * to do with one op at a time, and ends where no such change raises the bound,
 * though changes of several ops would. A step changes all of them. Each op is where
 * its level is least, and each member of a term where the term costs least. Where
 * these are two devices, the message to the op's grows, and the other shrinks: all
 * by the same, such that the bound were the cost of the best placement if it went
 * on as steeply. It does not; it may even fall. But messages come nearer to those
 * that prove most, if these prove that cost. A sweep after some steps takes what is
 * to be had at once. */
#include "config.h"

#include "planner/share-step.h"

#include "ir/guard.h"

#define MAX_SETS (1 << TP_SHARE_MAX_DEVICES)
#define STEPS 16              /* to a sweep */
#define ROUNDS 8              /* of both, in which so much of the gap is to close: */
#define PART 16               /* one in that */
#define MAX_MOVED (TP_SHARE_LIMIT << 4) /* no sum of messages overflows */

typedef struct
{
  TpShareState state;
  int *all;                   /* all ops */
  int *places;                /* [op]: where its level is least */
  int *wanted;                /* [member]: where it is when its term costs least */
  gint64 moved;               /* so far */
} Steps;

static void
steps_clear (Steps *it)
{
  tp_share_state_clear (&it->state);
  g_free (it->all);
  g_free (it->places);
  g_free (it->wanted);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Steps, steps_clear)

static void
steps_init (Steps *it, const TpShareState *from)
{
  const TpShareModel *model = from->model;

  tp_share_state_copy (&it->state, from);
  it->all = tp_new (int, model->n_ops + 1);
  it->places = tp_new (int, model->n_ops + 1);
  it->wanted = tp_new (int, model->members->len + 1);
  for (int i = 0; i < model->n_ops; i++)
    it->all[i] = i;
}

/* ---- where a term costs least --------------------------------------------- */

/* Members as they like best, or all on one device. */
static guint
choose_set_of_group (const TpShareState *state, int index)
{
  const TpShareModel *model = state->model;
  const TpShareTerm *term = tp_share_model_get_term (model, index);
  const gint64 *reach = &state->reach[(gsize) index * model->n_sets];
  const int *n_barred = &state->n_barred[(gsize) index * model->n_sets];
  guint best = model->n_sets - 1;
  gint64 least = -reach[best];

  for (int d = 0; d < model->n_devices; d++)
    {
      gint64 here = -reach[1u << d]
                    - tp_array_index (model->prices, gint64, term->prices + d);

      if (n_barred[1u << d] != 0 || here >= least)
        continue;
      least = here;
      best = 1u << d;
    }
  return best;
}

/* Of one reader nothing is kept at hand. */
static guint
choose_set_of_one (const TpShareState *state, const TpShareTerm *term, int from)
{
  const TpShareModel *model = state->model;
  const gint64 *row = &state->messages[(gsize) term->first * model->n_devices];
  guint may = state->sets[tp_share_model_get_op (model, term->first)];
  gint64 prices[TP_SHARE_MAX_DEVICES], least = G_MAXINT64;
  guint best = 0;

  tp_share_model_list_single (model, term, from, prices);
  for (int d = 0; d < model->n_devices; d++)
    if ((may >> d & 1) != 0 && prices[d] - row[d] < least)
      {
        least = prices[d] - row[d];
        best = 1u << d;
      }
  return best;
}

/* Devices that members are on. */
static guint
choose_set (const Steps *it, int index)
{
  const TpShareState *state = &it->state;
  const TpShareModel *model = state->model;
  const TpShareTerm *term = tp_share_model_get_term (model, index);
  int from = term->maker < 0 ? 0 : it->places[term->maker];
  gint64 prices[MAX_SETS], least = G_MAXINT64;
  guint best = 0;

  if (term->kind == 'g')
    return choose_set_of_group (state, index);
  if (term->n == 1)
    return choose_set_of_one (state, term, from);
  tp_share_model_list_prices (model, term, from, prices);
  for (guint set = 1; set < model->n_sets; set++)
    {
      gsize at = (gsize) index * model->n_sets + set;
      gint64 here = prices[set] - state->reach[at];

      if (state->n_barred[at] != 0 || here >= least)
        continue;
      least = here;
      best = set;
    }
  return best;
}

/* Of devices in @set: that of the op, if no other has a larger message. */
static int
choose_in (const Steps *it, int member, guint set)
{
  const TpShareModel *model = it->state.model;
  const gint64 *row
      = &it->state.messages[(gsize) member * model->n_devices];
  int op = tp_share_model_get_op (model, member), best = it->places[op];

  set &= it->state.sets[op];
  if ((set >> best & 1) == 0)
    best = -1;
  for (int d = 0; d < model->n_devices; d++)
    if ((set >> d & 1) != 0 && (best < 0 || row[d] > row[best]))
      best = d;
  return best;
}

/* ---- steps ---------------------------------------------------------------- */

/* How many members their op and their term have on two devices. */
static int
compare (Steps *it)
{
  TpShareModel *model = it->state.model;
  int n = 0;

  for (int i = 0; i < model->n_ops; i++)
    it->places[i] = tp_share_state_choose (&it->state, i);
  for (guint i = 0; i < model->terms->len; i++)
    {
      const TpShareTerm *term = tp_share_model_get_term (model, (int) i);
      guint set = term->n > 0 ? choose_set (it, (int) i) : 0;

      model->work += model->n_sets;
      for (int k = term->first; k < term->first + term->n; k++)
        {
          it->wanted[k] = choose_in (it, k, set);
          n += it->wanted[k] != it->places[tp_share_model_get_op (model, k)];
        }
    }
  return n;
}

/* @gap: by how much the bound is to rise, at most. FALSE: it cannot. */
static gboolean
step (Steps *it, gint64 gap)
{
  const TpShareModel *model = it->state.model;
  int n = compare (it);
  gint64 amount = n == 0 ? 0 : gap / (2 * n) + 1;

  if (n == 0 || it->moved > MAX_MOVED - gap)
    return FALSE;
  it->moved += gap;
  for (int k = 0; k < (int) model->members->len; k++)
    {
      int place = it->places[tp_share_model_get_op (model, k)];
      gint64 amounts[TP_SHARE_MAX_DEVICES] = { 0 };

      if (it->wanted[k] == place)
        continue;
      amounts[place] = amount;
      amounts[it->wanted[k]] = -amount;
      tp_share_state_add (&it->state, k, amounts);
    }
  return TRUE;
}

/* Steps and a sweep; the bound that these lead to. */
static gint64
go_round (Steps *it, gint64 cost)
{
  TpShareModel *model = it->state.model;
  gint64 bound = tp_share_state_bound (&it->state);

  for (int i = 0; i < STEPS && bound < cost; i++)
    {
      if (!step (it, (cost - bound) * model->unit))
        break;
      bound = tp_share_state_bound (&it->state);
    }
  tp_share_state_sweep (&it->state, it->all, model->n_ops);
  return tp_share_state_bound (&it->state);
}

gint64
tp_share_state_climb (TpShareState *state, gint64 cost, gint64 work)
{
  gint64 bound = tp_share_state_bound (state), before = bound;
  g_auto (Steps) it = { 0 };

  steps_init (&it, state);
  work += state->model->work;
  for (int n = 1; bound < cost && state->model->work < work; n++)
    {
      gint64 reached = go_round (&it, cost);

      if (reached > bound)
        {
          bound = reached;
          tp_share_state_copy (state, &it.state);
        }
      if (n % ROUNDS != 0)
        continue;
      if (bound - before < (cost - before) / PART)
        break;
      before = bound;
    }
  return bound;
}
