/* test-nbits.c: MatMulNBits on each device against its formula in double: all widths,
 * blocks that K does not fill, columns that fill no vector, few and many rows, x as it is and rounded to 8 bits. */
#include "config.h"

#include "plan-on.h"

#include <math.h>

#define MOST_ROWS 40
#define MOST_K 150
#define MOST_COLUMNS 90

typedef struct
{
  int rows, k, columns, bits, block;
  gboolean has_zeros, is_half, is_rounded;
  int n_blocks;               /* of a column */
} Shape;

typedef struct
{
  Shape shape;
  float x[MOST_ROWS * MOST_K], y[MOST_ROWS * MOST_COLUMNS];
  guint8 *bytes, *zeros;      /* of rows of whole bytes each */
  double *scales;
} Case;

static int
pick (int low, int high)
{
  return g_test_rand_int_range (low, high + 1);
}

static Shape
draw_shape (void)
{
  Shape shape = { .rows = pick (0, 1) ? pick (1, 8) : pick (9, MOST_ROWS),
                  .k = pick (1, MOST_K),
                  .columns = pick (1, MOST_COLUMNS),
                  .bits = 1 << pick (1, 3),
                  .block = 16 << pick (0, 1),
                  .has_zeros = pick (0, 1),
                  .is_half = pick (0, 3) == 0,
                  .is_rounded = pick (0, 1) };

  if (pick (0, 1))
    shape.k = (shape.k + shape.block - 1) / shape.block * shape.block;
  shape.k = MIN (shape.k, MOST_K);
  shape.n_blocks = (shape.k + shape.block - 1) / shape.block;
  return shape;
}

/* ---- packed values --------------------------------------------------------- */

static int
count_bytes (const Shape *shape, int values)
{
  return (values * shape->bits + 7) / 8;
}

static int
take (const Shape *shape, const guint8 *row, int i)
{
  int at = i * shape->bits;

  return row[at / 8] >> at % 8 & ((1 << shape->bits) - 1);
}

static guint8 *
draw_bytes (int n, GString *text)
{
  guint8 *bytes = g_new (guint8, n);

  for (int i = 0; i < n; i++)
    {
      bytes[i] = (guint8) pick (0, 255);
      g_string_append_printf (text, "%s%d", i > 0 ? ", " : "", bytes[i]);
    }
  return bytes;
}

/* ---- the model ------------------------------------------------------------- */

/* Draws constants; they are exact in float16, too. */
static char *
write_model (Case *it)
{
  const Shape *shape = &it->shape;
  const char *real = shape->is_half ? "float16" : "float32";
  int n = shape->columns * shape->n_blocks;
  int n_zeros = shape->columns * count_bytes (shape, shape->n_blocks);
  g_autoptr (GString) bytes = g_string_new (NULL);
  g_autoptr (GString) zeros = g_string_new (NULL);
  g_autoptr (GString) scales = g_string_new (NULL);

  it->bytes = draw_bytes (n * count_bytes (shape, shape->block), bytes);
  it->zeros = draw_bytes (n_zeros, zeros);
  it->scales = g_new (double, n);
  for (int i = 0; i < n; i++)
    {
      it->scales[i] = pick (-64, 64) / 128.0;
      g_string_append_printf (scales, "%s%.9g", i > 0 ? ", " : "",
                              it->scales[i]);
    }
  return g_strdup_printf (
      "{'format': 'tplan-graph/1', 'opset': 17, 'inputs': [{'name': 'x', "
      "'shape': [%d, %d]}], 'initializers': [{'name': 'w', 'dtype': 'uint8', "
      "'shape': [%d, %d, %d], 'data': [%s]}, {'name': 'z', 'dtype': 'uint8', "
      "'shape': [%d], 'data': [%s]}, {'name': 's', 'dtype': '%s', 'shape': "
      "[%d], 'data': [%s]}], 'ops': [{'type': 'CastLike', 'inputs': ['x', "
      "'s'], 'outputs': ['r']}, {'type': 'com.microsoft.MatMulNBits', "
      "'inputs': ['r', 'w', 's'%s], 'outputs': ['p'], 'attrs': {'K': %d, 'N': "
      "%d, 'bits': %d, 'block_size': %d, 'accuracy_level': %d}}, {'type': 'CastLike', 'inputs': "
      "['p', 'x'], 'outputs': ['y']}], 'outputs': ['y']}",
      shape->rows, shape->k, shape->columns, shape->n_blocks,
      count_bytes (shape, shape->block), bytes->str, n_zeros, zeros->str, real,
      n, scales->str, shape->has_zeros ? ", 'z'" : "", shape->k, shape->columns,
      shape->bits, shape->block, shape->is_rounded ? 4 : 1);
}

