/* byte-nests.h: sums of products of bytes less their zero points, for the tests of
 * schedules. */
#ifndef TP_TESTS_BYTE_NESTS_H
#define TP_TESTS_BYTE_NESTS_H

#include "nests.h"

typedef enum
{
  ZERO_NONE,
  ZERO_NUMBER,                /* a constant of the nest */
  ZERO_LOADED,
  ZERO_OF_AXIS,               /* one for each column, or row */
  N_ZEROS
} ZeroKind;

typedef struct
{
  TpDtype x, w;               /* int8 or uint8 */
  ZeroKind x_zero, w_zero;
  gboolean is_real;           /* sums are of reals */
  gboolean is_quantized;      /* scaled, rounded and stored as a byte; else int32 */
} ByteCase;

/* Turns what new_conv() or new_matmul() made, without prologue, epilogue and bias, into such
 * sums; takes and returns it. */
TpLowered *make_bytes (TpLowered *lowered, const ByteCase *c);
/* Any of both, by chance, that is none of another family's. */
TpLowered *draw_bytes (void);

#endif
