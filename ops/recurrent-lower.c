/* recurrent-lower.c: RNN, GRU and LSTM as nests.
 *
 * What the inputs add is one product over all steps, done before. A step is a
 * product of the state with R, and then the cell, element by element; the nests
 * of a step are repeated, with accesses that move on from step to step. State
 * lives in the outputs Y_h and Y_c where somebody reads them. */
#include "config.h"

#include "ops/recurrent-lower.h"

#include "ir/graph-value.h"
#include "ir/guard.h"
#include "ops/recurrent-activation.h"
#include "ops/recurrent-nest.h"
#include "ops/recurrent.h"

#include <math.h>

/* ---- before the steps ---------------------------------------------------- */

/* The reset gate comes between R and its bias: then that of the hidden gate is
 * not added here. */
static int
add_biases (const TpCellLowering *self, TpNest *nest, int row, int result)
{
  TpAccess *load;

  if (tp_cell_get_input (self, TP_RECURRENT_B) == NULL)
    return result;
  tp_cell_add_list (self, nest, TP_RECURRENT_B, 0, row);
  result = tp_cell_add_last_load (nest, result);
  load = tp_cell_add_list (self, nest, TP_RECURRENT_B, self->n_rows, row);
  if (self->r.is_reset_after && self->r.kind->has_reset)
    {
      load->n_guards = 1;
      load->guards[0].coef[row] = 1;
      load->guards[0].extent = 2 * self->r.n_hidden;
    }
  return tp_cell_add_last_load (nest, result);
}

/* X W^T of all steps. */
static void
lower_inputs (const TpCellLowering *self, const TpCellPlace *place)
{
  const TpRecurrent *r = &self->r;
  const TpTensor *x = tp_cell_get_input (self, TP_RECURRENT_X);
  const TpTensor *w = tp_cell_get_input (self, TP_RECURRENT_W);
  TpNest *nest = tp_cell_add_nest (self);
  TpAccess *load;
  int result;

  tp_nest_add_axis (nest, r->n_steps, FALSE);
  tp_nest_add_axis (nest, r->n_batch, FALSE);
  tp_nest_add_axis (nest, self->n_rows, FALSE);
  nest->store.operand = place->operand;
  nest->store.stride[0] = r->n_batch * self->n_rows;
  nest->store.stride[1] = self->n_rows;
  nest->store.stride[2] = 1;
  load = tp_cell_add_input (self, nest, TP_RECURRENT_X);
  load->stride[0] = x->strides[r->is_batch_first];
  load->stride[1] = x->strides[!r->is_batch_first];
  load = tp_cell_add_input (self, nest, TP_RECURRENT_W);
  load->offset = self->direction * w->strides[0];
  load->stride[2] = w->strides[1];
  result =
      tp_cell_sum_products (nest, r->n_inputs, x->strides[2], w->strides[2]);
  nest->result = add_biases (self, nest, 2, result);
}

/* @place becomes input @i, or 0. */
static void
lower_start (const TpCellLowering *self, int i, const TpCellPlace *place)
{
  TpNest *nest = tp_cell_add_nest_to (self, self->r.n_hidden, place);
  int result = -1;

  if (tp_cell_get_input (self, i) == NULL)
    result = tp_nest_convert (nest, tp_nest_const (nest, 0.0), self->dtype);
  else
    {
      TpCellPlace from = tp_cell_get_state (self, self->node->inputs[i]);

      result = tp_cell_load (self, nest, &from);
    }
  nest->result = result;
}

static void
lower_before (TpCellLowering *self)
{
  TpCellMemory *memory = &self->memory[self->direction];
  const TpRecurrent *r = &self->r;
  gint64 step = r->n_batch * self->n_rows;

  memory->inputs =
      (TpCellPlace){ tp_lowered_add_scratch (self->lowered, self->dtype,
                                             r->n_steps * step),
                     0, self->n_rows, 1, step };
  lower_inputs (self, &memory->inputs);
  if (r->is_reverse[self->direction])
    {
      memory->inputs.offset = (r->n_steps - 1) * step;
      memory->inputs.step = -step;
    }
  memory->products = tp_cell_add_scratch (self, self->n_rows);
  memory->h = tp_cell_get_kept (self, TP_RECURRENT_OUT_H);
  lower_start (self, TP_RECURRENT_H, &memory->h);
  if (r->kind->has_memory)
    {
      memory->c = tp_cell_get_kept (self, TP_RECURRENT_OUT_C);
      lower_start (self, TP_RECURRENT_C, &memory->c);
    }
  if (r->kind->has_reset && !r->is_reset_after)
    memory->reset = tp_cell_add_scratch (self, r->n_hidden);
}

