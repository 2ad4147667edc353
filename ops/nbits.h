/* nbits.h: how MatMulNBits packs its weights, and what it gives. */
#ifndef TP_OPS_NBITS_H
#define TP_OPS_NBITS_H

#include "ir/op.h"

/* The accuracy_level that lets x be rounded to 8 bits. */
#define TP_NBITS_ROUNDED 4

enum { TP_NBITS_X, TP_NBITS_Q, TP_NBITS_SCALES, TP_NBITS_ZEROS }; /* inputs */

typedef struct
{
  gint64 n, k;
  gint64 block, n_blocks;     /* values in each, blocks in a row */
  int bits, per_byte;
  gint64 n_bytes;             /* of a block */
  gboolean is_rounded;        /* x is rounded to 8 bits */
} TpNbits;

TpNbits tp_nbits_of (const TpNode *node);
void tp_nbits_reference (const TpNode *node, const TpRefTensor *const *inputs,
                         TpRefTensor *outputs);

#endif
