/* dtype.c: the table of element types, and what follows from a row of it. To
 * add one: its number in tplan.h, a row, and the two codecs. A
 * real narrower than float32 also needs its conversion in the readers of kernel
 * IR (kernel/jit-llvm-narrow.c, kernel/kernel-opencl-preamble.c); an integer does
 * not. */
#include "config.h"

#include "ir/dtype.h"

#include "ir/narrow-real.h"

#include <float.h>
#include <math.h>
#include <string.h>

#define BLOCK 512 /* elements converted at a time */

/* ---- codecs -------------------------------------------------------------- */

/* memcpy, as files are mapped where they lie. */
#define LOAD(NAME, TYPE, WIDE, VALUE)                                         \
  static void NAME (const void *src, gint64 step, gint64 n, WIDE *dst)        \
  {                                                                           \
    const char *at = src;                                                     \
    TYPE value;                                                               \
                                                                              \
    for (gint64 i = 0; i < n; i++, at += step * (gint64) sizeof value)        \
      {                                                                       \
        memcpy (&value, at, sizeof value);                                    \
        dst[i] = VALUE;                                                       \
      }                                                                       \
  }

#define STORE(NAME, TYPE, WIDE, VALUE)                                        \
  static void NAME (const WIDE *src, gint64 n, gint64 step, void *dst)        \
  {                                                                           \
    char *at = dst;                                                           \
                                                                              \
    for (gint64 i = 0; i < n; i++, at += step * (gint64) sizeof (TYPE))       \
      {                                                                       \
        TYPE value = (TYPE) (VALUE);                                          \
                                                                              \
        memcpy (at, &value, sizeof value);                                    \
      }                                                                       \
  }

LOAD (load_float32, float, double, value)
STORE (store_float32, float, double, src[i])
LOAD (load_float64, double, double, value)
STORE (store_float64, double, double, src[i])
LOAD (load_float16, guint16, double,
      tp_narrow_real_widen (value, TP_FLOAT16_DIGITS))
STORE (store_float16, guint16, double,
       tp_narrow_real_round (src[i], TP_FLOAT16_DIGITS))
LOAD (load_bfloat16, guint16, double,
      tp_narrow_real_widen (value, TP_BFLOAT16_DIGITS))
STORE (store_bfloat16, guint16, double,
       tp_narrow_real_round (src[i], TP_BFLOAT16_DIGITS))
LOAD (load_int64, gint64, gint64, value)
STORE (store_int64, gint64, gint64, src[i])
LOAD (load_int32, gint32, gint64, value)
STORE (store_int32, gint32, gint64, src[i])
LOAD (load_int16, gint16, gint64, value)
STORE (store_int16, gint16, gint64, src[i])
LOAD (load_int8, gint8, gint64, value)
STORE (store_int8, gint8, gint64, src[i])
LOAD (load_uint32, guint32, gint64, value)
STORE (store_uint32, guint32, gint64, src[i])
LOAD (load_uint16, guint16, gint64, value)
STORE (store_uint16, guint16, gint64, src[i])
LOAD (load_uint8, guint8, gint64, value)
STORE (store_uint8, guint8, gint64, src[i])
STORE (store_bool, guint8, gint64, src[i] != 0)

/* ---- the table ----------------------------------------------------------- */

#define REALS(LOAD_THEM, STORE_THEM)                                          \
  .class = TP_CLASS_REAL, .load_reals = LOAD_THEM, .store_reals = STORE_THEM
#define INTEGERS(CLASS, LOAD_THEM, STORE_THEM)                                \
  .class = CLASS, .compute = TP_COMPUTE_INT64, .load_integers = LOAD_THEM,    \
  .store_integers = STORE_THEM

