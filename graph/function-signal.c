/* function-signal.c: windows and Fourier transforms. These are products with matrices of
 * cosines and sines, which are constant: what signals of some hundred samples want, as
 * in front of networks for sound, and of which every device has kernels. */
#include "config.h"

#include "graph/function-signal.h"

#include "graph/graph-builder.h"

#include <math.h>

static const TpAttr to_float = { .name = "to", .kind = TP_ATTR_INT, .i = 1 };

/* ---- windows ------------------------------------------------------------- */

/* Its factors times the cosines of 0, t and 2 t, t from 0 to a full turn. */
static void
add_window (TpBody *self)
{
  const double *factors = self->function->window;
  TpAttr to = { .name = "to", .kind = TP_ATTR_INT };
  const char *size = tp_body_get_input (self, 0);
  const char *turn = tp_body_add (self, "Cast", &to_float, NULL, size, NULL);
  const char *angle = NULL;
  const char *step = NULL;
  const char *sum = tp_body_add_float (self, factors[0]);

  if (tp_node_get_int (self->node, "periodic", 1) == 0)
    turn = tp_body_add (self, "Sub", NULL, NULL, turn,
                        tp_body_add_float (self, 1.0), NULL);
  angle = tp_body_add (self, "CastLike", NULL, NULL, tp_body_add_int (self, 0),
                       size, NULL);
  step = tp_body_add (self, "CastLike", NULL, NULL, tp_body_add_int (self, 1),
                      size, NULL);
  angle = tp_body_add (self, "Range", NULL, NULL, angle, size, step, NULL);
  angle = tp_body_add (self, "Cast", &to_float, NULL, angle, NULL);
  angle = tp_body_add (self, "Div", NULL, NULL, angle, turn, NULL);
  for (int i = 1; i < 3; i++)
    {
      const char *wave =
          tp_body_add (self, "Mul", NULL, NULL, angle,
                       tp_body_add_float (self, 2.0 * G_PI * i), NULL);

      wave = tp_body_add (self, "Cos", NULL, NULL, wave, NULL);
      wave = tp_body_add (self, "Mul", NULL, NULL, wave,
                          tp_body_add_float (self, factors[i]), NULL);
      sum = tp_body_add (self, "Add", NULL, NULL, sum, wave, NULL);
    }
  to.i = tp_node_get_int (self->node, "output_datatype", 1);
  tp_body_add (self, "Cast", &to, self->ends.outputs[0], sum, NULL);
}

/* ---- Fourier transforms --------------------------------------------------- */

/* Lists of one element. */
typedef struct
{
  const char *length;         /* of the signal */
  const char *n_in, *n_out;   /* rows and columns of the matrix */
  gboolean is_inverse;
  gboolean is_half;           /* of a real signal, whose other half mirrors it */
} Transform;

static void
transform_init (TpBody *self, Transform *transform)
{
  const char *half = transform->length;

  if (transform->is_half)
    half = tp_body_apply (
        self, "Add",
        tp_body_apply (self, "Div", half, TP_BODY_INTS (self, 2), NULL),
        TP_BODY_INTS (self, 1), NULL);
  transform->n_in = transform->is_inverse ? half : transform->length;
  transform->n_out = transform->is_inverse ? transform->length : half;
}

/* [sample, frequency, 1, 1] of @function (2 pi sample frequency / length). */
static const char *
add_wave (TpBody *self, const char *angle, const char *function, double factor)
{
  const char *wave = tp_body_apply (self, function, angle, NULL, NULL);

  return tp_body_apply (self, "Mul", wave, tp_body_add_float (self, factor),
                        NULL);
}

static const char *
join_last (TpBody *self, const char *a, const char *b, gint64 axis)
{
  TpAttr attr = { .name = "axis", .kind = TP_ATTR_INT, .i = axis };

  return tp_body_add (self, "Concat", &attr, NULL, a, b, NULL);
}

/* The real part of @matrix alone, where frequencies that have a mirror image stand for
 * both. @frequencies: as integers. */
static const char *
count_twice (TpBody *self, const Transform *transform, const char *matrix,
             const char *frequencies)
{
  const char *twice = TP_BODY_INTS (self, 2), *zero = TP_BODY_INTS (self, 0);
  const char *weight = tp_body_apply (self, "Mul", frequencies, twice, NULL);

  weight = tp_body_apply (self, "Mod", weight, transform->length, NULL);
  weight = tp_body_apply (self, "Equal", weight, zero, NULL);
  weight = tp_body_apply (self, "Where", weight, tp_body_add_float (self, 1.0),
                          tp_body_add_float (self, 2.0));
  matrix = tp_body_add (self, "Slice", NULL, NULL, matrix, zero,
                        TP_BODY_INTS (self, 1), TP_BODY_INTS (self, 3), NULL);
  return tp_body_apply (self, "Mul", matrix, weight, NULL);
}

