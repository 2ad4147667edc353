/* op-pad.c: Pad with a constant, by reflection, with the edge or with the other end;
 * negative pads cut away. */
#include "config.h"

#include "ir/graph-value.h"
#include "nest/nest-expr.h"
#include "ops/op-util.h"

#include <string.h>

#define PAD_LIMIT (G_GINT64_CONSTANT (1) << 40)
#define PAD_MAX_NESTS 81 /* four dimensions, each padded at both ends */

typedef enum
{
  PAD_CONSTANT,
  PAD_REFLECT,
  PAD_EDGE,
  PAD_WRAP,
} PadMode;

typedef struct
{
  PadMode mode;
  gint64 begin[TP_MAX_RANK];
  gint64 end[TP_MAX_RANK];
} Pad;

/* ---- what is asked for -------------------------------------------------- */

static gboolean
pad_get_mode (const TpNode *node, PadMode *out_mode, GError **error)
{
  static const char *const names[] = { "constant", "reflect", "edge", "wrap" };
  const char *name = tp_node_get_string (node, "mode", "constant");

  for (gsize i = 0; i < G_N_ELEMENTS (names); i++)
    if (strcmp (names[i], name) == 0)
      {
        *out_mode = i;
        return TRUE;
      }
  return tp_op_refuse (node, error, "mode '%s' is not known", name);
}

/* As an op tells it: all beginnings, then all ends. */
typedef struct
{
  int n;
  const gint64 *pads;
  int n_axes;
  const gint64 *axes; /* NULL: all dimensions */
  gint64 pad_values[2 * TP_MAX_RANK];
  gint64 axis_values[TP_MAX_RANK];
} PadGiven;

/* The smallest number has no ABS (). */
static gboolean
is_too_large (gint64 pad)
{
  return pad < -PAD_LIMIT || pad > PAD_LIMIT;
}

static gboolean
pad_set (Pad *pad, const TpNode *node, const PadGiven *given, int rank,
         GError **error)
{
  const gint64 *pads = given->pads;
  int n_axes = given->axes == NULL ? rank : given->n_axes;

  memset (pad, 0, sizeof *pad);
  if (pads == NULL || given->n != 2 * n_axes)
    return tp_op_fail (node, error, "there are %d pads, %d are needed",
                       pads == NULL ? 0 : given->n, 2 * n_axes);
  for (int i = 0; i < n_axes; i++)
    {
      int axis = i;

      if (given->axes != NULL
          && !tp_axis_resolve (node, given->axes[i], rank, &axis, error))
        return FALSE;
      if (is_too_large (pads[i]) || is_too_large (pads[n_axes + i]))
        return tp_op_fail (node, error, "pads of dimension %d are too large",
                           axis);
      pad->begin[axis] = pads[i];
      pad->end[axis] = pads[n_axes + i];
    }
  return pad_get_mode (node, &pad->mode, error);
}

/* Attributes before opset 11, then inputs. */
static gboolean
pad_init (Pad *pad, const TpNode *node, const TpTensor *const *inputs,
          GError **error)
{
  PadGiven given = { 0 };
  TpInts pads = { given.pad_values, 2 * TP_MAX_RANK, 0 };
  TpInts axes = { given.axis_values, TP_MAX_RANK, 0 };

  given.pads = tp_node_get_ints (node, "pads", &given.n);
  if (tp_node_has_input (node, 1))
    {
      if (!tp_input_get_ints (node, inputs, 1, &pads, error))
        return FALSE;
      given.pads = pads.values;
      given.n = pads.n;
    }
  if (tp_node_has_input (node, 3))
    {
      if (!tp_input_get_ints (node, inputs, 3, &axes, error))
        return FALSE;
      given.axes = axes.values;
      given.n_axes = axes.n;
    }
  return pad_set (pad, node, &given, inputs[0]->rank, error);
}

/* Reflection looks at most extent - 1 elements past an end, the other end has extent. */
static gboolean
pad_check (const Pad *pad, const TpNode *node, const TpTensor *x, int i,
           GError **error)
{
  gint64 extent = x->dims[i];
  gint64 most = MAX (pad->begin[i], pad->end[i]);

  if (extent + pad->begin[i] + pad->end[i] < 0 || extent + pad->begin[i] < 0
      || extent + pad->end[i] < 0)
    return tp_op_fail (node, error,
                       "dimension %d has extent %" G_GINT64_FORMAT
                       ", pads of %" G_GINT64_FORMAT " and %" G_GINT64_FORMAT
                       " leave nothing",
                       i, extent, pad->begin[i], pad->end[i]);
  if ((pad->mode == PAD_REFLECT && most > 0 && most > extent - 1)
      || (pad->mode == PAD_WRAP && most > extent)
      || (pad->mode == PAD_EDGE && most > 0 && extent == 0))
    return tp_op_refuse (node, error,
                         "dimension %d has extent %" G_GINT64_FORMAT
                         ", too few for a pad of %" G_GINT64_FORMAT,
                         i, extent, most);
  return TRUE;
}

