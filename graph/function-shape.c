/* function-shape.c: ops whose bodies are arithmetic of shapes, all of it constant once
 * these are known: CenterCropPad; and ReverseSequence, all but the lengths. */
#include "config.h"

#include "graph/function-shape.h"

#include "graph/graph-builder.h"

static const char *
add_one (TpBody *self, const char *x, gint64 one)
{
  return tp_body_apply (self, "Add", x, TP_BODY_INTS (self, one), NULL);
}

/* ---- CenterCropPad ------------------------------------------------------------ */

static const char *
halve (TpBody *self, const char *x)
{
  return tp_body_apply (self, "Div", x, TP_BODY_INTS (self, 2), NULL);
}

static const char *
at_least_zero (TpBody *self, const char *x)
{
  return tp_body_apply (self, "Max", x, TP_BODY_INTS (self, 0), NULL);
}

static void
add_center_crop_pad (TpBody *self)
{
  int n = 0;
  const gint64 *named = tp_node_get_ints (self->node, "axes", &n);
  const char *x = tp_body_get_input (self, 0), *shape = tp_body_add_shape (self, x);
  const char *wanted = tp_body_get_input (self, 1);
  const char *axes = named != NULL ? tp_body_add_ints (self, n, named)
                                   : tp_body_count_to (self, tp_body_add_shape (self, shape));
  const char *there = tp_body_apply (self, "Gather", shape, axes, NULL);
  const char *more = tp_body_apply (self, "Sub", there, wanted, NULL);
  const char *less = at_least_zero (
      self, tp_body_apply (self, "Sub", wanted, there, NULL));
  const char *from = halve (self, at_least_zero (self, more));
  const char *to = tp_body_apply (
      self, "Add", from, tp_body_apply (self, "Min", there, wanted, NULL), NULL);
  const char *before = halve (self, less);
  const char *zero = tp_body_apply (
      self, "CastLike", tp_body_add_float (self, 0.0), x, NULL);

  x = tp_body_add (self, "Slice", NULL, NULL, x, from, to, axes, NULL);
  tp_body_add (self, "Pad", NULL, self->ends.outputs[0], x,
               TP_BODY_JOIN (self, before,
                             tp_body_apply (self, "Sub", less, before, NULL)),
               zero, axes, NULL);
}

/* ---- ReverseSequence ------------------------------------------------------------ */

/* Which row is picked at each time from each sequence: there is one batch axis and one of
 * time, and all that is there at both is a row. */
static void
add_reverse_sequence (TpBody *self)
{
  gint64 batch = tp_node_get_int (self->node, "batch_axis", 1);
  gint64 time = tp_node_get_int (self->node, "time_axis", 0);
  TpAttr two = { .name = "axis", .kind = TP_ATTR_INT, .i = 2 };
  const char *x = tp_body_get_input (self, 0), *shape = tp_body_add_shape (self, x);
  const char *n = tp_body_get_input (self, 1), *at, *from, *which;

  if (MIN (batch, time) != 0 || MAX (batch, time) != 1)
    {
      tp_body_refuse (self, "batch_axis is %" G_GINT64_FORMAT " and time_axis %"
                      G_GINT64_FORMAT ", they must be 0 and 1, or 1 and 0",
                      batch, time);
      return;
    }
  at = tp_body_count_to (self, tp_body_pick (self, shape, time));
  at = tp_body_add_view (self, "Unsqueeze", at, batch);
  n = tp_body_add_view (self, "Unsqueeze", n, time);
  from = tp_body_apply (self, "Sub", add_one (self, n, -1), at, NULL);
  at = tp_body_apply (self, "Where", tp_body_apply (self, "Less", at, n, NULL), from,
                      at);
  which = tp_body_count_to (self, tp_body_pick (self, shape, batch));
  which = tp_body_add_view (self, "Unsqueeze", which, time);
  at = tp_body_apply (
      self, "Add", time == 0 ? which : at,
      tp_body_apply (self, "Mul", time == 0 ? at : which,
                     tp_body_pick (self, shape, 1), NULL), NULL);
  x = tp_body_add (self, "Flatten", &two, NULL, x, NULL);
  x = tp_body_apply (self, "Gather", x, at, NULL);
  tp_body_add (self, "Reshape", NULL, self->ends.outputs[0], x, shape, NULL);
}

/* ---- the table --------------------------------------------------------- */

static const char *const crop_attrs[] = { "axes", NULL };
static const char *const reverse_attrs[] = { "batch_axis", "time_axis", NULL };

static const TpFunction functions[] = {
  { "CenterCropPad", 2, 2, 1, crop_attrs, { 0.0 }, add_center_crop_pad },
  { "ReverseSequence", 2, 2, 1, reverse_attrs, { 0.0 }, add_reverse_sequence },
};

const TpFunction *
tp_function_list_shape (gsize *out_n)
{
  *out_n = G_N_ELEMENTS (functions);
  return functions;
}
