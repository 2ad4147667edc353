/* unroll-mel.c: see unroll-mel.h. */
#include "config.h"

#include "graph/unroll-mel.h"

#include "graph/unroll-known.h"
#include "graph/unroll-make.h"
#include "ir/guard.h"

#include <math.h>

#define BINS_MOST (1 << 20)   /* of either kind */
#define WEIGHTS_AN_OP 8       /* that count as one, for the limit of these */

enum { N_FILTERS, DFT_LENGTH, RATE, LOWER, UPPER, N_NUMBERS };

static const char *const names[N_NUMBERS]
    = { "num_mel_bins", "dft_length", "sample_rate", "lower_edge_hertz",
        "upper_edge_hertz" };

static gboolean
read_number (TpUnroll *self, int i, double *out_number, GError **error)
{
  int input = self->node->inputs[i];
  g_autofree double *values = NULL;

  if (!tp_unroll_check_known (self, input, names[i], error))
    return FALSE;
  if (tp_draft_tensor (self->draft, input)->count != 1)
    return tp_unroll_fail (self, error, "its %s must be one number", names[i]);
  values = tp_unroll_dup_values (self, input);
  *out_number = values[0];
  return TRUE;
}

static gboolean
read_numbers (TpUnroll *self, double *numbers, GError **error)
{
  for (int i = 0; i < N_NUMBERS; i++)
    if (!read_number (self, i, &numbers[i], error))
      return FALSE;
  for (int i = N_FILTERS; i <= DFT_LENGTH; i++)
    if (!(numbers[i] >= 1 && numbers[i] <= BINS_MOST))
      return tp_unroll_fail (self, error, "its %s is %g, must be 1 to %d", names[i],
                             numbers[i], BINS_MOST);
  return (numbers[RATE] > 0 && numbers[LOWER] >= 0
          && numbers[UPPER] >= numbers[LOWER]
          && numbers[UPPER] <= numbers[RATE])
         || tp_unroll_fail (self, error, "its frequencies are %g to %g at a sample_rate of "
                            "%g: they must be 0 to that, the lower one first",
                            numbers[LOWER], numbers[UPPER], numbers[RATE]);
}

static double
hertz_to_mel (double hertz)
{
  return 2595.0 * log10 (1.0 + hertz / 700.0);
}

/* The bin of the spectrum where filter @i begins, which is the middle of the one before,
 * and the end of the one before that. */
static gint64
find_edge (const double *numbers, gint64 i)
{
  double low = hertz_to_mel (numbers[LOWER]);
  double step = (hertz_to_mel (numbers[UPPER]) - low) / (numbers[N_FILTERS] + 2.0);
  double hertz = 700.0 * (pow (10.0, (low + (double) i * step) / 2595.0) - 1.0);

  return (gint64) floor ((numbers[DFT_LENGTH] + 1.0) * hertz / numbers[RATE]);
}

/* A triangle: up from @from to @middle, and down to 0 at @to. */
static double
get_weight (gint64 from, gint64 middle, gint64 to, gint64 at)
{
  if (at < from || at > to)
    return 0.0;
  if (at < middle)
    return (double) (at - from) / (double) (middle - from);
  return middle == to ? at == middle : (double) (to - at) / (double) (to - middle);
}

/* Those of filter @i, a column. */
static void
write_filter (const double *numbers, gint64 i, gint64 n_bins, double *weights)
{
  gint64 n_filters = (gint64) numbers[N_FILTERS];
  gint64 from = find_edge (numbers, i), middle = find_edge (numbers, i + 1);
  gint64 to = find_edge (numbers, i + 2);

  for (gint64 at = 0; at < n_bins; at++)
    weights[at * n_filters + i] = get_weight (from, middle, to, at);
}

gboolean
tp_unroll_mel (TpUnroll *self, const TpNode *node, GError **error)
{
  gint64 onnx = tp_node_get_int (node, "output_datatype", 1), dims[2];
  TpTensor like = { .dtype = TPLAN_DTYPE_FLOAT32, .rank = 2, .dims = dims };
  double numbers[N_NUMBERS];
  g_autofree double *weights = NULL;

  if (!tp_dtype_find_onnx (onnx, &like.dtype))
    return tp_unroll_refuse (self, error, "output_datatype %" G_GINT64_FORMAT
                             " is not known", onnx);
  if (!read_numbers (self, numbers, error))
    return FALSE;
  dims[0] = (gint64) numbers[DFT_LENGTH] / 2 + 1;
  dims[1] = (gint64) numbers[N_FILTERS];
  if (!tp_unroll_take (self, 1 + dims[0] * dims[1] / WEIGHTS_AN_OP, "weights", error))
    return FALSE;
  weights = tp_new (double, dims[0] * dims[1]);
  for (gint64 i = 0; i < dims[1]; i++)
    write_filter (numbers, i, dims[0], weights);
  return tp_unroll_give_reals (self, node->outputs[0], &like, weights, error);
}
