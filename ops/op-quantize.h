/* op-quantize.h: reals as small integers, (x / scale) + zero point: what ops share that
 * make them or take them. */
#ifndef TP_OPS_OP_QUANTIZE_H
#define TP_OPS_OP_QUANTIZE_H

#include "ops/op-util.h"

/* @value, a real, rounded to nearest even, put above @zero (a real; -1: none), and held
 * to the range of @dtype: its integer. No number gives the least. */
int tp_nest_quantize (TpNest *nest, int value, int zero, TpDtype dtype);
/* @value - @zero, but for a zero point that is 0 or left out (-1). */
int tp_nest_shift (TpNest *nest, int value, int zero);
/* @value / @scale, but for a scale of 1. */
int tp_nest_unscale (TpNest *nest, int value, int scale);
/* The same of one number. */
double tp_quantize_number (double value, double zero, TpDtype dtype);
/* @value as reals of @dtype are computed with. */
double tp_quantize_round (double value, TpDtype dtype);

/* Whether @dtype is one that reals are quantized to: 8 or 16 bits. */
gboolean tp_dtype_is_quantized (TpDtype dtype);

#endif
