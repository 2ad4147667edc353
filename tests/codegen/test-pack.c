/* test-pack.c: packs against the nest walked point by point: what is copied, which
 * guards hold, what squares become, and that all else is zero, whole and in parts. */
#include "config.h"

#include "schedule/pack.h"

#include <string.h>

#define N_RANDOM 3000
#define MOST_AXES 5
#define MOST_EXTENT 9

typedef struct
{
  TpPack pack;
  gint64 n_from;              /* elements that it reads among */
  double matrix[TP_PACK_MAX_SIDE * TP_PACK_MAX_SIDE];
} Drawn;

/* Strides of an order of the axes that is drawn; returns the elements they span. */
static gint64
draw_strides (const TpNest *nest, gint64 step, gint64 *strides)
{
  int order[MOST_AXES];

  for (int i = 0; i < nest->n_axes; i++)
    {
      int at = g_test_rand_int_range (0, i + 1);

      order[i] = order[at];
      order[at] = i;
    }
  for (int i = 0; i < nest->n_axes; i++)
    {
      strides[order[i]] = step;
      step *= nest->axes[order[i]].extent + g_test_rand_int_range (0, 2);
    }
  return step;
}

/* Some always hold, some never, most at the ends. */
static void
draw_guards (TpNest *nest, TpAccess *load)
{
  load->n_guards = g_test_rand_int_range (0, 3);
  for (int i = 0; i < load->n_guards; i++)
    {
      load->guards[i] = (TpGuard){
        .offset = g_test_rand_int_range (-4, 6),
        .extent = g_test_rand_int_range (1, 30),
      };
      for (int k = 0; k < nest->n_axes; k++)
        load->guards[i].coef[k] = g_test_rand_int_range (-2, 4);
    }
}

static void
draw_square (Drawn *drawn)
{
  TpPackSquare *square = &drawn->pack.square;

  square->n_from = 3;
  square->n_to = g_test_rand_bit () ? 4 : 6;
  square->matrix = drawn->matrix;
  for (int i = 0; i < square->n_to * square->n_from; i++)
    drawn->matrix[i] = g_test_rand_double_range (-1, 1);
  square->from_stride[0] = drawn->n_from;
  square->from_stride[1] = drawn->n_from * square->n_from;
  drawn->n_from *= square->n_from * square->n_from;
  square->to_stride[0] = drawn->pack.n_elements;
  square->to_stride[1] = drawn->pack.n_elements * square->n_to;
  drawn->pack.n_elements *= square->n_to * square->n_to;
}

static void
draw_pack (Drawn *drawn)
{
  static const TpDtype dtypes[]
      = { TPLAN_DTYPE_FLOAT32, TPLAN_DTYPE_FLOAT16, TPLAN_DTYPE_BFLOAT16,
          TPLAN_DTYPE_UINT8, TPLAN_DTYPE_INT64 };
  TpDtype dtype = dtypes[g_test_rand_int_range (0, G_N_ELEMENTS (dtypes))];
  TpNest *nest = tp_nest_new ();
  int n = g_test_rand_int_range (0, MOST_AXES);
  TpAccess *load;

  for (int i = 0; i < n; i++)
    tp_nest_add_axis (nest, g_test_rand_int_range (1, MOST_EXTENT + 1), FALSE);
  load = tp_nest_add_load (nest, 0);
  load->dtype = nest->store.dtype = dtype;
  load->offset = g_test_rand_int_range (0, 3);
  nest->store.offset = g_test_rand_int_range (0, 3);
  *drawn = (Drawn){ .pack.nest = nest };
  drawn->n_from = load->offset + draw_strides (nest, 1, load->stride);
  drawn->pack.n_elements
      = nest->store.offset
        + draw_strides (nest, g_test_rand_int_range (1, 3), nest->store.stride);
  draw_guards (nest, load);
  nest->result = tp_nest_load (nest, 0);
  if (tp_dtype_is_integer (dtype))
    drawn->pack.dots.flip = dtype == TPLAN_DTYPE_UINT8 ? 0x80 : 0;
  else if (g_test_rand_bit ())
    {
      draw_square (drawn);
      nest->store.dtype = TPLAN_DTYPE_FLOAT32;
    }
}

/* ---- by points ----------------------------------------------------------- */

static gboolean
holds (const TpNest *nest, const gint64 *at)
{
  const TpAccess *load = &nest->loads[0];

  for (int i = 0; i < load->n_guards; i++)
    {
      gint64 value = load->guards[i].offset;

      for (int k = 0; k < nest->n_axes; k++)
        value += load->guards[i].coef[k] * at[k];
      if (value < 0 || value >= load->guards[i].extent)
        return FALSE;
    }
  return TRUE;
}

