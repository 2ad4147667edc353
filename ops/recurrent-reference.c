/* recurrent-reference.c: RNN, GRU and LSTM step by step, one sequence of one
 * direction at a time. */
#include "config.h"

#include "ops/recurrent-reference.h"

#include "ir/guard.h"
#include "ops/recurrent-activation.h"
#include "ops/recurrent.h"

#include <math.h>
#include <string.h>

/* One sequence: where it is, and its state. */
struct TpCellRun
{
  const TpRecurrent *r;
  const TpRefTensor *const *inputs;
  int direction;
  gint64 batch;
  double *h, *c;              /* n_hidden each */
  double *before;             /* h of the step before */
  double *gates;              /* n_gates * n_hidden */
};

static double
clip (const TpRecurrent *r, double x)
{
  return x < -r->clip ? -r->clip : x > r->clip ? r->clip : x;
}

static double
apply (const TpCellRun *s, int function, double x)
{
  return tp_activation_value (&s->r->functions[s->direction][function],
                              clip (s->r, x));
}

static gint64
state_index (const TpCellRun *s, gint64 j)
{
  const TpRecurrent *r = s->r;
  gint64 row = r->is_batch_first ? s->batch * r->n_directions + s->direction
                                 : s->direction * r->n_batch + s->batch;

  return row * r->n_hidden + j;
}

/* Element @i of the bias: those of W first, those of R behind. */
static double
bias (const TpCellRun *s, gint64 i)
{
  const TpRefTensor *b = s->inputs[TP_RECURRENT_B];

  return b == NULL ? 0.0 : b->data[s->direction * b->dims[1] + i];
}

/* Row @i of W times what comes in at @step, with its bias. */
static double
input_product (const TpCellRun *s, gint64 step, gint64 i)
{
  const TpRecurrent *r = s->r;
  gint64 row = r->is_batch_first ? s->batch * r->n_steps + step
                                 : step * r->n_batch + s->batch;
  const double *x = s->inputs[TP_RECURRENT_X]->data + row * r->n_inputs;
  const double *w = s->inputs[TP_RECURRENT_W]->data
                    + (s->direction * r->kind->n_gates * r->n_hidden + i)
                          * r->n_inputs;
  double sum = bias (s, i);

  for (gint64 k = 0; k < r->n_inputs; k++)
    sum += w[k] * x[k];
  return sum;
}

/* Row @i of R times @state, with its bias. */
static double
state_product (const TpCellRun *s, const double *state, gint64 i)
{
  const TpRecurrent *r = s->r;
  gint64 n_rows = r->kind->n_gates * r->n_hidden;
  const double *w = s->inputs[TP_RECURRENT_R]->data
                    + (s->direction * n_rows + i) * r->n_hidden;
  double sum = bias (s, n_rows + i);

  for (gint64 k = 0; k < r->n_hidden; k++)
    sum += w[k] * state[k];
  return sum;
}

void
tp_rnn_run (TpCellRun *s, gint64 step)
{
  for (gint64 j = 0; j < s->r->n_hidden; j++)
    s->h[j] = apply (s, 0,
                     input_product (s, step, j)
                         + state_product (s, s->before, j));
}

/* Gates: update, reset, hidden. */
void
tp_gru_run (TpCellRun *s, gint64 step)
{
  gint64 n = s->r->n_hidden;

  for (gint64 i = 0; i < 2 * n; i++)
    s->gates[i] = apply (s, 0,
                         input_product (s, step, i)
                             + state_product (s, s->before, i));
  for (gint64 j = 0; j < n; j++)
    s->gates[2 * n + j] = s->gates[n + j] * s->before[j];
  for (gint64 j = 0; j < n; j++)
    {
      double update = s->gates[j];
      double inner =
          s->r->is_reset_after
              ? s->gates[n + j] * state_product (s, s->before, 2 * n + j)
              : state_product (s, s->gates + 2 * n, 2 * n + j);

      inner = apply (s, 1, input_product (s, step, 2 * n + j) + inner);
      s->h[j] = (1.0 - update) * inner + update * s->before[j];
    }
}

/* What the state of the cell adds to gate @gate, in the order of P. */
static double
peephole (const TpCellRun *s, int gate, gint64 j)
{
  const TpRefTensor *p = s->inputs[TP_RECURRENT_P];
  gint64 n = s->r->n_hidden;

  return p == NULL ? 0.0
                   : p->data[(s->direction * 3 + gate) * n + j] * s->c[j];
}

