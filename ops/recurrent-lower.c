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
#include "ops/recurrent.h"

#include <math.h>

/* Numbers by batch and by element of the state (or of all gates). */
typedef struct
{
  int operand;
  gint64 offset;
  gint64 batch, element;      /* strides */
  gint64 step;                /* per iteration */
} Place;

typedef struct
{
  Place inputs;               /* what X and the biases add, of this step */
  Place products;             /* what R times the state adds */
  Place h, c;
  Place reset;                /* GRU: the state, reset */
} Memory;

struct TpCellLowering
{
  const TpGraph *graph;
  const TpNode *node;
  TpLowered *lowered;
  TpRecurrent r;
  TpDtype dtype;              /* of what is computed */
  gint64 n_rows;              /* of all gates */
  int direction;              /* that is being lowered */
  Memory memory[2];           /* per direction */
};

/* The axes of most nests. */
enum { AXIS_BATCH, AXIS_ELEMENT };

/* ---- places ------------------------------------------------------------ */

static const TpTensor *
get_input (const TpCellLowering *self, int i)
{
  return tp_node_has_input (self->node, i)
             ? &self->graph->tensors[self->node->inputs[i]]
             : NULL;
}

/* Output @i if somebody reads it, else NULL. */
static const TpTensor *
get_output (const TpCellLowering *self, int i)
{
  const TpTensor *tensor
      = i < self->node->n_outputs
            ? &self->graph->tensors[self->node->outputs[i]]
            : NULL;

  return tensor != NULL && (tensor->is_output || tensor->n_consumers > 0)
             ? tensor
             : NULL;
}

static Place
scratch_place (const TpCellLowering *self, gint64 n_elements)
{
  return (Place){ tp_lowered_add_scratch (self->lowered, self->dtype,
                                          self->r.n_batch * n_elements),
                  0, n_elements, 1, 0 };
}

/* Of a state tensor: [directions, batch, hidden], or batch first. */
static Place
state_place (const TpCellLowering *self, int index)
{
  const TpTensor *tensor = &self->graph->tensors[index];
  int batch = !self->r.is_batch_first;

  return (Place){ tp_lowered_get_tensor (self->lowered, self->graph, index),
                  self->direction * tensor->strides[!batch],
                  tensor->strides[batch], tensor->strides[2], 0 };
}

/* Output @i; or scratch, where nobody reads it or it would round the state. */
static Place
kept_place (const TpCellLowering *self, int i)
{
  const TpTensor *out = get_output (self, i);

  return out != NULL && tp_dtype_holds_results (out->dtype)
             ? state_place (self, self->node->outputs[i])
             : scratch_place (self, self->r.n_hidden);
}

static Place
gate_of (const TpCellLowering *self, Place place, int gate)
{
  place.offset += gate * self->r.n_hidden * place.element;
  return place;
}

/* ---- nests ------------------------------------------------------------- */

static void
set_access (TpAccess *access, const Place *place, int batch, int element)
{
  access->offset = place->offset;
  access->step = place->step;
  access->stride[batch] = place->batch;
  access->stride[element] = place->element;
}

/* The next; what is lowered has it before memory can run out for its parts. */
static TpNest *
add_nest (const TpCellLowering *self)
{
  TpNest *nest = tp_nest_new ();

  tp_lowered_take_nest (self->lowered, nest);
  return nest;
}

/* Over batch and @n elements, storing to @place. */
static TpNest *
nest_new (const TpCellLowering *self, gint64 n, const Place *place)
{
  TpNest *nest = add_nest (self);

  tp_nest_add_axis (nest, self->r.n_batch, FALSE);
  tp_nest_add_axis (nest, n, FALSE);
  nest->store.operand = place->operand;
  set_access (&nest->store, place, AXIS_BATCH, AXIS_ELEMENT);
  return nest;
}

/* Of the class that all is computed in; its type comes when all is lowered. */
static TpAccess *
add_load (const TpCellLowering *self, TpNest *nest, int operand)
{
  TpAccess *load = tp_nest_add_load (nest, operand);

  load->dtype = self->dtype;
  return load;
}

static TpAccess *
add_input (const TpCellLowering *self, TpNest *nest, int i)
{
  return add_load (self, nest,
                   tp_lowered_get_tensor (self->lowered, self->graph,
                                          self->node->inputs[i]));
}

static int
load_place (const TpCellLowering *self, TpNest *nest, const Place *place)
{
  set_access (add_load (self, nest, place->operand), place, AXIS_BATCH,
              AXIS_ELEMENT);
  return tp_nest_load (nest, nest->n_loads - 1);
}

