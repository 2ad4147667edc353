/* narrow.h: integers of less than a byte and reals of a byte or less. They are none of our
 * element types: each of their values is one of such a type, and what rounds to them gives
 * that. */
#ifndef TP_IR_NARROW_H
#define TP_IR_NARROW_H

#include "ir/dtype.h"

/* What reals there are besides numbers. */
typedef enum
{
  TP_NARROW_NUMBERS,     /* nothing */
  TP_NARROW_ONE_NAN,     /* all bits but the sign set */
  TP_NARROW_MINUS_NAN,   /* the sign alone set */
  TP_NARROW_IEEE,        /* infinities and NaN have the greatest exponent */
  TP_NARROW_ALL_BITS,    /* of powers of two without a sign: all bits set are NaN */
} TpNarrowSpecial;

typedef struct
{
  gint64 onnx;                /* TensorProto.DataType */
  TpDtype dtype;              /* has all its values: of a byte, or bfloat16 */
  int bits;
  int mantissa, bias;         /* of reals alone */
  TpNarrowSpecial special;
  double low, high;           /* the least and the greatest number */
} TpNarrow;

/* NULL: @number is none. */
const TpNarrow *tp_narrow_find_onnx (gint64 number);
/* The number that the bits of @code stand for. */
double tp_narrow_get_value (const TpNarrow *narrow, int code);

/* Whether anything is rounded to it: integers, and reals with a sign. */
gboolean tp_narrow_is_target (const TpNarrow *narrow);
/* Of reals: the least exponent of those that have all digits, and how many there are. */
int tp_narrow_get_least_exponent (const TpNarrow *narrow);
int tp_narrow_count_exponents (const TpNarrow *narrow);
/* What becomes of a real above the greatest number. */
double tp_narrow_get_overflow (const TpNarrow *narrow, gboolean saturates);
/* The nearest real, ties to even; NaN stays NaN, and is 0 where there is none. */
double tp_narrow_round (const TpNarrow *narrow, double value, gboolean saturates);

#endif