/* ---- a step -------------------------------------------------------------- */

/* Gates @first up to @end: @state R^T. */
static void
lower_products (const TpCellLowering *self, const TpCellPlace *state, int first,
                int end)
{
  const TpTensor *w = tp_cell_get_input (self, TP_RECURRENT_R);
  gint64 n = self->r.n_hidden;
  TpCellPlace place =
      tp_cell_get_gate (self, self->memory[self->direction].products, first);
  TpNest *nest = tp_cell_add_nest_to (self, (end - first) * n, &place);
  TpAccess *load = tp_cell_add_load (self, nest, state->operand);

  load->offset = state->offset;
  load->stride[TP_CELL_BATCH] = state->batch;
  load = tp_cell_add_input (self, nest, TP_RECURRENT_R);
  load->offset = self->direction * w->strides[0] + first * n * w->strides[1];
  load->stride[TP_CELL_ELEMENT] = w->strides[1];
  nest->result = tp_cell_sum_products (nest, n, state->element, w->strides[2]);
}

/* What the state of the cell adds to @x; @gate in the order of P. */
static int
add_peephole (const TpCellLowering *self, TpNest *nest, int gate, int cell,
              int x)
{
  if (tp_cell_get_input (self, TP_RECURRENT_P) == NULL)
    return x;
  tp_cell_add_list (self, nest, TP_RECURRENT_P, gate * self->r.n_hidden,
                    TP_CELL_ELEMENT);
  cell = tp_nest_binary (nest, TP_EXPR_MUL, cell,
                         tp_nest_load (nest, nest->n_loads - 1));
  return tp_nest_binary (nest, TP_EXPR_ADD, x, cell);
}

static int
load_part (const TpCellLowering *self, TpNest *nest, TpCellPlace of_all,
           int gate)
{
  of_all = tp_cell_get_gate (self, of_all, gate);
  return tp_cell_load (self, nest, &of_all);
}

/* What goes into the function of @gate. */
static int
load_gate (const TpCellLowering *self, TpNest *nest, int gate)
{
  const TpCellMemory *memory = &self->memory[self->direction];

  return tp_nest_binary (nest, TP_EXPR_ADD,
                         load_part (self, nest, memory->inputs, gate),
                         load_part (self, nest, memory->products, gate));
}

static int
apply (const TpCellLowering *self, TpNest *nest, int function, int x)
{
  const TpRecurrent *r = &self->r;

  if (isfinite (r->clip))
    {
      x = tp_nest_binary (nest, TP_EXPR_MAX, tp_nest_const (nest, -r->clip), x);
      x = tp_nest_binary (nest, TP_EXPR_MIN, tp_nest_const (nest, r->clip), x);
    }
  return tp_activation_expr (&r->functions[self->direction][function], nest, x);
}

static int
complement (TpNest *nest, int x)
{
  return tp_nest_binary (nest, TP_EXPR_SUB, tp_nest_const (nest, 1.0), x);
}

/* a * x + b * y */
static int
blend (TpNest *nest, int a, int x, int b, int y)
{
  return tp_nest_binary (nest, TP_EXPR_ADD,
                         tp_nest_binary (nest, TP_EXPR_MUL, a, x),
                         tp_nest_binary (nest, TP_EXPR_MUL, b, y));
}

/* @x where the sequence has the step that is being made, else @other. */
static int
select_within (const TpCellLowering *self, TpNest *nest, int x, int other)
{
  gboolean is_reverse = self->r.is_reverse[self->direction];
  TpAccess *load = tp_nest_add_load (nest, self->steps);
  int step;

  load->dtype = TPLAN_DTYPE_INT64;
  load->offset = is_reverse ? self->r.n_steps - 1 : 0;
  load->step = is_reverse ? -1 : 1;
  step = tp_nest_load (nest, nest->n_loads - 1);
  load = tp_cell_add_input (self, nest, TP_RECURRENT_LENGTHS);
  load->dtype = TPLAN_DTYPE_INT32;
  load->stride[TP_CELL_BATCH] =
      tp_cell_get_input (self, TP_RECURRENT_LENGTHS)->strides[0];
  step = tp_nest_binary (nest, TP_EXPR_LESS, step,
                         tp_nest_load (nest, nest->n_loads - 1));
  return tp_nest_select (nest, step, x, other);
}