static const TpDtypeRow rows[] = {
  [TPLAN_DTYPE_FLOAT32] = { .name = "float32", .size = 4,
    REALS (load_float32, store_float32), .compute = TP_COMPUTE_FLOAT32,
    .least_normal = FLT_MIN, .rounding = FLT_EPSILON / 2,
    .onnx = 1, .npy = "<f4", .safetensors = "F32", .opencl = "float" },
  [TPLAN_DTYPE_FLOAT64] = { .name = "float64", .size = 8,
    REALS (load_float64, store_float64), .compute = TP_COMPUTE_FLOAT64,
    .least_normal = DBL_MIN, .rounding = DBL_EPSILON / 2,
    .onnx = 11, .npy = "<f8", .safetensors = "F64", .opencl = "double" },
  [TPLAN_DTYPE_INT64] = { .name = "int64", .size = 8,
    INTEGERS (TP_CLASS_INTEGER, load_int64, store_int64), .is_index = TRUE,
    .low = G_MININT64, .high = G_MAXINT64,
    .onnx = 7, .npy = "<i8", .safetensors = "I64", .opencl = "long" },
  [TPLAN_DTYPE_INT32] = { .name = "int32", .size = 4,
    INTEGERS (TP_CLASS_INTEGER, load_int32, store_int32), .is_index = TRUE,
    .low = G_MININT32, .high = G_MAXINT32,
    .onnx = 6, .npy = "<i4", .safetensors = "I32", .opencl = "int" },
  [TPLAN_DTYPE_UINT8] = { .name = "uint8", .size = 1,
    INTEGERS (TP_CLASS_INTEGER, load_uint8, store_uint8),
    .low = 0, .high = G_MAXUINT8,
    .onnx = 2, .npy = "|u1", .safetensors = "U8", .opencl = "uchar" },
  [TPLAN_DTYPE_BOOL] = { .name = "bool", .size = 1,
    INTEGERS (TP_CLASS_BOOL, load_uint8, store_bool),
    .low = 0, .high = G_MAXUINT8,
    .onnx = 9, .npy = "|b1", .safetensors = "BOOL", .opencl = "uchar" },
  [TPLAN_DTYPE_FLOAT16] = { .name = "float16", .size = 2,
    REALS (load_float16, store_float16), .compute = TP_COMPUTE_FLOAT32,
    .least_normal = 0x1p-14, .rounding = 0x1p-11,
    .onnx = 10, .npy = "<f2", .safetensors = "F16", .opencl = "ushort" },
  [TPLAN_DTYPE_BFLOAT16] = { .name = "bfloat16", .size = 2,
    REALS (load_bfloat16, store_bfloat16), .compute = TP_COMPUTE_FLOAT32,
    .least_normal = FLT_MIN, .rounding = 0x1p-8,
    .onnx = 16, .npy = "<V2", .safetensors = "BF16", .opencl = "ushort" },
  [TPLAN_DTYPE_INT8] = { .name = "int8", .size = 1,
    INTEGERS (TP_CLASS_INTEGER, load_int8, store_int8),
    .low = G_MININT8, .high = G_MAXINT8,
    .onnx = 3, .npy = "|i1", .safetensors = "I8", .opencl = "char" },
  [TPLAN_DTYPE_INT16] = { .name = "int16", .size = 2,
    INTEGERS (TP_CLASS_INTEGER, load_int16, store_int16),
    .low = G_MININT16, .high = G_MAXINT16,
    .onnx = 5, .npy = "<i2", .safetensors = "I16", .opencl = "short" },
  [TPLAN_DTYPE_UINT16] = { .name = "uint16", .size = 2,
    INTEGERS (TP_CLASS_INTEGER, load_uint16, store_uint16),
    .low = 0, .high = G_MAXUINT16,
    .onnx = 4, .npy = "<u2", .safetensors = "U16", .opencl = "ushort" },
  [TPLAN_DTYPE_UINT32] = { .name = "uint32", .size = 4,
    INTEGERS (TP_CLASS_INTEGER, load_uint32, store_uint32),
    .low = 0, .high = G_MAXUINT32,
    .onnx = 12, .npy = "<u4", .safetensors = "U32", .opencl = "uint" },
};

int
tp_dtype_count (void)
{
  return G_N_ELEMENTS (rows);
}

const TpDtypeRow *
tp_dtype_get (TpDtype dtype)
{
  g_assert (dtype < G_N_ELEMENTS (rows));
  return &rows[dtype];
}

gboolean
tp_dtype_find (const char *name, TpDtype *out_dtype)
{
  for (int i = 0; i < tp_dtype_count (); i++)
    if (strcmp (rows[i].name, name) == 0)
      {
        *out_dtype = i;
        return TRUE;
      }
  return FALSE;
}

gboolean
tp_dtype_find_onnx (gint64 number, TpDtype *out_dtype)
{
  for (int i = 0; i < tp_dtype_count (); i++)
    if (rows[i].onnx == number)
      {
        *out_dtype = i;
        return TRUE;
      }
  return FALSE;
}

/* ---- what follows from a row --------------------------------------------- */

const char *
tp_dtype_get_name (TpDtype dtype)
{
  return tp_dtype_get (dtype)->name;
}

gsize
tp_dtype_get_size (TpDtype dtype)
{
  return tp_dtype_get (dtype)->size;
}

gboolean
tp_dtype_is_integer (TpDtype dtype)
{
  return tp_dtype_get (dtype)->class != TP_CLASS_REAL;
}

