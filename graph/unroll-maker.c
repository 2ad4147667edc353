/* unroll-maker.c: see unroll-maker.h. */
#include "config.h"

#include "graph/unroll-maker.h"

int
tp_maker_add_to (TpMaker *self, TpUnrollOp op, int output)
{
  int made = -1;

  if (!self->has_failed)
    made = tp_unroll_add (self->unroll, op, output, self->error);
  self->has_failed |= made < 0;
  return made;
}

int
tp_maker_add (TpMaker *self, const char *type, int a, int b)
{
  int inputs[2] = { a, b };

  return tp_maker_add_to (self, (TpUnrollOp){ type, NULL, b >= 0 ? 2 : 1, inputs }, -1);
}

int
tp_maker_add_along (TpMaker *self, const char *type, gint64 axis, int n,
                    const int *inputs)
{
  const TpAttr along = { .name = "axis", .kind = TP_ATTR_INT, .i = axis };

  return tp_maker_add_to (self, (TpUnrollOp){ type, &along, n, inputs }, -1);
}

int
tp_maker_add_ints (TpMaker *self, int n, const gint64 *values)
{
  int made = -1;

  if (!self->has_failed)
    made = tp_unroll_add_ints (self->unroll, n, values, self->error);
  self->has_failed |= made < 0;
  return made;
}

int
tp_maker_add_real (TpMaker *self, TpDtype dtype, double value)
{
  int made = -1;

  if (!self->has_failed)
    made = tp_unroll_add_real (self->unroll, dtype, value, self->error);
  self->has_failed |= made < 0;
  return made;
}

int
tp_maker_add_reals (TpMaker *self, int n, const double *values)
{
  int made = -1;

  if (!self->has_failed)
    made = tp_unroll_add_reals (self->unroll, n, values, self->error);
  self->has_failed |= made < 0;
  return made;
}

int
tp_maker_reshape (TpMaker *self, int x, int n, const gint64 *dims)
{
  return tp_maker_add (self, "Reshape", x, tp_maker_add_ints (self, n, dims));
}

int
tp_maker_slice (TpMaker *self, int x, gint64 axis, gint64 from, gint64 n)
{
  const gint64 end = from + n;
  int inputs[4] = { x, tp_maker_add_ints (self, 1, &from),
                    tp_maker_add_ints (self, 1, &end),
                    tp_maker_add_ints (self, 1, &axis) };

  return tp_maker_add_to (self, (TpUnrollOp){ "Slice", NULL, 4, inputs }, -1);
}

int
tp_maker_cast (TpMaker *self, int x, TpDtype dtype)
{
  const TpAttr to = { .name = "to", .kind = TP_ATTR_INT, .i = tp_dtype_get (dtype)->onnx };

  return tp_maker_add_to (self, (TpUnrollOp){ "Cast", &to, 1, &x }, -1);
}
