/* recurrent-nest.h: what the nests of RNN, GRU and LSTM are made of: places
 * where numbers stand, and loads of them. */
#ifndef TP_OPS_RECURRENT_NEST_H
#define TP_OPS_RECURRENT_NEST_H

#include "ir/graph.h"
#include "nest/nest.h"
#include "ops/recurrent.h"

/* Numbers by batch and by element of the state (or of all gates). */
typedef struct
{
  int operand;
  gint64 offset;
  gint64 batch, element; /* strides */
  gint64 step;           /* per iteration */
} TpCellPlace;

typedef struct
{
  TpCellPlace inputs;   /* what X and the biases add, of this step */
  TpCellPlace products; /* what R times the state adds */
  TpCellPlace h, c;
  TpCellPlace reset; /* GRU: the state, reset */
} TpCellMemory;

struct TpCellLowering
{
  const TpGraph *graph;
  const TpNode *node;
  TpLowered *lowered;
  TpRecurrent r;
  TpDtype dtype;          /* of what is computed */
  gint64 n_rows;          /* of all gates */
  int steps;              /* operand: their numbers, for sequences that may end
                           * before them; -1: none does */
  int direction;          /* that is being lowered */
  TpCellMemory memory[2]; /* per direction */
};

/* The axes of most nests. */
enum
{
  TP_CELL_BATCH,
  TP_CELL_ELEMENT
};

const TpTensor *tp_cell_get_input (const TpCellLowering *self, int i);
/* Output @i if somebody reads it, else NULL. */
const TpTensor *tp_cell_get_output (const TpCellLowering *self, int i);
TpCellPlace tp_cell_add_scratch (const TpCellLowering *self, gint64 n_elements);
/* Of a state tensor: [directions, batch, hidden], or batch first. */
TpCellPlace tp_cell_get_state (const TpCellLowering *self, int index);
/* Output @i; or scratch, where nobody reads it or it would round the state. */
TpCellPlace tp_cell_get_kept (const TpCellLowering *self, int i);
TpCellPlace tp_cell_get_gate (const TpCellLowering *self, TpCellPlace place,
                              int gate);
/* The next; what is lowered has it before memory can run out for its parts. */
TpNest *tp_cell_add_nest (const TpCellLowering *self);
/* Over batch and @n elements, storing to @place. */
TpNest *tp_cell_add_nest_to (const TpCellLowering *self, gint64 n,
                             const TpCellPlace *place);
/* Of the class that all is computed in; its type comes when all is lowered. */
TpAccess *tp_cell_add_load (const TpCellLowering *self, TpNest *nest,
                            int operand);
TpAccess *tp_cell_add_input (const TpCellLowering *self, TpNest *nest, int i);
int tp_cell_load (const TpCellLowering *self, TpNest *nest,
                  const TpCellPlace *place);
/* Input @i, a list per direction, from element @first on along @axis. */
TpAccess *tp_cell_add_list (const TpCellLowering *self, TpNest *nest, int i,
                            gint64 first, int axis);
int tp_cell_add_last_load (TpNest *nest, int x);
/* The sum over @extent of the last two loads' product, which run along it by
 * @a, @b. */
int tp_cell_sum_products (TpNest *nest, gint64 extent, gint64 a, gint64 b);

#endif
