/* recurrent-nest.c: see recurrent-nest.h. */
#include "config.h"

#include "ops/recurrent-nest.h"

/* ---- places ------------------------------------------------------------ */

const TpTensor *
tp_cell_get_input (const TpCellLowering *self, int i)
{
  return tp_node_has_input (self->node, i)
             ? &self->graph->tensors[self->node->inputs[i]]
             : NULL;
}

const TpTensor *
tp_cell_get_output (const TpCellLowering *self, int i)
{
  const TpTensor *tensor = i < self->node->n_outputs
                               ? &self->graph->tensors[self->node->outputs[i]]
                               : NULL;

  return tensor != NULL && (tensor->is_output || tensor->n_consumers > 0)
             ? tensor
             : NULL;
}

TpCellPlace
tp_cell_add_scratch (const TpCellLowering *self, gint64 n_elements)
{
  return (TpCellPlace){ tp_lowered_add_scratch (self->lowered, self->dtype,
                                                self->r.n_batch * n_elements),
                        0, n_elements, 1, 0 };
}

TpCellPlace
tp_cell_get_state (const TpCellLowering *self, int index)
{
  const TpTensor *tensor = &self->graph->tensors[index];
  int batch = !self->r.is_batch_first;

  return (
      TpCellPlace){ tp_lowered_get_tensor (self->lowered, self->graph, index),
                    self->direction * tensor->strides[!batch],
                    tensor->strides[batch], tensor->strides[2], 0 };
}

TpCellPlace
tp_cell_get_kept (const TpCellLowering *self, int i)
{
  const TpTensor *out = tp_cell_get_output (self, i);

  return out != NULL && tp_dtype_holds_results (out->dtype)
             ? tp_cell_get_state (self, self->node->outputs[i])
             : tp_cell_add_scratch (self, self->r.n_hidden);
}

TpCellPlace
tp_cell_get_gate (const TpCellLowering *self, TpCellPlace place, int gate)
{
  place.offset += gate * self->r.n_hidden * place.element;
  return place;
}

/* ---- nests ------------------------------------------------------------- */

static void
set_access (TpAccess *access, const TpCellPlace *place, int batch, int element)
{
  access->offset = place->offset;
  access->step = place->step;
  access->stride[batch] = place->batch;
  access->stride[element] = place->element;
}

TpNest *
tp_cell_add_nest (const TpCellLowering *self)
{
  TpNest *nest = tp_nest_new ();

  tp_lowered_take_nest (self->lowered, nest);
  return nest;
}

TpNest *
tp_cell_add_nest_to (const TpCellLowering *self, gint64 n,
                     const TpCellPlace *place)
{
  TpNest *nest = tp_cell_add_nest (self);

  tp_nest_add_axis (nest, self->r.n_batch, FALSE);
  tp_nest_add_axis (nest, n, FALSE);
  nest->store.operand = place->operand;
  set_access (&nest->store, place, TP_CELL_BATCH, TP_CELL_ELEMENT);
  return nest;
}

TpAccess *
tp_cell_add_load (const TpCellLowering *self, TpNest *nest, int operand)
{
  TpAccess *load = tp_nest_add_load (nest, operand);

  load->dtype = self->dtype;
  return load;
}

TpAccess *
tp_cell_add_input (const TpCellLowering *self, TpNest *nest, int i)
{
  return tp_cell_add_load (self, nest,
                           tp_lowered_get_tensor (self->lowered, self->graph,
                                                  self->node->inputs[i]));
}

int
tp_cell_load (const TpCellLowering *self, TpNest *nest,
              const TpCellPlace *place)
{
  set_access (tp_cell_add_load (self, nest, place->operand), place,
              TP_CELL_BATCH, TP_CELL_ELEMENT);
  return tp_nest_load (nest, nest->n_loads - 1);
}

TpAccess *
tp_cell_add_list (const TpCellLowering *self, TpNest *nest, int i, gint64 first,
                  int axis)
{
  const TpTensor *list = tp_cell_get_input (self, i);
  TpAccess *load = tp_cell_add_input (self, nest, i);

  load->offset = self->direction * list->strides[0] + first * list->strides[1];
  load->stride[axis] = list->strides[1];
  return load;
}

int
tp_cell_add_last_load (TpNest *nest, int x)
{
  return tp_nest_binary (nest, TP_EXPR_ADD, x,
                         tp_nest_load (nest, nest->n_loads - 1));
}

int
tp_cell_sum_products (TpNest *nest, gint64 extent, gint64 a, gint64 b)
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
    result =
        tp_nest_stage (nest, tp_nest_add_stage (nest, TP_COMBINE_SUM, result));
  return result;
}
