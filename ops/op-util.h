/* op-util.h: what the files of ops share. */
#ifndef TP_OPS_OP_UTIL_H
#define TP_OPS_OP_UTIL_H

#include "ir/op.h"
#include "nest/nest.h"

/* ---- attributes of many ops: "axis", "alpha" and no more ---------------- */

extern const TpAttrSpec tp_attrs_axis[];
extern const TpAttrSpec tp_attrs_alpha[];

/* ---- errors: "op 'conv1': ..."; always FALSE -------------------------- */

gboolean tp_op_fail (const TpNode *node, GError **error, const char *format,
                     ...) G_GNUC_PRINTF (3, 4);            /* INPUT */
gboolean tp_op_refuse (const TpNode *node, GError **error, const char *format,
                       ...) G_GNUC_PRINTF (3, 4);          /* UNSUPPORTED */
char *tp_dims_to_text (int rank, const gint64 *dims); /* "[2, 3]"; caller frees */

/* ---- shapes ------------------------------------------------------------ */

gboolean tp_node_has_input (const TpNode *node, int i);
/* Counts from the end when negative. FALSE with an error out of range. */
gboolean tp_axis_resolve (const TpNode *node, gint64 axis, int rank,
                          int *out_axis, GError **error);
/* The same of the attribute "axis". */
gboolean tp_node_get_axis (const TpNode *node, gint64 fallback, int rank,
                           int *out_axis, GError **error);
/* Input 1 picks elements: its type must be one for that. */
gboolean tp_node_check_indices (const TpNode *node, const TpTensor *indices,
                                GError **error);
void tp_shape_copy (TpShape *shape, const TpTensor *tensor);
/* A list of integers in memory of the caller, who knows of room for @max. */
typedef struct
{
  gint64 *values;
  int max;
  int n;
} TpInts;

/* The constant input @i, into @out. FALSE with an error; @out is then as it
 * was, but for its values. */
gboolean tp_input_get_ints (const TpNode *node, const TpTensor *const *inputs,
                            int i, TpInts *out, GError **error);
gboolean tp_infer_one_dtype (const TpNode *node, const TpTensor *const *inputs,
                         GError **error); /* Or of types that are computed alike: float32 and what is narrower. */
gboolean tp_infer_alike (const TpNode *node, const TpTensor *const *inputs,
                         GError **error);
/* inputs 0.. are of one dtype */
/* Output 0 has the shape and dtype of input 0. */
gboolean tp_infer_same (const TpNode *node, const TpTensor *const *inputs,
                        TpShape *outputs, GError **error);
/* Output 0 is what all inputs broadcast to. */
gboolean tp_infer_broadcast (const TpNode *node, const TpTensor *const *inputs,
                             TpShape *outputs, GError **error);
/* The same whatever the types; output 0 is of the type of input 0. */
gboolean tp_infer_broadcast_any (const TpNode *node,
                                 const TpTensor *const *inputs,
                                 TpShape *outputs, GError **error);
/* ---- lowering ---------------------------------------------------------- */

/* One nest being built for a node. */
typedef struct
{
  const TpGraph *graph;
  const TpNode *node;
  TpLowered *lowered;
  const TpTensor *out;
  TpNest *nest;
} TpLowering;

/* A nest that stores into output 0, with its dtype, and no axes yet. */
TpLowering tp_lowering_new (const TpGraph *graph, const TpNode *node,
                            TpLowered *lowered);
/* The same into output @i. */
TpLowering tp_lowering_new_output (const TpGraph *graph, const TpNode *node,
                                   TpLowered *lowered, int i);
void tp_lowering_clear (TpLowering *lowering);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (TpLowering, tp_lowering_clear)
const TpTensor *tp_lowering_get_input (const TpLowering *lowering, int i);
/* An axis of the output, which is stored with @stride along it. */
int tp_lowering_add_axis (TpLowering *lowering, gint64 extent, gint64 stride);
/* One axis per output dimension, in order. */
void tp_lowering_add_output_axes (TpLowering *lowering);
/* A reduce axis, or -1 when @extent is 1: it would do nothing. */
int tp_lowering_add_reduce_axis (TpLowering *lowering, gint64 extent);
/* Input @i, of its dtype, with all strides 0; the load number follows in nest->n_loads - 1. */
TpAccess *tp_lowering_add_load (TpLowering *lowering, int i);
/* Expression: the load that was added last. */
int tp_lowering_last_load (TpLowering *lowering);
/* Scratch: input @i copied row-major, by a nest of its own; @out_strides: its. */
int tp_lowering_copy_dense (const TpLowering *like, int i, gint64 *out_strides);
/* Along dimension @axis of @x, @load takes what the expression @index names. */
void tp_access_pick (TpAccess *load, const TpTensor *x, int axis, int index);
/* Expression: input @i, broadcast to the first rank axes; a constant of one
 * element becomes a number. */
int tp_lowering_load_broadcast (TpLowering *lowering, int i);
/* Expression: which point of the output that is, in row-major order, as int64; the first
 * axes are its dimensions. */
int tp_lowering_number_points (TpLowering *lowering);
/* Expression: @expr combined over the reduce axes, if there are any. */
int tp_lowering_reduce (TpLowering *lowering, TpCombiner combiner, int expr);
/* Sets the result; hands the nest over. Always TRUE. */
gboolean tp_lowering_finish (TpLowering *lowering, int result);
/* The index of the operand for @tensor, added when new. */
int tp_lowered_get_tensor (TpLowered *lowered, const TpGraph *graph, int tensor);

/* Elementwise ops: map_expr over the output. What it gets is real or integer, as
 * the dtypes of the inputs are; nest->store.dtype says what it is to give. */
gboolean tp_lower_map (const TpGraph *graph, const TpNode *node,
                       TpLowered *lowered, GError **error);
/* Input 0, broadcast; never looks at the others. */
gboolean tp_lower_pass (const TpGraph *graph, const TpNode *node,
                        TpLowered *lowered, GError **error);

/* ---- references -------------------------------------------------------- */

/* Elementwise ops: map_value over the output. */
void tp_reference_map (const TpNode *node, const TpRefTensor *const *inputs,
                       TpRefTensor *outputs);
/* The same in exact integers: map_integer, wrapped as memory does. */
void tp_reference_map_integers (const TpNode *node,
                                const TpRefTensor *const *inputs,
                                TpRefTensor *outputs);
/* What an integer type makes of @value: cut towards zero and wrapped; no number
 * and infinity give 0. Results too large to be exact stay as they are: whoever
 * cares can tell. */
double tp_reference_to_integer (double value, TpDtype dtype);
void tp_reference_copy (const TpNode *node, const TpRefTensor *const *inputs,
                        TpRefTensor *outputs);
/* out[i] += factor * x[i], for @n of them, in this order. */
void tp_reference_add_scaled (double *restrict out, const double *restrict x,
                              double factor, gint64 n);
/* The element of @input that @at of @out sees when @input is broadcast. */
double tp_reference_get_broadcast (const TpRefTensor *input,
                                   const TpRefTensor *out, const gint64 *at);
/* Elements of the dimensions from @first up to, not including, @end. */
gint64 tp_dims_product (const gint64 *dims, int first, int end);
/* The next point of a box, last dimension fastest; FALSE after the last. */
gboolean tp_dims_next (int rank, const gint64 *dims, gint64 *at);

#endif