static gboolean
pad_infer (const TpNode *node, const TpTensor *const *inputs, TpShape *outputs,
           GError **error)
{
  Pad pad;

  if (tp_node_has_input (node, 2) && inputs[2]->count != 1)
    return tp_op_fail (node, error,
                       "input 2, to pad with, has %" G_GINT64_FORMAT
                       " elements, must have 1", inputs[2]->count);
  if (!pad_init (&pad, node, inputs, error))
    return FALSE;
  tp_shape_copy (&outputs[0], inputs[0]);
  for (int i = 0; i < inputs[0]->rank; i++)
    {
      if (!pad_check (&pad, node, inputs[0], i, error))
        return FALSE;
      if (inputs[0]->dims[i] > PAD_LIMIT)
        return tp_op_fail (node, error, "dimension %d is too large", i);
      outputs[0].dims[i] += pad.begin[i] + pad.end[i];
    }
  return TRUE;
}

/* ---- nests -------------------------------------------------------------- */

/* Takes the value to pad with, if it is known and a double holds it. */
static gboolean
pad_set_fill (const TpTensor *value, double *out_fill)
{
  gint64 memory = 0, exact = 0;

  if (value == NULL)
    return TRUE;
  if (!tp_tensor_is_constant (value))
    return FALSE;
  tp_tensor_write_doubles (value, out_fill);
  if (!tp_dtype_is_integer (value->dtype))
    return TRUE;
  tp_tensor_write_value (value, &memory);
  tp_dtype_get (value->dtype)->load_integers (&memory, 1, 1, &exact);
  return tp_real_to_integer (*out_fill) == exact;
}

/* Expression: the last load, or the value to pad with, where it is loaded, too. */
static int
pad_select_fill (TpLowering *lowering)
{
  const TpTensor *value = tp_lowering_get_input (lowering, 2);
  TpNest *nest = lowering->nest;
  TpAccess *load = &nest->loads[0];

  load->fill = tp_node_get_float (lowering->node, "value", 0.0);
  if (pad_set_fill (value, &load->fill) || load->n_guards == 0)
    return tp_nest_load (nest, 0);
  tp_lowering_add_load (lowering, 2);
  return tp_nest_select (nest, tp_nest_inside (nest, 0), tp_nest_load (nest, 0),
                         tp_nest_load (nest, 1));
}

static gboolean
pad_lower_constant (TpLowering *lowering, const Pad *pad, GError **error)
{
  const TpTensor *x = tp_lowering_get_input (lowering, 0);
  TpAccess *load = NULL;

  tp_lowering_add_output_axes (lowering);
  load = tp_lowering_add_load (lowering, 0);
  for (int i = 0; i < x->rank; i++)
    {
      load->stride[i] = x->strides[i];
      load->offset -= pad->begin[i] * x->strides[i];
      if (pad->begin[i] <= 0 && pad->end[i] <= 0)
        continue;
      if (load->n_guards == TP_NEST_MAX_GUARDS)
        return tp_op_refuse (lowering->node, error,
                             "more than %d dimensions are padded",
                             TP_NEST_MAX_GUARDS);
      load->guards[load->n_guards].coef[i] = 1;
      load->guards[load->n_guards].offset = -pad->begin[i];
      load->guards[load->n_guards++].extent = x->dims[i];
    }
  return tp_lowering_finish (lowering, pad_select_fill (lowering));
}

/* Part 0, 1 or 2 of a dimension: before, within, after the input; the outputs
 * from @first on read the inputs from @source on. */
typedef struct
{
  gint64 first, extent, source;
  int step;
} PadPart;

static PadPart
pad_get_part (const Pad *pad, const TpTensor *x, int i, gint64 part)
{
  gint64 before = MAX (pad->begin[i], 0);
  gint64 within = x->dims[i] + MIN (pad->begin[i], 0) + MIN (pad->end[i], 0);
  static const int steps[] = { [PAD_REFLECT] = -1, [PAD_EDGE] = 0, [PAD_WRAP] = 1 };
  const gint64 firsts[] = { [PAD_REFLECT] = before, [PAD_EDGE] = 0,
                            [PAD_WRAP] = x->dims[i] - before };
  const gint64 lasts[] = { [PAD_REFLECT] = x->dims[i] - 2,
                           [PAD_EDGE] = x->dims[i] - 1, [PAD_WRAP] = 0 };

  if (part == 0)
    return (PadPart){ 0, before, firsts[pad->mode], steps[pad->mode] };
  if (part == 1)
    return (PadPart){ before, within, MAX (-pad->begin[i], 0), 1 };
  return (PadPart){ before + within, MAX (pad->end[i], 0), lasts[pad->mode],
                    steps[pad->mode] };
}