/* Input @i, a list per direction, from element @first on along @axis. */
static TpAccess *
add_list (const TpCellLowering *self, TpNest *nest, int i, gint64 first,
          int axis)
{
  const TpTensor *list = get_input (self, i);
  TpAccess *load = add_input (self, nest, i);

  load->offset = self->direction * list->strides[0] + first * list->strides[1];
  load->stride[axis] = list->strides[1];
  return load;
}

static int
add_last_load (TpNest *nest, int x)
{
  return tp_nest_binary (nest, TP_EXPR_ADD, x,
                         tp_nest_load (nest, nest->n_loads - 1));
}

/* The sum over @extent of the last two loads' product, which run along it by @a, @b. */
static int
sum_products (TpNest *nest, gint64 extent, gint64 a, gint64 b)
{
  int n = nest->n_loads, result = -1;

  if (extent > 1)
    {
      int k = tp_nest_add_axis (nest, extent, TRUE);

      nest->loads[n - 2].stride[k] = a;
      nest->loads[n - 1].stride[k] = b;
    }
  result = tp_nest_binary (nest, TP_EXPR_MUL, tp_nest_load (nest, n - 2),
                           tp_nest_load (nest, n - 1));
  if (extent > 1)
    result = tp_nest_stage (
        nest, tp_nest_add_stage (nest, TP_COMBINE_SUM, result));
  return result;
}

/* ---- before the steps ---------------------------------------------------- */

/* The reset gate comes between R and its bias: then that of the hidden gate is
 * not added here. */
static int
add_biases (const TpCellLowering *self, TpNest *nest, int row, int result)
{
  TpAccess *load;

  if (get_input (self, TP_RECURRENT_B) == NULL)
    return result;
  add_list (self, nest, TP_RECURRENT_B, 0, row);
  result = add_last_load (nest, result);
  load = add_list (self, nest, TP_RECURRENT_B, self->n_rows, row);
  if (self->r.is_reset_after && self->r.kind->has_reset)
    {
      load->n_guards = 1;
      load->guards[0].coef[row] = 1;
      load->guards[0].extent = 2 * self->r.n_hidden;
    }
  return add_last_load (nest, result);
}

/* X W^T of all steps. */
static void
lower_inputs (const TpCellLowering *self, const Place *place)
{
  const TpRecurrent *r = &self->r;
  const TpTensor *x = get_input (self, TP_RECURRENT_X);
  const TpTensor *w = get_input (self, TP_RECURRENT_W);
  TpNest *nest = add_nest (self);
  TpAccess *load;
  int result;

  tp_nest_add_axis (nest, r->n_steps, FALSE);
  tp_nest_add_axis (nest, r->n_batch, FALSE);
  tp_nest_add_axis (nest, self->n_rows, FALSE);
  nest->store.operand = place->operand;
  nest->store.stride[0] = r->n_batch * self->n_rows;
  nest->store.stride[1] = self->n_rows;
  nest->store.stride[2] = 1;
  load = add_input (self, nest, TP_RECURRENT_X);
  load->stride[0] = x->strides[r->is_batch_first];
  load->stride[1] = x->strides[!r->is_batch_first];
  load = add_input (self, nest, TP_RECURRENT_W);
  load->offset = self->direction * w->strides[0];
  load->stride[2] = w->strides[1];
  result = sum_products (nest, r->n_inputs, x->strides[2], w->strides[2]);
  nest->result = add_biases (self, nest, 2, result);
}

/* @place becomes input @i, or 0. */
static void
lower_start (const TpCellLowering *self, int i, const Place *place)
{
  TpNest *nest = nest_new (self, self->r.n_hidden, place);
  int result = -1;

  if (get_input (self, i) == NULL)
    result = tp_nest_convert (nest, tp_nest_const (nest, 0.0), self->dtype);
  else
    {
      Place from = state_place (self, self->node->inputs[i]);

      result = load_place (self, nest, &from);
    }
  nest->result = result;
}