static void
case_clear (Case *it)
{
  g_free (it->bytes);
  g_free (it->zeros);
  g_free (it->scales);
}

/* ---- the oracle ------------------------------------------------------------ */

static double
weight_at (const Case *it, int column, int k)
{
  const Shape *shape = &it->shape;
  int block = k / shape->block;
  const guint8 *row = it->bytes
                      + (column * shape->n_blocks + block)
                            * count_bytes (shape, shape->block);
  const guint8 *zeros
      = it->zeros + column * count_bytes (shape, shape->n_blocks);
  int zero = shape->has_zeros ? take (shape, zeros, block)
                              : 1 << (shape->bits - 1);

  return (take (shape, row, k % shape->block) - zero)
         * it->scales[column * shape->n_blocks + block];
}

/* The step of x in the block of @k. */
static double
step_at (const Shape *shape, const float *x, int k)
{
  int first = k / shape->block * shape->block;
  double most = 0.0;

  for (int i = first; i < MIN (shape->k, first + shape->block); i++)
    most = fmax (most, fabs (x[i]));
  return most / 127.0;
}

/* Where x is rounded, it is half a step off at most. Rounding errors are parts of what is added up: of q and zero apart, which is up to
 * two steps of a byte times x; float16 rounds the result. */
static void
check_result (const Case *it)
{
  const Shape *shape = &it->shape;

  for (int i = 0; i < shape->rows * shape->columns; i++)
    {
      const float *x = it->x + i / shape->columns * shape->k;
      double sum = 0.0, size = 0.0, off = 0.0;

      for (int k = 0; k < shape->k; k++)
        {
          double weight = weight_at (it, i % shape->columns, k);

          sum += x[k] * weight;
          if (shape->is_rounded)
            off += step_at (shape, x, k) / 2 * fabs (weight);
          size += fabs (x[k]) * (1 << shape->bits) / 2;
        }
      size = size * 1e-6 + (shape->is_half ? fabs (sum) / 2048 + 1e-7 : 0.0);
      g_assert_cmpfloat_with_epsilon (it->y[i], sum, size + off + 1e-12);
    }
}

static gboolean
check_case (const char *device)
{
  Case it = { .shape = draw_shape () };
  g_autofree char *model = g_strdelimit (write_model (&it), "'", '"');
  g_autoptr (TplanPlan) plan = tp_test_plan_on (device, model, 1 + pick (0, 1));
  g_autoptr (TplanSession) session = NULL;
  g_autoptr (GError) error = NULL;
  const void *inputs[] = { it.x };
  void *outputs[] = { it.y };

  for (int i = 0; i < it.shape.rows * it.shape.k; i++)
    it.x[i] = (float) pick (-32, 32) / 16.0f;
  if (plan != NULL)
    {
      session = tplan_session_new (plan, 1, &error);
      g_assert_no_error (error);
      g_assert_true (tplan_session_run (session, inputs, outputs, &error));
      g_assert_no_error (error);
      check_result (&it);
    }
  case_clear (&it);
  return plan != NULL;
}

static void
test_shapes (gconstpointer device)
{
  gboolean is_slow = g_str_has_prefix (device, "opencl");
  int n = g_getenv ("TPLAN_TEST_FULL") != NULL ? 100 : is_slow ? 4 : 12;

  for (int i = 0; i < n && !g_test_failed (); i++)
    if (!check_case (device))
      return;
}

int
main (int argc, char **argv)
{
  static const char *const devices[] = { "ref", "cpu", "opencl:0" };

  g_test_init (&argc, &argv, NULL);
  for (guint i = 0; i < G_N_ELEMENTS (devices); i++)
    {
      g_autofree char *path = g_strdup_printf ("/nbits/%s", devices[i]);

      g_test_add_data_func (path, devices[i], test_shapes);
    }
  return g_test_run ();
}