/* Gates: input, output, forget, cell. */
void
tp_lstm_run (TpCellRun *s, gint64 step)
{
  gint64 n = s->r->n_hidden;

  for (gint64 i = 0; i < 4 * n; i++)
    s->gates[i] =
        input_product (s, step, i) + state_product (s, s->before, i);
  for (gint64 j = 0; j < n; j++)
    {
      double in = apply (s, 0, s->gates[j] + peephole (s, 0, j));
      double forget =
          s->r->is_input_forget
              ? 1.0 - in
              : apply (s, 0, s->gates[2 * n + j] + peephole (s, 2, j));
      double out = 0.0;

      s->c[j] = forget * s->c[j] + in * apply (s, 1, s->gates[3 * n + j]);
      out = apply (s, 0, s->gates[n + j] + peephole (s, 1, j));
      s->h[j] =
          out
          * tp_activation_value (&s->r->functions[s->direction][2], s->c[j]);
    }
}

static double *
get_y (const TpCellRun *s, const TpRefTensor *y, gint64 step)
{
  const TpRecurrent *r = s->r;
  gint64 row = r->is_batch_first
                   ? (s->batch * r->n_steps + step) * r->n_directions
                         + s->direction
                   : (step * r->n_directions + s->direction) * r->n_batch
                         + s->batch;

  return y->data + row * r->n_hidden;
}

static void
start (TpCellRun *s)
{
  const TpRefTensor *h = s->inputs[TP_RECURRENT_H];
  const TpRefTensor *c = s->inputs[TP_RECURRENT_C];

  for (gint64 j = 0; j < s->r->n_hidden; j++)
    {
      s->h[j] = h == NULL ? 0.0 : h->data[state_index (s, j)];
      s->c[j] = c == NULL ? 0.0 : c->data[state_index (s, j)];
    }
}

/* Steps behind the end of the sequence give 0. */
static void
run_sequence (TpCellRun *s, gint64 length, TpRefTensor *y)
{
  const TpRecurrent *r = s->r;
  gsize size = r->n_hidden * sizeof (double);

  start (s);
  for (gint64 i = 0; i < r->n_steps; i++)
    {
      gint64 step = r->is_reverse[s->direction] && i < length ? length - 1 - i
                                                              : i;

      memcpy (s->before, s->h, size);
      if (i < length)
        r->kind->run (s, step);
      if (y == NULL)
        continue;
      if (i < length)
        memcpy (get_y (s, y, step), s->h, size);
      else
        memset (get_y (s, y, step), 0, size);
    }
}

/* The output of number @i where somebody reads it. */
static TpRefTensor *
get_output (const TpNode *node, TpRefTensor *outputs, int i)
{
  return i < node->n_outputs && node->outputs[i] >= 0 ? &outputs[i] : NULL;
}

static void
store_state (const TpCellRun *s, const double *state, TpRefTensor *out)
{
  for (gint64 j = 0; out != NULL && j < s->r->n_hidden; j++)
    out->data[state_index (s, j)] = state[j];
}

void
tp_recurrent_reference (const TpNode *node, const TpRefTensor *const *inputs,
                        TpRefTensor *outputs)
{
  const TpRefTensor *given[TP_RECURRENT_P + 1] = { NULL };
  const TpRefTensor *lengths = NULL;
  g_autofree double *memory = NULL;
  TpRecurrent r;
  gint64 n = 0;

  for (int i = 0; i < node->n_inputs; i++)
    given[i] = inputs[i];
  lengths = given[TP_RECURRENT_LENGTHS];
  if (!tp_recurrent_init (&r, node, given[TP_RECURRENT_X]->dims,
                          given[TP_RECURRENT_R]->dims, NULL))
    g_assert_not_reached ();
  n = r.n_hidden;
  memory = tp_new (double, n * (3 + r.kind->n_gates) + 1);
  for (gint64 i = 0; i < r.n_directions * r.n_batch; i++)
    {
      TpCellRun s = { &r,     given,      i / r.n_batch, i % r.n_batch,
                     memory, memory + n, memory + 2 * n, memory + 3 * n };
      gint64 length = lengths == NULL ? r.n_steps : lengths->data[s.batch];

      run_sequence (&s, CLAMP (length, 0, r.n_steps),
                    get_output (node, outputs, TP_RECURRENT_OUT_Y));
      store_state (&s, s.h, get_output (node, outputs, TP_RECURRENT_OUT_H));
      store_state (&s, s.c, get_output (node, outputs, TP_RECURRENT_OUT_C));
    }
}
