/* winograd-transform.c: the matrices of F(2,3) and F(4,3), and their products
 * with squares of values. */
#include "config.h"

#include "schedule/winograd-transform.h"

#include "schedule/winograd.h"

/* Points 0, 1, -1 and infinity: no multiplication but by 1/2, which is exact. */
static const double points_2[] = {
  1, 0, -1, 0,
  0, 1, 1, 0,
  0, -1, 1, 0,
  0, 1, 0, -1,
};
static const double filters_2[] = {
  1, 0, 0,
  0.5, 0.5, 0.5,
  0.5, -0.5, 0.5,
  0, 0, 1,
};
static const double results_2[] = {
  1, 1, 1, 0,
  0, 1, -1, -1,
};

/* Points 0, 1, -1, 2, -2 and infinity. */
static const double points_4[] = {
  4, 0, -5, 0, 1, 0,
  0, -4, -4, 1, 1, 0,
  0, 4, -4, -1, 1, 0,
  0, -2, -1, 2, 1, 0,
  0, 2, -1, -2, 1, 0,
  0, 4, 0, -5, 0, 1,
};
static const double filters_4[] = {
  1.0 / 4, 0, 0,
  -1.0 / 6, -1.0 / 6, -1.0 / 6,
  -1.0 / 6, 1.0 / 6, -1.0 / 6,
  1.0 / 24, 1.0 / 12, 1.0 / 6,
  1.0 / 24, -1.0 / 12, 1.0 / 6,
  0, 0, 1,
};
static const double results_4[] = {
  1, 1, 1, 1, 1, 0,
  0, 1, -1, 2, -2, 0,
  0, 1, 1, 4, 4, 0,
  0, 1, -1, 8, -8, 1,
};

static const TpWinogradForm forms[] = {
  { 2, { 4, 4, points_2 }, { 4, 3, filters_2 }, { 2, 4, results_2 } },
  { 4, { 6, 6, points_4 }, { 6, 3, filters_4 }, { 4, 6, results_4 } },
};

const TpWinogradForm *
tp_winograd_form_find (gint64 output)
{
  for (guint i = 0; i < G_N_ELEMENTS (forms); i++)
    if (forms[i].output == output)
      return &forms[i];
  return NULL;
}

/* sum + factor * value */
static TpValue
emit_term (TpKernel *k, TpValue sum, double factor, TpValue value)
{
  if (factor == 1.0)
    return tp_k_binary (k, TP_I_FADD, sum, value);
  if (factor == -1.0)
    return tp_k_binary (k, TP_I_FSUB, sum, value);
  return tp_k_fma (k, tp_k_f32 (k, k->instrs[value].lanes, (float) factor),
                   value, sum);
}

/* The product of @row, which has a 1, and the @n values @step apart. */
static TpValue
emit_row (TpKernel *k, const double *row, int n, const TpValue *values,
          int step)
{
  int first = 0;
  TpValue sum;

  while (row[first] != 1.0)
    first++;
  sum = values[first * step];
  for (int i = 0; i < n; i++)
    if (i != first && row[i] != 0.0)
      sum = emit_term (k, sum, row[i], values[i * step]);
  return sum;
}

void
tp_winograd_emit_square (TpKernel *kernel, const TpWinogradMatrix *matrix,
                         const TpValue *from, TpValue *to)
{
  int n_to = matrix->n_to, n_from = matrix->n_from;
  TpValue half[TP_WINOGRAD_MAX_SIDE * TP_WINOGRAD_MAX_SIDE];

  for (int j = 0; j < n_from; j++)
    for (int i = 0; i < n_to; i++)
      half[i * n_from + j]
          = emit_row (kernel, matrix->values + i * n_from, n_from, from + j,
                      n_from);
  for (int i = 0; i < n_to; i++)
    for (int j = 0; j < n_to; j++)
      to[i * n_to + j] = emit_row (kernel, matrix->values + j * n_from, n_from,
                                   half + i * n_from, 1);
}
