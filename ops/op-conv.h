/* op-conv.h: convolution: what Conv shares with convolutions of integers. x is input
 * 0. */
#ifndef TP_OPS_OP_CONV_H
#define TP_OPS_OP_CONV_H

#include "ops/op-window.h"

extern const TpAttrSpec tp_conv_attrs[];

typedef struct
{
  const TpTensor *x, *w;
  const TpTensor *bias;       /* (nullable) */
} TpConvTensors;

/* The shape of the result; its dtype is left alone. */
gboolean tp_conv_infer_shape (const TpNode *node, const TpConvTensors *tensors,
                              TpShape *out, GError **error);

/* Axes of the channels: one group needs no group axis, groups of one filter no
 * axis within the group. */
typedef struct
{
  gint64 n_groups, n_filters; /* filters per group */
  int group, filter, channel; /* axes; -1: none */
  TpWindowAxes window;
} TpConvAxes;

/* All axes, and the two factors, loads 0 and 1; the filters are input @weights. */
gboolean tp_conv_add_loads (TpLowering *lowering, int weights, TpConvAxes *axes,
                            GError **error);
/* A load of input @i, whose first dimension is that of the filters. */
TpAccess *tp_conv_load_filter (TpLowering *lowering, const TpConvAxes *axes,
                               int i);

typedef struct
{
  const TpRefTensor *x, *w;
  const double *bias;         /* (nullable) of each filter */
} TpConvValues;

void tp_conv_reference (const TpNode *node, const TpConvValues *values,
                        TpRefTensor *output);

#endif
