/* test-strided.c: elements of every type to doubles and back, in any order. */
#include "config.h"

#include "nest/nest-expr.h"
#include "nest/nest.h"
#include "runtime/strided.h"

#include <math.h>
#include <string.h>

#define N 6

/* 2 x 3, the second with its columns together. */
static const gint64 strides[][2] = { { 3, 1 }, { 1, 2 } };

static TpTensor
make_tensor (TpDtype dtype, const gint64 *its_strides)
{
  static const gint64 dims[] = { 2, 3 };

  return (TpTensor){ .dtype = dtype,
                     .rank = 2,
                     .dims = dims,
                     .strides = its_strides,
                     .count = N,
                     .size_bytes = N * (gint64) tp_dtype_get_size (dtype) };
}

/* What a kernel stores for @value. */
static double
store (TpDtype dtype, double value)
{
  gint64 integer = tp_real_to_integer (value);

  switch (dtype)
    {
    case TPLAN_DTYPE_FLOAT32:
      return (float) value;
    case TPLAN_DTYPE_FLOAT64:
      return value;
    case TPLAN_DTYPE_INT64:
      return (double) integer;
    case TPLAN_DTYPE_INT32:
      return (gint32) integer;
    case TPLAN_DTYPE_UINT8:
      return (guint8) integer;
    case TPLAN_DTYPE_FLOAT16:
    case TPLAN_DTYPE_BFLOAT16:
      tp_dtype_round (dtype, &value, 1);
      return value;
    case TPLAN_DTYPE_INT8:
      return (gint8) integer;
    case TPLAN_DTYPE_INT16:
      return (gint16) integer;
    case TPLAN_DTYPE_UINT16:
      return (guint16) integer;
    case TPLAN_DTYPE_UINT32:
      return (guint32) integer;
    default:
      return value != 0;
    }
}

static void
test_dtypes (void)
{
  static const double values[][N] = {
    { 0, 1, 2, 3, 4, 5 },
    { -1, 255, 256, -0.0, 0.5, -2.9 },
    { 4294967297.0, -2147483649.0, 1e30, -1e30, NAN, INFINITY },
  };
  char storage[N * sizeof (double)];
  double back[N];

  for (int dtype = 0; dtype < tp_dtype_count (); dtype++)
    for (int order = 0; order < 2; order++)
      for (guint i = 0; i < G_N_ELEMENTS (values); i++)
        {
          TpTensor tensor = make_tensor (dtype, strides[order]);

          tp_strided_from_doubles (&tensor, values[i], storage);
          tp_strided_to_doubles (&tensor, storage, back);
          for (int j = 0; j < N; j++)
            {
              double expected = store (dtype, values[i][j]);

              g_assert_true (back[j] == expected
                             || (isnan (back[j]) && isnan (expected)));
            }
        }
}

static void
test_scatter (void)
{
  TpTensor tensor = make_tensor (TPLAN_DTYPE_UINT8, strides[1]);
  const guint8 rows[N] = { 1, 2, 3, 4, 5, 6 };
  const guint8 expected[N] = { 1, 4, 2, 5, 3, 6 };
  guint8 storage[N];

  g_assert_false (tp_tensor_is_row_major (&tensor));
  tp_strided_scatter (&tensor, rows, storage);
  g_assert_cmpmem (storage, N, expected, N);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/strided/dtypes", test_dtypes);
  g_test_add_func ("/strided/scatter", test_scatter);
  return g_test_run ();
}