/* The nest of one part per dimension; none when a part is empty. */
static void
pad_lower_parts (TpLowering *lowering, const Pad *pad, const gint64 *parts)
{
  const TpTensor *x = tp_lowering_get_input (lowering, 0);
  TpNest *nest = lowering->nest;
  TpAccess *load = NULL;

  tp_lowering_add_output_axes (lowering);
  load = tp_lowering_add_load (lowering, 0);
  for (int i = 0; i < x->rank; i++)
    {
      PadPart part = pad_get_part (pad, x, i, parts[i]);

      if (part.extent <= 0)
        return;
      nest->axes[i].extent = part.extent;
      nest->store.offset += part.first * nest->store.stride[i];
      load->offset += part.source * x->strides[i];
      load->stride[i] = part.step * x->strides[i];
    }
  tp_lowering_finish (lowering, tp_nest_load (nest, 0));
}

static gboolean
pad_lower (const TpGraph *graph, const TpNode *node, TpLowered *lowered,
           GError **error)
{
  g_auto (TpLowering) lowering = tp_lowering_new (graph, node, lowered);
  const TpTensor *inputs[4];
  gint64 parts[TP_MAX_RANK] = { 0 };
  gint64 n_parts[TP_MAX_RANK];
  gint64 n_nests = 1;
  Pad pad;

  for (int i = 0; i < 4; i++)
    inputs[i] = tp_lowering_get_input (&lowering, i);
  if (!pad_init (&pad, node, inputs, error))
    return FALSE;
  if (pad.mode == PAD_CONSTANT)
    return pad_lower_constant (&lowering, &pad, error);
  for (int i = 0; i < inputs[0]->rank; i++)
    {
      n_parts[i] = 3;
      n_nests *= 1 + (pad.begin[i] > 0) + (pad.end[i] > 0);
    }
  if (n_nests > PAD_MAX_NESTS)
    return tp_op_refuse (node, error, "too many dimensions are padded");
  do
    {
      g_auto (TpLowering) one = tp_lowering_new (graph, node, lowered);

      pad_lower_parts (&one, &pad, parts);
    }
  while (tp_dims_next (inputs[0]->rank, n_parts, parts));
  return TRUE;
}

/* ---- reference ---------------------------------------------------------- */

/* Where output position @at of a dimension looks; -1: nowhere. */
static gint64
pad_find_source (PadMode mode, gint64 at, gint64 begin, gint64 extent)
{
  gint64 position = at - begin;

  if (position >= 0 && position < extent)
    return position;
  if (mode == PAD_CONSTANT)
    return -1;
  if (mode == PAD_EDGE)
    return position < 0 ? 0 : extent - 1;
  if (mode == PAD_WRAP)
    return position < 0 ? position + extent : position - extent;
  return position < 0 ? -position : 2 * (extent - 1) - position;
}

static void
pad_init_reference (Pad *pad, const TpNode *node,
                    const TpRefTensor *const *inputs)
{
  PadGiven given = { 0 };

  given.pads = tp_node_get_ints (node, "pads", &given.n);
  if (tp_node_has_input (node, 1))
    {
      given.n = inputs[1]->count;
      for (int i = 0; i < given.n; i++)
        given.pad_values[i] = inputs[1]->data[i];
      given.pads = given.pad_values;
    }
  if (tp_node_has_input (node, 3))
    {
      given.n_axes = inputs[3]->count;
      for (int i = 0; i < given.n_axes; i++)
        given.axis_values[i] = inputs[3]->data[i];
      given.axes = given.axis_values;
    }
  if (!pad_set (pad, node, &given, inputs[0]->rank, NULL))
    g_assert_not_reached ();
}

static void
pad_reference (const TpNode *node, const TpRefTensor *const *inputs,
               TpRefTensor *outputs)
{
  const TpRefTensor *x = inputs[0];
  double fill = tp_node_has_input (node, 2)
                    ? inputs[2]->data[0]
                    : tp_node_get_float (node, "value", 0.0);
  gint64 at[TP_MAX_RANK] = { 0 };
  Pad pad;

  pad_init_reference (&pad, node, inputs);
  for (gint64 i = 0; i < outputs[0].count; i++)
    {
      gint64 index = 0;
      gboolean is_inside = TRUE;

      for (int k = 0; k < x->rank; k++)
        {
          gint64 source =
              pad_find_source (pad.mode, at[k], pad.begin[k], x->dims[k]);

          is_inside = is_inside && source >= 0;
          index = index * x->dims[k] + source;
        }
      outputs[0].data[i] = is_inside ? x->data[index] : fill;
      tp_dims_next (x->rank, outputs[0].dims, at);
    }
}

static const TpAttrSpec pad_attrs[] = {
  { "mode", TP_ATTR_STRING, FALSE },
  { "pads", TP_ATTR_INTS, FALSE },
  { "value", TP_ATTR_FLOAT, FALSE },
  { 0 },
};

const TpOp tp_op_pad = {
  .name = "Pad",
  .kind = TP_OP_MOVE,
  .n_inputs_min = 1,
  .n_inputs_max = 4,
  .n_outputs_max = 1,
  .attrs = pad_attrs,
  .tolerance = 0.0,
  .infer = pad_infer,
  .lower = pad_lower,
  .reference = pad_reference,
  .moves = TP_MOVES (0) | TP_MOVES (2),
};
