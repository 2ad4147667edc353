/* unroll-make.h: ops in place of those that are gone. */
#ifndef TP_GRAPH_UNROLL_MAKE_H
#define TP_GRAPH_UNROLL_MAKE_H

#include "graph/unroll.h"

/* An op of one output; all is (borrowed) and copied. */
typedef struct
{
  const char *type;
  const TpAttr *attr;         /* (nullable) */
  int n_inputs;
  const int *inputs;
} TpUnrollOp;

/* Each adds ops in place of the node, and returns what they give, -1 on error. @output:
 * that tensor, or -1: a new one. */
int tp_unroll_add (TpUnroll *self, TpUnrollOp op, int output,
                   GError **error);
/* A tensor without a shape, for the node, called @stem and @suffix. */
int tp_unroll_add_tensor (TpUnroll *self, const char *stem,
                          const char *suffix, GError **error);
/* A constant of int64: @n values in one dimension. */
int tp_unroll_add_ints (TpUnroll *self, int n,
                        const gint64 *values, GError **error);
/* One value without dimensions, of int64 or bool. */
int tp_unroll_add_scalar (TpUnroll *self, TpDtype dtype,
                          gint64 value, GError **error);
/* The same of a type of reals. */
int tp_unroll_add_real (TpUnroll *self, TpDtype dtype, double value,
                        GError **error);
/* @n values of float32 in one dimension. */
int tp_unroll_add_reals (TpUnroll *self, int n, const double *values,
                         GError **error);
/* Element @index of @tensor along @axis, which goes. */
int tp_unroll_pick (TpUnroll *self, int tensor, gint64 axis,
                    gint64 index, GError **error);

/* Tensors that are put one behind the other. */
typedef struct
{
  int n;
  int *tensors;               /* spoilt */
  gint64 axis;
  gboolean is_new;            /* it is a dimension that they have not */
} TpUnrollRow;

int tp_unroll_join (TpUnroll *self, TpUnrollRow row, int output,
                    GError **error);

/* @tensor is @value (-1: nothing), be it a tensor or a list. */
gboolean tp_unroll_give (TpUnroll *self, int tensor,
                         int value, GError **error);
/* @tensor is a constant: @value. */
gboolean tp_unroll_give_scalar (TpUnroll *self, int tensor, TpDtype dtype,
                                gint64 value, GError **error);

/* The same of any shape: @values are as many as @like has elements, and of its type. */
gboolean tp_unroll_give_values (TpUnroll *self, int tensor,
                                const TpTensor *like, const gint64 *values,
                                GError **error);
gboolean tp_unroll_give_reals (TpUnroll *self, int tensor, const TpTensor *like,
                               const double *values, GError **error);

/* The body of the node once more, at most @n times: self->tensors has what its inputs are,
 * and what its outputs are then. */
gboolean tp_unroll_round (TpUnroll *self, gint64 round,
                          gint64 n, GError **error);

#endif
