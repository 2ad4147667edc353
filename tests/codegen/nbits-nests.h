/* nbits-nests.h: products with weights of few bits, several to a byte, which have a
 * scale and a zero point per block of them. */
#ifndef TP_TESTS_NBITS_NESTS_H
#define TP_TESTS_NBITS_NESTS_H

#include "nest/nest.h"

typedef struct
{
  gint64 batch, rows, k, columns;
  int bits, block;            /* 2, 4 or 8; weights of a block, whole bytes */
  gboolean has_zeros;         /* else the middle */
  gboolean has_bias;
  gboolean is_made_first;     /* weights in scratch, by nests of their own; a block
                               * must divide k */
  gboolean is_computed;       /* bytes are no constant */
  gboolean is_rounded;        /* x is int8, of a scale for each block */
} NbitsCase;

/* @data: an NbitsCase. */
TpLowered *new_nbits (gconstpointer data);
/* One by chance. */
TpLowered *draw_nbits (void);
TpLowered *draw_made_nbits (void);
TpLowered *draw_rounded_nbits (void);

#endif