/* The state at @place becomes @x, until the sequence ends. */
static void
set_state (const TpCellLowering *self, TpNest *nest, const TpCellPlace *place,
           int x)
{
  nest->result =
      self->steps < 0
          ? x
          : select_within (self, nest, x, tp_cell_load (self, nest, place));
}

void
tp_rnn_lower (const TpCellLowering *self)
{
  const TpCellMemory *memory = &self->memory[self->direction];
  TpNest *nest = NULL;

  lower_products (self, &memory->h, 0, 1);
  nest = tp_cell_add_nest_to (self, self->r.n_hidden, &memory->h);
  set_state (self, nest, &memory->h,
             apply (self, nest, 0, load_gate (self, nest, 0)));
}

static void
lower_reset (const TpCellLowering *self, const TpCellMemory *memory)
{
  TpNest *nest = tp_cell_add_nest_to (self, self->r.n_hidden, &memory->reset);
  int reset = apply (self, nest, 0, load_gate (self, nest, 1));

  nest->result = tp_nest_binary (nest, TP_EXPR_MUL, reset,
                                 tp_cell_load (self, nest, &memory->h));
}

/* The hidden gate where the reset gate comes after R. */
static int
load_hidden_reset_after (const TpCellLowering *self, TpNest *nest)
{
  int reset = apply (self, nest, 0, load_gate (self, nest, 1));
  const TpCellMemory *memory = &self->memory[self->direction];
  int x = load_part (self, nest, memory->products, 2);

  if (tp_cell_get_input (self, TP_RECURRENT_B) != NULL)
    {
      tp_cell_add_list (self, nest, TP_RECURRENT_B,
                        self->n_rows + 2 * self->r.n_hidden, TP_CELL_ELEMENT);
      x = tp_cell_add_last_load (nest, x);
    }
  x = tp_nest_binary (nest, TP_EXPR_MUL, reset, x);
  return tp_nest_binary (nest, TP_EXPR_ADD,
                         load_part (self, nest, memory->inputs, 2), x);
}

/* Gates: update, reset, hidden. */
void
tp_gru_lower (const TpCellLowering *self)
{
  const TpCellMemory *memory = &self->memory[self->direction];
  gboolean is_after = self->r.is_reset_after;
  TpNest *nest = NULL;
  int update = -1, hidden = -1;

  lower_products (self, &memory->h, 0, is_after ? 3 : 2);
  if (!is_after)
    {
      lower_reset (self, memory);
      lower_products (self, &memory->reset, 2, 3);
    }
  nest = tp_cell_add_nest_to (self, self->r.n_hidden, &memory->h);
  update = apply (self, nest, 0, load_gate (self, nest, 0));
  hidden = is_after ? load_hidden_reset_after (self, nest)
                    : load_gate (self, nest, 2);
  hidden = apply (self, nest, 1, hidden);
  hidden = blend (nest, complement (nest, update), hidden, update,
                  tp_cell_load (self, nest, &memory->h));
  set_state (self, nest, &memory->h, hidden);
}

/* Gates: input, output, forget, cell; those of P: input, output, forget. */
void
tp_lstm_lower (const TpCellLowering *self)
{
  const TpCellMemory *memory = &self->memory[self->direction];
  TpNest *nest = NULL;
  int cell = -1, in = -1, forget = -1, out = -1;

  lower_products (self, &memory->h, 0, 4);
  nest = tp_cell_add_nest_to (self, self->r.n_hidden, &memory->c);
  cell = tp_cell_load (self, nest, &memory->c);
  in = add_peephole (self, nest, 0, cell, load_gate (self, nest, 0));
  in = apply (self, nest, 0, in);
  if (self->r.is_input_forget)
    forget = complement (nest, in);
  else
    {
      forget = add_peephole (self, nest, 2, cell, load_gate (self, nest, 2));
      forget = apply (self, nest, 0, forget);
    }
  cell = blend (nest, forget, cell, in,
                apply (self, nest, 1, load_gate (self, nest, 3)));
  set_state (self, nest, &memory->c, cell);
  nest = tp_cell_add_nest_to (self, self->r.n_hidden, &memory->h);
  cell = tp_cell_load (self, nest, &memory->c);
  out = add_peephole (self, nest, 1, cell, load_gate (self, nest, 1));
  out = apply (self, nest, 0, out);
  cell =
      tp_activation_expr (&self->r.functions[self->direction][2], nest, cell);
  set_state (self, nest, &memory->h,
             tp_nest_binary (nest, TP_EXPR_MUL, out, cell));
}

