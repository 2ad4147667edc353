/* reference-parts.h: references in double on integers that a double does not hold,
 * given piece by piece or by their order. */
#ifndef TP_OPS_REFERENCE_PARTS_H
#define TP_OPS_REFERENCE_PARTS_H

#include "ir/op.h"
#include "ir/region.h"

/* @n of @region; the lack of memory unwinds the call (ir/guard.h). */
double *tp_reference_get_doubles (TpRegion *region, gint64 n);

/* Whether the record's @products say all of @node: its factors are whole. */
gboolean tp_reference_has_products (const TpNode *node);
/* Of sums of products, all of integers: exact, wrapping to the output's width. */
void tp_reference_run_products (const TpNode *node,
                                const TpRefTensor *const *inputs,
                                TpRefTensor *output);

/* Of what asks of input 0, of integers, which elements are less than others. */
void tp_reference_run_ranks (const TpNode *node,
                             const TpRefTensor *const *inputs,
                             TpRefTensor *outputs);

#endif
