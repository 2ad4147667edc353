/* nest-expr.h: the operations of expressions: their names, what they take, and
 * what they give. */
#ifndef TP_NEST_NEST_EXPR_H
#define TP_NEST_NEST_EXPR_H

#include "nest/nest.h"

int tp_expr_arity (TpExprOp op);             /* 0 for leaves */
const char *tp_expr_get_name (TpExprOp op);  /* "mul", ... */

/* The value of an operation, no leaf, on the @values of earlier expressions. */
TpScalar tp_expr_apply (const TpNest *nest, int expr, const TpScalar *values);
gint64 tp_real_to_integer (double value);     /* saturates; NaN gives 0 */

/* What memory holds such values as they are; whether they are of the class that
 * elements of @dtype have. */
TpDtype tp_expr_get_dtype (const TpExpr *expr);
gboolean tp_expr_is_of_dtype (const TpExpr *expr, TpDtype dtype);

/* What @expr is made of, the index of a load included; returns how many. */
int tp_nest_get_parts (const TpNest *nest, int expr, int out_parts[3]);

/* Sets @used[i] for @expr and all it is made of; leaves the others alone. */
void tp_nest_mark_used (const TpNest *nest, int expr, gboolean *used);

/* Whether @expr has a function that takes tens of instructions. */
gboolean tp_nest_takes_long (const TpNest *nest, int expr);

/* Whether real @expr is a value less the largest of its row, as a softmax takes the
 * exponential of: 0 at most, or no number. */
gboolean tp_nest_is_below_most (const TpNest *nest, int expr);

/* Whether the result is stored for each point of the reduce axes (softmax). */
gboolean tp_nest_covers_reduce (const TpNest *nest);

/* Whether anything it computes, or merely copies, is a double. */
gboolean tp_nest_has_doubles (const TpNest *nest);

/* Every operation has operands of a class it takes, the result is of the store's:
 * else TPLAN_ERROR_UNSUPPORTED names the operation. */
gboolean tp_nest_check_classes (const TpNest *nest, GError **error);

#endif