TpDtype
tp_dtype_get_computed (TpDtype dtype)
{
  static const TpDtype dtypes[] = { [TP_COMPUTE_FLOAT32] = TPLAN_DTYPE_FLOAT32,
                                    [TP_COMPUTE_FLOAT64] = TPLAN_DTYPE_FLOAT64,
                                    [TP_COMPUTE_INT64] = TPLAN_DTYPE_INT64 };

  return dtypes[tp_dtype_get (dtype)->compute];
}

gboolean
tp_dtype_holds_results (TpDtype dtype)
{
  return tp_dtype_get_size (dtype)
         == tp_dtype_get_size (tp_dtype_get_computed (dtype));
}

gboolean
tp_dtype_hands_on (TpDtype dtype)
{
  const TpDtypeRow *row = tp_dtype_get (dtype);

  return row->class != TP_CLASS_INTEGER || tp_dtype_holds_results (dtype);
}

char *
tp_dtype_join_names (const char *(*get_name) (TpDtype dtype), const char *last)
{
  GString *text = g_string_new (get_name (0));
  int n = tp_dtype_count ();

  while (get_name (n - 1) == NULL)
    n--;
  for (int i = 1; i < n; i++)
    if (get_name (i) != NULL)
      g_string_append_printf (text, "%s%s", i < n - 1 ? ", " : last,
                              get_name (i));
  return g_string_free (text, FALSE);
}

void
tp_dtype_load_doubles (TpDtype dtype, const void *src, gint64 step, gint64 n,
                       double *dst)
{
  const TpDtypeRow *row = tp_dtype_get (dtype);
  const char *from = src;
  gint64 block[BLOCK];

  if (row->class == TP_CLASS_REAL)
    {
      row->load_reals (src, step, n, dst);
      return;
    }
  for (gint64 i = 0; i < n; i += BLOCK)
    {
      gint64 m = MIN (BLOCK, n - i);

      row->load_integers (from + i * step * (gint64) row->size, step, m, block);
      for (gint64 j = 0; j < m; j++)
        dst[i + j] = (double) block[j];
    }
}

/* memcpy, again; of a size that the compiler knows. */
#define COPY(TYPE)                                                            \
  case sizeof (TYPE):                                                         \
    for (gint64 i = 0; i < copy->n; i++)                                      \
      memcpy (to + i * to_step, from + i * from_step, sizeof (TYPE));         \
    break

void
tp_dtype_copy (TpDtype dtype, const TpElementCopy *copy)
{
  const char *from = copy->src;
  char *to = copy->dst;
  gint64 size = (gint64) tp_dtype_get_size (dtype);
  gint64 from_step = copy->src_step * size, to_step = copy->dst_step * size;

  switch (size)
    {
      COPY (guint8);
      COPY (guint16);
      COPY (guint32);
      COPY (guint64);
    default:
      g_assert_not_reached ();
    }
}

static gint64
to_integer (const TpDtypeRow *row, double value)
{
  if (row->class == TP_CLASS_BOOL)
    return value != 0.0;
  if (isnan (value))
    return 0;
  if (value <= (double) row->low)
    return row->low;
  return value >= (double) row->high ? row->high : (gint64) value;
}

void
tp_dtype_store_doubles (TpDtype dtype, const double *src, gint64 n, void *dst)
{
  const TpDtypeRow *row = tp_dtype_get (dtype);
  gint64 block[BLOCK];

  if (row->class == TP_CLASS_REAL)
    {
      row->store_reals (src, n, 1, dst);
      return;
    }
  for (gint64 i = 0; i < n; i += BLOCK)
    {
      gint64 m = MIN (BLOCK, n - i);

      for (gint64 j = 0; j < m; j++)
        block[j] = to_integer (row, src[i + j]);
      row->store_integers (block, m, 1, (char *) dst + i * (gint64) row->size);
    }
}

gint64
tp_dtype_wrap (TpDtype dtype, gint64 value)
{
  const TpDtypeRow *row = tp_dtype_get (dtype);
  gint64 memory = 0;

  row->store_integers (&value, 1, 1, &memory);
  row->load_integers (&memory, 1, 1, &value);
  return value;
}

void
tp_dtype_round (TpDtype dtype, double *values, gint64 n)
{
  const TpDtypeRow *row = tp_dtype_get (dtype);
  double memory[BLOCK];

  for (gint64 i = 0; row->class == TP_CLASS_REAL && i < n; i += BLOCK)
    {
      gint64 m = MIN (BLOCK, n - i);

      row->store_reals (values + i, m, 1, memory);
      row->load_reals (memory, 1, m, values + i);
    }
}
