/* reference-integer.h: the references of ops on integers of any size. */
#ifndef TP_OPS_REFERENCE_INTEGER_H
#define TP_OPS_REFERENCE_INTEGER_H

#include "ir/op.h"

/* Whether elements of @node come out as they went in, and nothing else is made of
 * them. */
gboolean tp_reference_moves (const TpNode *node);

/* Runs the reference of @node. Tensors of integers have them in @integers, all
 * others doubles in @data. Arithmetic and moves are exact, and wrap as memory
 * does; what else integers go through goes through doubles. */
void tp_reference_run (const TpNode *node, const TpRefTensor *const *inputs,
                       TpRefTensor *outputs);

#endif
