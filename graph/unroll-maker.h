/* unroll-maker.h: ops in a row in place of one that is gone. */
#ifndef TP_GRAPH_UNROLL_MAKER_H
#define TP_GRAPH_UNROLL_MAKER_H

#include "graph/unroll-make.h"

/* After an op that failed nothing more is made, and all is -1. */
typedef struct
{
  TpUnroll *unroll;
  gboolean has_failed;
  GError **error;
} TpMaker;

int tp_maker_add_to (TpMaker *self, TpUnrollOp op, int output);
/* @b: -1: there is none. */
int tp_maker_add (TpMaker *self, const char *type, int a, int b);
/* The same along @axis, the attribute. */
int tp_maker_add_along (TpMaker *self, const char *type, gint64 axis, int n,
                        const int *inputs);
/* Constants: @n values in one dimension, and one without dimensions. */
int tp_maker_add_ints (TpMaker *self, int n, const gint64 *values);
int tp_maker_add_real (TpMaker *self, TpDtype dtype, double value);
int tp_maker_add_reals (TpMaker *self, int n, const double *values); /* of float32 */
int tp_maker_reshape (TpMaker *self, int x, int n, const gint64 *dims);
/* Of dimension @axis of @x @n elements, from @from on. */
int tp_maker_slice (TpMaker *self, int x, gint64 axis, gint64 from, gint64 n);
int tp_maker_cast (TpMaker *self, int x, TpDtype dtype);

#endif