static void
lower_before (TpCellLowering *self)
{
  Memory *memory = &self->memory[self->direction];
  const TpRecurrent *r = &self->r;
  gint64 step = r->n_batch * self->n_rows;

  memory->inputs = (Place){ tp_lowered_add_scratch (self->lowered, self->dtype,
                                                    r->n_steps * step),
                            0, self->n_rows, 1, step };
  lower_inputs (self, &memory->inputs);
  if (r->is_reverse[self->direction])
    {
      memory->inputs.offset = (r->n_steps - 1) * step;
      memory->inputs.step = -step;
    }
  memory->products = scratch_place (self, self->n_rows);
  memory->h = kept_place (self, TP_RECURRENT_OUT_H);
  lower_start (self, TP_RECURRENT_H, &memory->h);
  if (r->kind->has_memory)
    {
      memory->c = kept_place (self, TP_RECURRENT_OUT_C);
      lower_start (self, TP_RECURRENT_C, &memory->c);
    }
  if (r->kind->has_reset && !r->is_reset_after)
    memory->reset = scratch_place (self, r->n_hidden);
}

/* ---- a step -------------------------------------------------------------- */

/* Gates @first up to @end: @state R^T. */
static void
lower_products (const TpCellLowering *self, const Place *state, int first,
                int end)
{
  const TpTensor *w = get_input (self, TP_RECURRENT_R);
  gint64 n = self->r.n_hidden;
  Place place = gate_of (self, self->memory[self->direction].products, first);
  TpNest *nest = nest_new (self, (end - first) * n, &place);
  TpAccess *load = add_load (self, nest, state->operand);

  load->offset = state->offset;
  load->stride[AXIS_BATCH] = state->batch;
  load = add_input (self, nest, TP_RECURRENT_R);
  load->offset = self->direction * w->strides[0] + first * n * w->strides[1];
  load->stride[AXIS_ELEMENT] = w->strides[1];
  nest->result = sum_products (nest, n, state->element, w->strides[2]);
}

/* What the state of the cell adds to @x; @gate in the order of P. */
static int
add_peephole (const TpCellLowering *self, TpNest *nest, int gate, int cell,
              int x)
{
  if (get_input (self, TP_RECURRENT_P) == NULL)
    return x;
  add_list (self, nest, TP_RECURRENT_P, gate * self->r.n_hidden, AXIS_ELEMENT);
  cell = tp_nest_binary (nest, TP_EXPR_MUL, cell,
                         tp_nest_load (nest, nest->n_loads - 1));
  return tp_nest_binary (nest, TP_EXPR_ADD, x, cell);
}

static int
load_part (const TpCellLowering *self, TpNest *nest, Place of_all, int gate)
{
  of_all = gate_of (self, of_all, gate);
  return load_place (self, nest, &of_all);
}

