/* nbits.c: the layout of MatMulNBits and its reference. */
#include "config.h"

#include "ops/nbits.h"

#include "ir/guard.h"
#include "ops/op-quantize.h"

#include <math.h>
#include <string.h>

TpNbits
tp_nbits_of (const TpNode *node)
{
  TpNbits it = { .n = tp_node_get_int (node, "N", 0),
                 .k = tp_node_get_int (node, "K", 0),
                 .block = tp_node_get_int (node, "block_size", 0),
                 .bits = (int) CLAMP (tp_node_get_int (node, "bits", 4), 0, 64),
                 .is_rounded = tp_node_get_int (node, "accuracy_level", 0)
                               == TP_NBITS_ROUNDED };

  if (it.block > 0 && it.bits > 0 && it.k > 0)
    {
      it.per_byte = 8 / it.bits;
      it.n_blocks = (it.k - 1) / it.block + 1;
      it.n_bytes = it.per_byte > 0 ? it.block / it.per_byte : 0;
    }
  return it;
}

/* ---- reference ------------------------------------------------------------ */

/* @row of x in blocks: each step in its type, where the halves come from that are
 * rounded. */
static void
round_row (double *row, const TpNbits *it, TpDtype dtype)
{
  for (gint64 first = 0; first < it->k; first += it->block)
    {
      gint64 end = MIN (it->k, first + it->block);
      double most = 0.0, step;

      for (gint64 k = first; k < end; k++)
        {
          row[k] = tp_quantize_round (row[k], dtype);
          most = fmax (most, fabs (row[k]));
        }
      step = tp_quantize_round (most / G_MAXINT8, dtype);
      for (gint64 k = first; k < end; k++)
        row[k] = most / G_MAXINT8
                 * tp_quantize_number (tp_quantize_round (row[k] / step, dtype),
                                       0.0, TPLAN_DTYPE_INT8);
    }
}

void
tp_nbits_reference (const TpNode *node, const TpRefTensor *const *inputs,
                    TpRefTensor *outputs)
{
  const double *bytes = inputs[TP_NBITS_Q]->data;
  const double *scales = inputs[TP_NBITS_SCALES]->data;
  const double *zeros = tp_node_has_input (node, TP_NBITS_ZEROS)
                            ? inputs[TP_NBITS_ZEROS]->data
                            : NULL;
  TpNbits it = tp_nbits_of (node);
  g_autofree double *row = tp_new (double, it.k);
  gint64 n_rows = inputs[TP_NBITS_X]->count / it.k;
  g_autofree double *x = tp_new (double, inputs[TP_NBITS_X]->count);

  memcpy (x, inputs[TP_NBITS_X]->data, inputs[TP_NBITS_X]->count * sizeof *x);
  for (gint64 m = 0; m < n_rows && it.is_rounded; m++)
    round_row (x + m * it.k, &it, inputs[TP_NBITS_X]->dtype);
  for (gint64 n = 0; n < it.n; n++)
    {
      for (gint64 k = 0; k < it.k; k++)
        {
          gint64 block = n * it.n_blocks + k / it.block;
          gint64 place = k % it.block;
          int byte = (int) bytes[block * it.n_bytes + place / it.per_byte];
          int q = byte >> place % it.per_byte * it.bits & ((1 << it.bits) - 1);
          double zero = zeros == NULL ? 1 << (it.bits - 1) : zeros[block];

          row[k] = (q - zero) * scales[block];
        }
      for (gint64 m = 0; m < n_rows; m++)
        {
          double sum = 0.0;

          for (gint64 k = 0; k < it.k; k++)
            sum += x[m * it.k + k] * row[k];
          outputs[0].data[m * it.n + n] = sum;
        }
    }
}
