/* dtype.h: element types. A row for each holds all that anybody asks of one, so
 * that nobody else has a list of them. */
#ifndef TP_IR_DTYPE_H
#define TP_IR_DTYPE_H

#include <glib.h>

#include "include/tplan.h"

typedef TplanDtype TpDtype;

typedef enum
{
  TP_CLASS_REAL,
  TP_CLASS_INTEGER,
  TP_CLASS_BOOL,              /* a byte, 0 or 1; an integer to kernels */
} TpDtypeClass;

/* What kernels hold an element in between load and store. */
typedef enum
{
  TP_COMPUTE_FLOAT32,
  TP_COMPUTE_FLOAT64,         /* where the device has it */
  TP_COMPUTE_INT64,           /* exact, wrapped when stored */
  TP_N_COMPUTES,
} TpDtypeCompute;

/* The names in formats stand here too: whoever adds a type must think of each
 * format once, and a format that looks them up has no list to fall behind.
 * Elements go to and from the widest type of their class, which loses nothing;
 * @step is the distance between two of them in elements, memory need not be
 * aligned. */
typedef struct
{
  const char *name;           /* in graphs, plans and messages; never changes */
  gsize size;                 /* bytes per element */
  TpDtypeClass class;
  TpDtypeCompute compute;
  gboolean is_index;          /* ONNX's ops take it where they pick elements */
  gint64 low, high;           /* memory holds these integers; reals: 0 */
  double least_normal;        /* what is nearer to 0 has fewer digits; integers: 0 */
  double rounding;            /* half a unit in the last place of 1; integers: 0 */
  gint64 onnx;                /* TensorProto.DataType */
  const char *npy;            /* descr; bfloat16 as the package ml_dtypes saves it */
  const char *safetensors;
  const char *opencl;         /* of an element in memory; of narrow reals its bits */

  /* Reals, the nearest; NULL for others. */
  void (*load_reals) (const void *src, gint64 step, gint64 n, double *dst);
  void (*store_reals) (const double *src, gint64 n, gint64 step, void *dst);
  /* Integers, wrapped to the width, and bools, 1 for all but 0; NULL for
   * reals. */
  void (*load_integers) (const void *src, gint64 step, gint64 n, gint64 *dst);
  void (*store_integers) (const gint64 *src, gint64 n, gint64 step, void *dst);
} TpDtypeRow;

int tp_dtype_count (void);    /* they are numbered from 0 */
const TpDtypeRow *tp_dtype_get (TpDtype dtype);
gboolean tp_dtype_find (const char *name, TpDtype *out_dtype);
gboolean tp_dtype_find_onnx (gint64 number, TpDtype *out_dtype);

/* Fields asked for often. */
const char *tp_dtype_get_name (TpDtype dtype);
gsize tp_dtype_get_size (TpDtype dtype);
gboolean tp_dtype_is_integer (TpDtype dtype);        /* bool is */
/* Float32, float64 or int64: what holds as it is what kernels compute of @dtype. */
TpDtype tp_dtype_get_computed (TpDtype dtype);
/* Whether memory holds what kernels compute as it is: what goes through memory
 * is then what is handed on. */
gboolean tp_dtype_holds_results (TpDtype dtype);
/* Whether kernels may hand on what they compute without memory in between: those
 * are the same values, but for the rounding of narrow reals, which is left out. The
 * other integers would wrap. */
gboolean tp_dtype_hands_on (TpDtype dtype);

/* "float32, float64 or bool": all types, by the name that @get_name knows them
 * by (NULL: it leaves that one out); @last stands before the last. */
char *tp_dtype_join_names (const char *(*get_name) (TpDtype dtype),
                           const char *last);

/* Elements of any class as doubles; int64 beyond 2^53 is rounded. */
void tp_dtype_load_doubles (TpDtype dtype, const void *src, gint64 step,
                            gint64 n, double *dst);
/* Elements of any class, copied as they are. */
typedef struct
{
  const void *src;            /* at any address, as @dst */
  void *dst;
  gint64 src_step, dst_step;  /* elements, from one to the next */
  gint64 n;
} TpElementCopy;

void tp_dtype_copy (TpDtype dtype, const TpElementCopy *copy);
/* Doubles as values: the nearest real; integers are cut towards zero and held
 * to their range, NaN becomes 0; booleans become 0 or 1. */
void tp_dtype_store_doubles (TpDtype dtype, const double *src, gint64 n,
                             void *dst);

/* What memory holds once @value was stored. */
gint64 tp_dtype_wrap (TpDtype dtype, gint64 value);
/* Reals: what memory holds once each of @values was stored. Others stay. */
void tp_dtype_round (TpDtype dtype, double *values, gint64 n);

#endif