static double
get_from (const Drawn *drawn, const guint8 *src, gint64 at)
{
  TpDtype dtype = drawn->pack.nest->loads[0].dtype;
  double value;

  tp_dtype_load_doubles (dtype, src + at * (gint64) tp_dtype_get_size (dtype),
                         1, 1, &value);
  return value;
}

static void
expect_square (const Drawn *drawn, const guint8 *src, gint64 from, float *dst)
{
  const TpPackSquare *square = &drawn->pack.square;
  double half[TP_PACK_MAX_SIDE][TP_PACK_MAX_SIDE] = { { 0.0 } };

  for (int k = 0; k < 3; k++)
    for (int i = 0; i < square->n_to; i++)
      for (int j = 0; j < 3; j++)
        half[i][j] += square->matrix[i * 3 + k]
                      * get_from (drawn, src,
                                  from + k * square->from_stride[0]
                                      + j * square->from_stride[1]);
  for (int i = 0; i < square->n_to; i++)
    for (int j = 0; j < square->n_to; j++)
      {
        double sum = 0.0;

        for (int k = 0; k < 3; k++)
          sum += half[i][k] * square->matrix[j * 3 + k];
        dst[i * square->to_stride[0] + j * square->to_stride[1]] = (float) sum;
      }
}

static void
expect_point (const Drawn *drawn, const gint64 *at, const guint8 *src,
              guint8 *dst)
{
  const TpNest *nest = drawn->pack.nest;
  gsize size = tp_dtype_get_size (nest->store.dtype);
  gint64 from = nest->loads[0].offset, to = nest->store.offset;

  for (int i = 0; i < nest->n_axes; i++)
    {
      from += nest->loads[0].stride[i] * at[i];
      to += nest->store.stride[i] * at[i];
    }
  if (drawn->pack.square.n_from > 0)
    expect_square (drawn, src, from, (float *) (void *) dst + to);
  else
    for (gsize i = 0; i < size; i++)
      dst[to * size + i] = src[from * size + i] ^ drawn->pack.dots.flip;
}

static void
expect (const Drawn *drawn, const guint8 *src, guint8 *dst)
{
  const TpNest *nest = drawn->pack.nest;
  gint64 at[MOST_AXES] = { 0 };
  int axis;

  do
    {
      if (holds (nest, at))
        expect_point (drawn, at, src, dst);
      for (axis = nest->n_axes - 1; axis >= 0; axis--)
        {
          if (++at[axis] < nest->axes[axis].extent)
            break;
          at[axis] = 0;
        }
    }
  while (axis >= 0);
}

/* ---- tests --------------------------------------------------------------- */

static guint8 *
draw_bytes (const Drawn *drawn)
{
  TpDtype dtype = drawn->pack.nest->loads[0].dtype;
  gsize n = drawn->n_from * tp_dtype_get_size (dtype);
  guint8 *bytes = g_malloc (n + 1);

  for (gint64 i = 0; i < drawn->n_from; i++)
    {
      double value = g_test_rand_double_range (-100, 100);

      tp_dtype_store_doubles (dtype, &value, 1,
                              bytes + i * (gint64) tp_dtype_get_size (dtype));
    }
  return bytes;
}

/* The last ones first. */
static void
run_in_parts (const TpPack *pack, const void *src, void *dst)
{
  gint64 n = tp_pack_count_rows (pack);
  gint64 part = g_test_rand_int_range (1, 9);

  tp_pack_begin (pack, dst);
  for (gint64 first = (n - 1) / part * part; first >= 0; first -= part)
    tp_pack_run_rows (pack, src, dst, first, MIN (first + part, n));
  tp_pack_end (pack, dst);
}

static void
test_random (void)
{
  int n_squares = 0, n_guarded = 0;

  for (int i = 0; i < N_RANDOM; i++)
    {
      Drawn drawn;
      g_autofree guint8 *src = NULL, *whole = NULL, *parts = NULL;
      g_autofree guint8 *expected = NULL;
      gsize size;

      draw_pack (&drawn);
      n_squares += drawn.pack.square.n_from > 0;
      n_guarded += drawn.pack.nest->loads[0].n_guards > 0;
      src = draw_bytes (&drawn);
      size = tp_pack_get_bytes (&drawn.pack);
      expected = g_malloc0 (size);
      whole = g_malloc (size);
      parts = g_malloc (size);
      memset (whole, 0xAA, size);
      memset (parts, 0x55, size);
      expect (&drawn, src, expected);
      tp_pack_run (&drawn.pack, src, whole);
      run_in_parts (&drawn.pack, src, parts);
      g_assert_cmpmem (whole, size, expected, size);
      g_assert_cmpmem (parts, size, expected, size);
      tp_nest_free (drawn.pack.nest);
    }
  g_assert_cmpint (n_squares, >, N_RANDOM / 10);
  g_assert_cmpint (n_guarded, >, N_RANDOM / 3);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/pack/random", test_random);
  return g_test_run ();
}