/* What goes into the function of @gate. */
static int
load_gate (const TpCellLowering *self, TpNest *nest, int gate)
{
  const Memory *memory = &self->memory[self->direction];

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
      x = tp_nest_binary (nest, TP_EXPR_MAX, tp_nest_const (nest, -r->clip),
                          x);
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

void
tp_rnn_lower (const TpCellLowering *self)
{
  const Memory *memory = &self->memory[self->direction];
  TpNest *nest = NULL;

  lower_products (self, &memory->h, 0, 1);
  nest = nest_new (self, self->r.n_hidden, &memory->h);
  nest->result = apply (self, nest, 0, load_gate (self, nest, 0));
}

static void
lower_reset (const TpCellLowering *self, const Memory *memory)
{
  TpNest *nest = nest_new (self, self->r.n_hidden, &memory->reset);
  int reset = apply (self, nest, 0, load_gate (self, nest, 1));

  nest->result = tp_nest_binary (nest, TP_EXPR_MUL, reset,
                                 load_place (self, nest, &memory->h));
}

/* The hidden gate where the reset gate comes after R. */
static int
load_hidden_reset_after (const TpCellLowering *self, TpNest *nest)
{
  int reset = apply (self, nest, 0, load_gate (self, nest, 1));
  const Memory *memory = &self->memory[self->direction];
  int x = load_part (self, nest, memory->products, 2);

  if (get_input (self, TP_RECURRENT_B) != NULL)
    {
      add_list (self, nest, TP_RECURRENT_B,
                self->n_rows + 2 * self->r.n_hidden, AXIS_ELEMENT);
      x = add_last_load (nest, x);
    }
  x = tp_nest_binary (nest, TP_EXPR_MUL, reset, x);
  return tp_nest_binary (nest, TP_EXPR_ADD,
                         load_part (self, nest, memory->inputs, 2), x);
}

/* Gates: update, reset, hidden. */
void
tp_gru_lower (const TpCellLowering *self)
{
  const Memory *memory = &self->memory[self->direction];
  gboolean is_after = self->r.is_reset_after;
  TpNest *nest = NULL;
  int update = -1, hidden = -1;

  lower_products (self, &memory->h, 0, is_after ? 3 : 2);
  if (!is_after)
    {
      lower_reset (self, memory);
      lower_products (self, &memory->reset, 2, 3);
    }
  nest = nest_new (self, self->r.n_hidden, &memory->h);
  update = apply (self, nest, 0, load_gate (self, nest, 0));
  hidden = is_after ? load_hidden_reset_after (self, nest)
                    : load_gate (self, nest, 2);
  hidden = apply (self, nest, 1, hidden);
  nest->result = blend (nest, complement (nest, update), hidden, update,
                        load_place (self, nest, &memory->h));
}

/* Gates: input, output, forget, cell; those of P: input, output, forget. */
void
tp_lstm_lower (const TpCellLowering *self)
{
  const Memory *memory = &self->memory[self->direction];
  TpNest *nest = NULL;
  int cell = -1, in = -1, forget = -1, out = -1;

  lower_products (self, &memory->h, 0, 4);
  nest = nest_new (self, self->r.n_hidden, &memory->c);
  cell = load_place (self, nest, &memory->c);
  in = add_peephole (self, nest, 0, cell, load_gate (self, nest, 0));
  in = apply (self, nest, 0, in);
  if (self->r.is_input_forget)
    forget = complement (nest, in);
  else
    {
      forget = add_peephole (self, nest, 2, cell, load_gate (self, nest, 2));
      forget = apply (self, nest, 0, forget);
    }
  nest->result = blend (nest, forget, cell, in,
                        apply (self, nest, 1, load_gate (self, nest, 3)));
  nest = nest_new (self, self->r.n_hidden, &memory->h);
  cell = load_place (self, nest, &memory->c);
  out = add_peephole (self, nest, 1, cell, load_gate (self, nest, 1));
  out = apply (self, nest, 0, out);
  cell = tp_activation_expr (&self->r.functions[self->direction][2], nest,
                             cell);
  nest->result = tp_nest_binary (nest, TP_EXPR_MUL, out, cell);
}

/* The state becomes part of Y. */
static void
lower_y (const TpCellLowering *self, const Memory *memory)
{
  const TpTensor *y = get_output (self, TP_RECURRENT_OUT_Y);
  Place place = { 0 };
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
  nest = nest_new (self, self->r.n_hidden, &place);
  nest->result = load_place (self, nest, &memory->h);
}

/* The state @kept in scratch becomes output @i. */
static void
lower_kept (const TpCellLowering *self, int i, const Place *kept)
{
  const TpTensor *out = get_output (self, i);

  if (out != NULL && !tp_dtype_holds_results (out->dtype))
    {
      Place place = state_place (self, self->node->outputs[i]);
      TpNest *nest = nest_new (self, self->r.n_hidden, &place);

      nest->result = load_place (self, nest, kept);
    }
}

static void
lower_step (const TpCellLowering *self)
{
  const Memory *memory = &self->memory[self->direction];

  self->r.kind->lower (self);
  lower_y (self, memory);
  lower_kept (self, TP_RECURRENT_OUT_H, &memory->h);
  if (self->r.kind->has_memory)
    lower_kept (self, TP_RECURRENT_OUT_C, &memory->c);
}

/* ---- the op ------------------------------------------------------------ */

/* All sequences must be as long as there are steps. */
static gboolean
check_lengths (const TpCellLowering *self, GError **error)
{
  const TpTensor *lengths = get_input (self, TP_RECURRENT_LENGTHS);
  g_autofree double *values = NULL;

  if (lengths == NULL)
    return TRUE;
  if (tp_tensor_is_constant (lengths))
    {
      values = tp_new (double, lengths->count + 1);
      tp_tensor_write_doubles (lengths, values);
    }
  for (gint64 i = 0; i < lengths->count; i++)
    if (values == NULL || values[i] != self->r.n_steps)
      return tp_op_refuse (self->node, error,
                           "input 4 (sequence_lens) is not known to be "
                           "%" G_GINT64_FORMAT " everywhere: only the device "
                           "ref runs that", self->r.n_steps);
  return TRUE;
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

  if (!tp_recurrent_init (&self.r, node,
                          graph->tensors[node->inputs[TP_RECURRENT_X]].dims,
                          graph->tensors[node->inputs[TP_RECURRENT_R]].dims,
                          error))
    return FALSE;
  self.dtype = tp_dtype_get_computed (
      graph->tensors[node->inputs[TP_RECURRENT_X]].dtype);
  self.n_rows = self.r.kind->n_gates * self.r.n_hidden;
  if (!check_lengths (&self, error) || !check_size (&self, error))
    return FALSE;
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