/* The state becomes part of Y; behind the end of a sequence that is 0. */
static void
lower_y (const TpCellLowering *self, const TpCellMemory *memory)
{
  const TpTensor *y = tp_cell_get_output (self, TP_RECURRENT_OUT_Y);
  TpCellPlace place = { 0 };
  TpNest *nest;

  if (y == NULL)
    return;
  place.operand = tp_lowered_get_tensor (
      self->lowered, self->graph, self->node->outputs[TP_RECURRENT_OUT_Y]);
  place.offset = self->direction * y->strides[self->r.is_batch_first ? 2 : 1];
  place.batch = y->strides[self->r.is_batch_first ? 0 : 2];
  place.element = y->strides[3];
  place.step = y->strides[self->r.is_batch_first];
  if (self->r.is_reverse[self->direction])
    {
      place.offset += (self->r.n_steps - 1) * place.step;
      place.step = -place.step;
    }
  nest = tp_cell_add_nest_to (self, self->r.n_hidden, &place);
  nest->result = tp_cell_load (self, nest, &memory->h);
  if (self->steps >= 0)
    nest->result = select_within (
        self, nest, nest->result,
        tp_nest_convert (nest, tp_nest_const (nest, 0.0), self->dtype));
}

/* The state @kept in scratch becomes output @i. */
static void
lower_kept (const TpCellLowering *self, int i, const TpCellPlace *kept)
{
  const TpTensor *out = tp_cell_get_output (self, i);

  if (out != NULL && !tp_dtype_holds_results (out->dtype))
    {
      TpCellPlace place = tp_cell_get_state (self, self->node->outputs[i]);
      TpNest *nest = tp_cell_add_nest_to (self, self->r.n_hidden, &place);

      nest->result = tp_cell_load (self, nest, kept);
    }
}

static void
lower_step (const TpCellLowering *self)
{
  const TpCellMemory *memory = &self->memory[self->direction];

  self->r.kind->lower (self);
  lower_y (self, memory);
  lower_kept (self, TP_RECURRENT_OUT_H, &memory->h);
  if (self->r.kind->has_memory)
    lower_kept (self, TP_RECURRENT_OUT_C, &memory->c);
}

/* ---- the op ------------------------------------------------------------ */

/* Whether some sequence may be shorter than there are steps. */
static gboolean
may_end_early (const TpCellLowering *self)
{
  const TpTensor *lengths = tp_cell_get_input (self, TP_RECURRENT_LENGTHS);
  g_autofree double *values = NULL;

  if (lengths == NULL || !tp_tensor_is_constant (lengths))
    return lengths != NULL;
  values = tp_new (double, lengths->count + 1);
  tp_tensor_write_doubles (lengths, values);
  for (gint64 i = 0; i < lengths->count; i++)
    if (values[i] < self->r.n_steps)
      return TRUE;
  return FALSE;
}

/* Scratch is no larger than what can be counted. */
static gboolean
check_size (const TpCellLowering *self, GError **error)
{
  gint64 dims[] = { self->r.n_steps, self->r.n_batch, self->n_rows }, count = 0;

  return tp_dims_count (3, dims, &count)
         || tp_op_refuse (self->node, error,
                          "the gates of all steps are too many to count");
}

gboolean
tp_recurrent_lower (const TpGraph *graph, const TpNode *node,
                    TpLowered *lowered, GError **error)
{
  TpCellLowering self = { .graph = graph, .node = node, .lowered = lowered };

  if (!tp_recurrent_init (
          &self.r, node, graph->tensors[node->inputs[TP_RECURRENT_X]].dims,
          graph->tensors[node->inputs[TP_RECURRENT_R]].dims, error))
    return FALSE;
  self.dtype = tp_dtype_get_computed (
      graph->tensors[node->inputs[TP_RECURRENT_X]].dtype);
  self.n_rows = self.r.kind->n_gates * self.r.n_hidden;
  if (!check_size (&self, error))
    return FALSE;
  self.steps = may_end_early (&self)
                   ? tp_lowered_add_iota (lowered, self.r.n_steps)
                   : -1;
  for (self.direction = 0; self.direction < self.r.n_directions;
       self.direction++)
    lower_before (&self);
  lowered->first_repeated = lowered->n_nests;
  lowered->n_iterations = self.r.n_steps;
  for (self.direction = 0; self.direction < self.r.n_directions;
       self.direction++)
    lower_step (&self);
  tp_lowered_set_dtypes (lowered);
  return TRUE;
}