/* [sample, frequency, part of the sample, part of the result], parts being the real
 * and the imaginary one. Turns are counted in integers: sample times frequency, less
 * whole ones, at most half of one either way. */
static const char *
add_matrix (TpBody *self, const Transform *transform)
{
  double sign = transform->is_inverse ? 1.0 : -1.0;
  const char *samples = tp_body_count_to (self, transform->n_in);
  const char *turns = tp_body_count_to (self, transform->n_out), *angle, *length;
  const char *half, *cosine, *real, *imaginary;

  samples = tp_body_apply (self, "Reshape", samples,
                           TP_BODY_INTS (self, -1, 1, 1, 1), NULL);
  turns = tp_body_apply (self, "Reshape", turns, TP_BODY_INTS (self, -1, 1, 1),
                         NULL);
  turns = tp_body_apply (self, "Mul", samples, turns, NULL);
  half = tp_body_apply (self, "Div", transform->length, TP_BODY_INTS (self, 2),
                        NULL);
  turns = tp_body_apply (self, "Add", turns, half, NULL);
  turns = tp_body_apply (self, "Mod", turns, transform->length, NULL);
  turns = tp_body_apply (self, "Sub", turns, half, NULL);
  angle = tp_body_add (self, "Cast", &to_float, NULL, turns, NULL);
  length = tp_body_add (self, "Cast", &to_float, NULL, transform->length, NULL);
  angle = tp_body_apply (self, "Div", angle, length, NULL);
  angle = tp_body_apply (self, "Mul", angle,
                         tp_body_add_float (self, 2.0 * G_PI), NULL);
  cosine = add_wave (self, angle, "Cos", 1.0);
  real = join_last (self, cosine, add_wave (self, angle, "Sin", sign), 3);
  imaginary = join_last (self, add_wave (self, angle, "Sin", -sign), cosine, 3);
  angle = join_last (self, real, imaginary, 2);
  if (!transform->is_inverse)
    return angle;
  angle = tp_body_apply (self, "Div", angle, length, NULL);
  return transform->is_half ? count_twice (self, transform, angle, samples)
                            : angle;
}

/* The matrix as far as it meets @x: @samples are there, with @parts of each. */
static const char *
cut_matrix (TpBody *self, const char *matrix, const char *samples,
            const char *parts)
{
  const char *zeros = TP_BODY_INTS (self, 0, 0);
  const char *ends = TP_BODY_JOIN (self, samples, parts);

  return tp_body_add (self, "Slice", NULL, NULL, matrix, zeros, ends,
                      TP_BODY_INTS (self, 0, 2), NULL);
}

static const char *
multiply (TpBody *self, const char *x, const char *matrix, const char *letters)
{
  TpAttr equation = { .name = "equation", .kind = TP_ATTR_STRING,
                      .s = (char *) letters };

  return tp_body_add (self, "Einsum", &equation, NULL, x, matrix, NULL);
}

/* A list of one from input @i, or NULL. */
static const char *
get_number (TpBody *self, int i)
{
  const char *x = tp_body_get_input (self, i);

  return x == NULL ? NULL
                   : tp_body_apply (self, "Reshape", x, TP_BODY_INTS (self, 1),
                                    NULL);
}

static const char *
get_axis (TpBody *self)
{
  const char *axis = get_number (self, 2);
  gboolean is_attr = self->builder->draft->opset < 20;

  if (axis != NULL)
    return axis;
  return TP_BODY_INTS (self, tp_node_get_int (self->node, "axis",
                                              is_attr ? 1 : -2));
}

/* The length of the signal of which @n frequencies are half. */
static const char *
get_mirrored (TpBody *self, const char *n)
{
  n = tp_body_apply (self, "Sub", n, TP_BODY_INTS (self, 1), NULL);
  return tp_body_apply (self, "Mul", n, TP_BODY_INTS (self, 2), NULL);
}

