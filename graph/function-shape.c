/* function-shape.c: ops whose bodies are arithmetic of shapes, all of it constant once
 * these are known: CenterCropPad; and ReverseSequence, all but the lengths, and MaxUnpool,
 * all but the places. */
#include "config.h"

#include "graph/function-shape.h"

#include "graph/graph-builder.h"

#define MOST (1 << 30)        /* of a number of a window */

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

/* ---- MaxUnpool ------------------------------------------------------------------- */

/* Attribute @name, @n numbers for each of the @n_dims spatial dimensions, added up for
 * each; @usual where it is not there. */
static const char *
add_up (TpBody *self, const char *name, int n, int n_dims, gint64 usual)
{
  gint64 sums[TP_MAX_RANK] = { 0 };
  int n_given = 0;
  const gint64 *given = tp_node_get_ints (self->node, name, &n_given);

  if (given != NULL && n_given != n * n_dims)
    tp_body_refuse (self, "%s has %d numbers, must have %d", name, n_given, n * n_dims);
  else
    for (int i = 0; i < n * n_dims; i++)
      sums[i % n_dims] += given == NULL ? usual : CLAMP (given[i], -MOST, MOST);
  return tp_body_add_ints (self, n_dims, sums);
}

/* Elements @from .. @to - 1 of @shape. */
static const char *
pick_dims (TpBody *self, const char *shape, int from, int to)
{
  gint64 at[TP_MAX_RANK];

  for (int i = from; i < to; i++)
    at[i - from] = i;
  return tp_body_apply (self, "Gather", shape, tp_body_add_ints (self, to - from, at), NULL);
}

/* The shape of what was pooled: the last window ends where that does. */
static const char *
add_unpooled_shape (TpBody *self, const char *shape, int n)
{
  const char *dims = pick_dims (self, shape, 2, n + 2), *strides, *ends;

  strides = add_up (self, "strides", 1, n, 1);
  ends = tp_body_apply (self, "Sub", add_up (self, "kernel_shape", 1, n, 1),
                        add_up (self, "pads", 2, n, 0), NULL);
  dims = tp_body_apply (self, "Mul", add_one (self, dims, -1), strides, NULL);
  dims = tp_body_apply (self, "Add", dims, ends, NULL);
  return TP_BODY_JOIN (self, pick_dims (self, shape, 0, 2), dims);
}

/* Places are those in what was pooled, as ONNX's tests have it, also where it is said
 * that the output is larger: then zeros follow. */
static void
add_max_unpool (TpBody *self)
{
  const char *x = tp_body_get_input (self, 0), *wanted = tp_body_get_input (self, 2);
  const char *shape = tp_body_add_shape (self, x), *zero, *all;
  const gint64 flat = -1;
  int n = 0;

  if (tp_node_get_ints (self->node, "kernel_shape", &n) == NULL || n < 1
      || n > TP_MAX_RANK - 2)
    {
      tp_body_refuse (self, "kernel_shape has %d numbers, must have 1 to %d", n,
                      TP_MAX_RANK - 2);
      return;
    }
  /* no more dimensions than windows have */
  x = tp_body_apply (self, "Reshape", x, pick_dims (self, shape, 0, n + 2), NULL);
  shape = add_unpooled_shape (self, shape, n);
  zero = tp_body_apply (self, "CastLike", tp_body_add_float (self, 0.0), x, NULL);
  all = tp_body_apply (self, "Expand", zero, tp_body_multiply_all (self, shape), NULL);
  all = tp_body_apply (self, "ScatterElements", all,
                       tp_body_add_reshape (self, tp_body_get_input (self, 1), 1, &flat),
                       tp_body_add_reshape (self, x, 1, &flat));
  x = tp_body_add (self, "Reshape", NULL, wanted == NULL ? self->ends.outputs[0] : NULL, all,
                   shape, NULL);
  if (wanted == NULL)
    return;
  all = tp_body_apply (self, "Sub", wanted, shape, NULL);
  zero = tp_body_apply (self, "Sub", shape, shape, NULL);
  tp_body_add (self, "Pad", NULL, self->ends.outputs[0], x, TP_BODY_JOIN (self, zero, all),
               NULL);
}

/* ---- the table --------------------------------------------------------- */

static const char *const crop_attrs[] = { "axes", NULL };
static const char *const unpool_attrs[] = { "kernel_shape", "pads", "strides", NULL };
static const char *const reverse_attrs[] = { "batch_axis", "time_axis", NULL };

static const TpFunction functions[] = {
  { "CenterCropPad", 2, 2, 1, crop_attrs, { 0.0 }, add_center_crop_pad },
  { "MaxUnpool", 2, 3, 1, unpool_attrs, { 0.0 }, add_max_unpool },
  { "ReverseSequence", 2, 2, 1, reverse_attrs, { 0.0 }, add_reverse_sequence },
};

const TpFunction *
tp_function_list_shape (gsize *out_n)
{
  *out_n = G_N_ELEMENTS (functions);
  return functions;
}
