/* share-fit.c: see share-fit.h. What is held at least says what is to be moved; whether
 * it fits as sessions lay it out is asked by who called. */
#include "config.h"

#include "planner/share-fit.h"

#include "ir/guard.h"
#include "ir/pools.h"

typedef struct
{
  int op;                     /* -1: none */
  double price;               /* of a byte; below 0: less is paid the more goes */
} Move;

typedef struct
{
  const TpShareModel *model;
  const TpLimitHeld *held;
  gint64 spare;
  guint8 *devices;
  gint64 *bytes;              /* [op]: of leads: held where too much is */
  gint64 *work;
} Fit;

static void
fit_clear (Fit *fit)
{
  g_free (fit->bytes);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Fit, fit_clear)

/* Above the limit of @device, less what is spared; *out_step: where most is held. */
static gint64
find_over (const Fit *fit, int device, int *out_step)
{
  const TpProblem *problem = fit->model->problem;
  gint64 limit = tp_pools_get_limit (problem->costs, problem->limits, device);

  if (limit <= 0)
    return 0;
  *fit->work -= problem->graph->n_tensors + problem->graph->n_nodes;
  return tp_limit_held_peak (fit->held, (const gint8 *) fit->devices, device,
                             out_step)
         - (limit - MIN (fit->spare, limit));
}

/* The device that holds most too much; -1: none. */
static int
find_fullest (const Fit *fit, int *out_step)
{
  gint64 most = 0;
  int found = -1;

  for (int d = 0; d < fit->model->n_devices; d++)
    {
      int step = 0;
      gint64 over = find_over (fit, d, &step);

      if (over <= most)
        continue;
      most = over;
      found = d;
      *out_step = step;
    }
  return found;
}

/* What the lead @op, and all it has to do with, costs. */
static gint64
pay (const Fit *fit, int op)
{
  const TpShareModel *model = fit->model;
  gint64 sum
      = model->own[(gsize) op * model->n_devices + fit->devices[op]];

  for (int i = model->firsts[op]; i < model->firsts[op + 1]; i++)
    {
      int part = model->parts[i];
      int term = part < 0 ? -1 - part
                          : tp_array_index (model->members, TpShareMember,
                                            part)
                                .term;

      sum += tp_share_model_term_cost (model, term, fit->devices);
      *fit->work -= tp_share_model_get_term (model, term)->n;
    }
  return sum;
}

/* Of all leads on @from the one that is cheapest to be moved to @to. */
static Move
find_cheapest (const Fit *fit, int from, int to)
{
  const TpShareModel *model = fit->model;
  Move best = { -1, 0 };

  for (int i = 0; i < model->n_ops; i++)
    {
      gint64 before;
      double price;

      if (fit->bytes[i] == 0 || fit->devices[i] != from
          || model->own[(gsize) i * model->n_devices + to] == TP_COST_NONE)
        continue;
      before = pay (fit, i);
      fit->devices[i] = (guint8) to;
      price = (double) (pay (fit, i) - before);
      fit->devices[i] = (guint8) from;
      price = price > 0 ? price / (double) fit->bytes[i]
                        : price * (double) fit->bytes[i];
      if (best.op < 0 || price < best.price)
        best = (Move){ i, price };
    }
  return best;
}

/* What leads hold on @device at @step. */
static void
weigh (const Fit *fit, int device, int step)
{
  const TpShareModel *model = fit->model;

  tp_limit_held_share (fit->held, device, step, fit->bytes);
  for (int i = 0; i < model->n_ops; i++)
    {
      gint64 bytes = fit->bytes[i];
      int lead = model->leads[i];

      if (lead == i)
        continue;
      fit->bytes[i] = 0;
      fit->bytes[lead] = MIN (fit->bytes[lead] + bytes, TP_PROBLEM_LIMIT / 2);
    }
  *fit->work -= 2 * model->problem->graph->n_tensors;
}

/* To where it is cheapest, of devices that have room then; FALSE: none has. */
static gboolean
move_off (const Fit *fit, int from)
{
  guint left = (1u << fit->model->n_devices) - 1 - (1u << from);

  while (left != 0)
    {
      Move best = { -1, 0 };
      int to = -1, step;

      for (int d = 0; d < fit->model->n_devices; d++)
        {
          Move move = { -1, 0 };

          if (left >> d & 1)
            move = find_cheapest (fit, from, d);
          if (move.op < 0 || (best.op >= 0 && move.price >= best.price))
            continue;
          best = move;
          to = d;
        }
      if (best.op < 0)
        return FALSE;
      fit->devices[best.op] = (guint8) to;
      tp_share_model_spread (fit->model, fit->devices);
      if (find_over (fit, to, &step) <= 0)
        return TRUE;
      fit->devices[best.op] = (guint8) from;
      tp_share_model_spread (fit->model, fit->devices);
      left &= ~(1u << to);
    }
  return FALSE;
}

gboolean
tp_share_fit (const TpShareModel *model, const TpLimitHeld *held,
              gint64 spare, guint8 *devices, gint64 *work)
{
  g_auto (Fit) fit = { .model = model, .held = held, .spare = spare,
                       .devices = devices, .work = work };

  fit.bytes = tp_new0 (gint64, model->n_ops + 1);
  for (int n = 0; n < model->n_ops && *work > 0; n++)
    {
      int step = 0, from = find_fullest (&fit, &step);

      if (from < 0)
        return TRUE;
      weigh (&fit, from, step);
      if (!move_off (&fit, from))
        return FALSE;
    }
  return FALSE;
}