/* The dimensions before the transformed one are one, and those behind it. */
static void
add_dft (TpBody *self)
{
  Transform transform
      = { .is_inverse = tp_node_get_int (self->node, "inverse", 0) != 0,
          .is_half = tp_node_get_int (self->node, "onesided", 0) != 0 };
  const char *x = tp_body_get_input (self, 0), *axis = get_axis (self);
  const char *shape = tp_body_add_shape (self, x), *last = TP_BODY_INTS (self, -1);
  const char *next = tp_body_apply (self, "Add", axis, TP_BODY_INTS (self, 1),
                                    NULL);
  const char *before = tp_body_slice (self, shape, TP_BODY_INTS (self, 0), axis);
  const char *behind = tp_body_slice (self, shape, next, last);
  const char *n = tp_body_apply (self, "Gather", shape, axis, NULL);
  const char *parts = tp_body_pick (self, shape, -1), *matrix;
  gint64 n_parts = transform.is_half && transform.is_inverse ? 1 : 2;

  transform.length = get_number (self, 1);
  if (transform.length == NULL)
    transform.length = transform.is_half && transform.is_inverse
                           ? get_mirrored (self, n)
                           : n;
  transform_init (self, &transform);
  x = tp_body_apply (self, "Reshape", x,
                     TP_BODY_JOIN (self, tp_body_multiply_all (self, before), n,
                                   tp_body_multiply_all (self, behind), parts),
                     NULL);
  x = tp_body_add (self, "Slice", NULL, NULL, x, TP_BODY_INTS (self, 0),
                   transform.n_in, TP_BODY_INTS (self, 1), NULL);
  matrix = cut_matrix (self, add_matrix (self, &transform),
                       tp_body_pick (self, tp_body_add_shape (self, x), 1), parts);
  x = multiply (self, x, matrix, "anbc,nkcr->akbr");
  tp_body_add (self, "Reshape", NULL, self->ends.outputs[0], x,
               TP_BODY_JOIN (self, before, transform.n_out, behind,
                             TP_BODY_INTS (self, n_parts)),
               NULL);
}

/* [frame, sample]: where each sample of each frame stands in the signal. */
static const char *
add_frames (TpBody *self, const char *signal, const Transform *transform)
{
  const char *all = tp_body_pick (self, tp_body_add_shape (self, signal), 1);
  const char *end = tp_body_apply (self, "Sub", all, transform->length, NULL);
  const char *starts;

  end = tp_body_apply (self, "Add", end, TP_BODY_INTS (self, 1), NULL);
  starts = tp_body_apply (
      self, "Range", tp_body_add_int (self, 0),
      tp_body_add_view (self, "Squeeze", end, 0),
      tp_body_add_view (self, "Squeeze", get_number (self, 1), 0));
  return tp_body_apply (self, "Add", tp_body_add_view (self, "Unsqueeze", starts, 1),
                        tp_body_count_to (self, transform->length), NULL);
}

static void
add_stft (TpBody *self)
{
  static const TpAttr along = { .name = "axis", .kind = TP_ATTR_INT, .i = 1 };
  const char *x = tp_body_get_input (self, 0);
  const char *window = tp_body_get_input (self, 2);
  const char *shape = tp_body_add_shape (self, x), *matrix;
  Transform transform
      = { .length = get_number (self, 3),
          .is_half = tp_node_get_int (self->node, "onesided", 1) != 0 };

  if (transform.length == NULL)
    transform.length = window != NULL ? tp_body_add_shape (self, window)
                                      : tp_body_pick (self, shape, 1);
  transform_init (self, &transform);
  x = tp_body_apply (self, "Reshape", x, TP_BODY_INTS (self, 0, 0, -1), NULL);
  shape = tp_body_add_shape (self, x);
  matrix = cut_matrix (self, add_matrix (self, &transform), transform.length,
                       tp_body_pick (self, shape, 2));
  if (window != NULL)
    matrix = tp_body_apply (
        self, "Mul", matrix,
        tp_body_apply (self, "Reshape", window,
                       TP_BODY_INTS (self, -1, 1, 1, 1), NULL),
        NULL);
  x = tp_body_add (self, "Gather", &along, NULL, x,
                   add_frames (self, x, &transform), NULL);
  tp_body_add (self, "Identity", NULL, self->ends.outputs[0],
               multiply (self, x, matrix, "bfnc,nkcr->bfkr"), NULL);
}

/* ---- the table --------------------------------------------------------- */

static const char *const window_attrs[] = { "output_datatype", "periodic",
                                            NULL };
static const char *const dft_attrs[] = { "axis", "inverse", "onesided", NULL };
static const char *const stft_attrs[] = { "onesided", NULL };

static const TpFunction functions[] = {
  { "BlackmanWindow", 1, 1, 1, window_attrs, { 0.42, -0.5, 0.08 }, add_window },
  { "DFT", 1, 3, 1, dft_attrs, { 0.0 }, add_dft },
  { "HammingWindow",
    1,
    1,
    1,
    window_attrs,
    { 25.0 / 46.0, -21.0 / 46.0, 0.0 },
    add_window },
  { "HannWindow", 1, 1, 1, window_attrs, { 0.5, -0.5, 0.0 }, add_window },
  { "STFT", 2, 4, 1, stft_attrs, { 0.0 }, add_stft },
};

const TpFunction *
tp_function_list_signal (gsize *out_n)
{
  *out_n = G_N_ELEMENTS (functions);
  return functions;
}
