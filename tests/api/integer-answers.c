/* integer-answers.c: see integer-answers.h. */
#include "config.h"

#include "integer-answers.h"

#include <math.h>
#include <string.h>

__extension__ typedef __int128 Wide;

#define FAR (G_GINT64_CONSTANT (1) << 62)
#define EXACT (G_GINT64_CONSTANT (1) << 53)

static const gint64 far_a[12]
    = { FAR + 1, -FAR + 3, EXACT + 1, -EXACT - 1, FAR + 2, FAR + 1,
        G_MAXINT64, G_MININT64, -7, 5, -FAR - 9, FAR - 1 };
static const gint64 far_b[12]
    = { FAR - 5, 3, -EXACT - 1, -1, EXACT + 3, FAR + 7,
        -FAR + 11, 2, 1, G_MAXINT64 - 1, -5, EXACT - 1 };
static const gint64 far_c[9] = { FAR, -FAR + 1, 1, EXACT + 1, -1, 0,
                             G_MININT64, G_MAXINT64, 12345 };
static const gint64 s[12] = { 1, -1, 2, -2, 3, -3, 1, 3, 2, -1, -2, 3 };
static const gint64 e[12] = { 1, 3, 2, 1, 0, 63, 5, 1, 20, 27, 2, 1 };
static const gint64 at[8] = { 0, 1, 2, 0, 0, 1, 1, 2 };
static const gint64 far_u[8] = { FAR + 3, -EXACT - 1, 7, G_MAXINT64, FAR + 1, -1,
                             EXACT + 1, -FAR - 3 };
static const gint64 far_w[4] = { EXACT + 1, -3, FAR + 1, 2 };
/* As the type that is tried has them. */
static gint64 a[12], b[12], c[9], u[8], w[4];

const IntegerInput integer_inputs[] = {
  { "a", "[3, 4]", a, 12, FALSE },     { "b", "[4, 3]", b, 12, FALSE },
  { "c", "[3, 3]", c, 9, FALSE },      { "s", "[3, 4]", s, 12, FALSE },
  { "e", "[3, 4]", e, 12, FALSE },     { "i", "[2, 4]", at, 8, TRUE },
  { "u", "[2, 4]", u, 8, FALSE },      { "w", "[1, 1, 2, 2]", w, 4, FALSE },
  { "m", "[1, 1, 3, 4]", a, 12, FALSE }, { "k", "[4, 3, 1]", b, 12, FALSE },
  { "j", "[1, 4, 3]", a, 12, FALSE },
};

/* ---- what it should be ---------------------------------------------------- */

static gint64
wrap (Wide x)
{
  return (gint64) (guint64) x;
}

#define EACH(name, value)                                                     \
  static int name (gint64 *out)                                               \
  {                                                                           \
    for (int k = 0; k < 12; k++)                                              \
      out[k] = wrap (value);                                                  \
    return 12;                                                                \
  }

static Wide
divide (Wide x, Wide y)
{
  return y == 0 ? 0 : x / y;
}

static Wide
get_rest (Wide x, Wide y)
{
  Wide rest = y == 0 ? 0 : x % y;

  return rest != 0 && (rest < 0) != (y < 0) ? rest + y : rest;
}

/* One factor after the other. */
static Wide
get_power (gint64 x, gint64 exponent)
{
  Wide power = 1;

  for (gint64 k = 0; k < exponent; k++)
    power = wrap (power * x);
  return power;
}

static Wide
clip (Wide x)
{
  return MIN (MAX (x, -FAR), FAR);
}

EACH (add, (Wide) a[k] + s[k])
EACH (sub, (Wide) a[k] - s[k])
EACH (mul, (Wide) a[k] * s[k])
EACH (quotient, divide (a[k], s[k]))
EACH (rest, get_rest (a[k], s[k]))
EACH (power, get_power (a[k], e[k]))
EACH (maximum, MAX (a[k], s[k]))
EACH (minimum, MIN (a[k], s[k]))
EACH (sum, (Wide) a[k] + s[k] + e[k])
EACH (mean, wrap ((Wide) a[k] + s[k] + e[k]) / 3)
EACH (relu, MAX (a[k], 0))
EACH (negative, -(Wide) a[k])
EACH (size, a[k] < 0 ? -(Wide) a[k] : a[k])
EACH (sign, (a[k] > 0) - (a[k] < 0))
EACH (same, a[k])
EACH (both, a[k] & s[k])
EACH (either, a[k] | s[k])
EACH (one_of, a[k] ^ s[k])
EACH (opposite, ~a[k])
EACH (prelu, a[k] < 0 ? (Wide) a[k] * s[k] : a[k])
EACH (shrink, a[k] < -2 ? (Wide) a[k] - 3 : a[k] > 2 ? (Wide) a[k] + 3 : 0)
EACH (clipped, clip (a[k]))

/* Of row @r of a, [3, 4]. */
#define ROWS(name, start, step, end)                                          \
  static int name (gint64 *out)                                               \
  {                                                                           \
    for (int r = 0; r < 3; r++)                                               \
      {                                                                       \
        const gint64 *x = &a[4 * r];                                          \
        Wide t = start;                                                       \
        for (int k = 0; k < 4; k++)                                           \
          t = step;                                                           \
        out[r] = wrap (end);                                                  \
      }                                                                       \
    return 3;                                                                 \
  }

ROWS (row_sum, 0, t + x[k], t)
ROWS (row_mean, 0, t + x[k], wrap (t) / 4)
ROWS (row_l1, 0, t + (x[k] < 0 ? -(Wide) x[k] : x[k]), t)
ROWS (row_squares, 0, wrap (t + (Wide) wrap ((Wide) x[k] * x[k])), t)
ROWS (row_product, 1, wrap (t * x[k]), t)
ROWS (row_max, x[0], MAX (t, x[k]), t)
ROWS (row_min, x[0], MIN (t, x[k]), t)
ROWS (row_arg_max, 0, x[k] > x[(int) t] ? k : t, t)
ROWS (row_arg_min, 0, x[k] < x[(int) t] ? k : t, t)

/* The greatest number whose square is no greater than that of e: by trying all. */
static int
row_root (gint64 *out)
{
  for (int r = 0; r < 3; r++)
    {
      Wide sum = 0;

      for (int k = 0; k < 4; k++)
        sum += (Wide) e[4 * r + k] * e[4 * r + k];
      for (out[r] = 0; (Wide) (out[r] + 1) * (out[r] + 1) <= sum; out[r]++)
        continue;
    }
  return 3;
}

/* Of one element it is its size, which squares of no double have. */
static int
root_of_one (gint64 *out)
{
  for (int k = 0; k < 12; k++)
    out[k] = b[k] < 0 ? -b[k] : b[k];
  return 12;
}

/* The powers of e, in whole numbers, up to its 44th. */
static int
column_log (gint64 *out)
{
  for (int k = 0; k < 12; k++)
    {
      int n = 0;

      for (long double power = 1; power <= (long double) b[k] && b[k] > 0; n++)
        power *= 2.718281828459045235360287471352662498L;
      out[k] = b[k] > 0 ? n - 1 : 0;
    }
  return 12;
}

/* Where one element is far above the others the sum is no more than that. */
static int
row_log_exp (gint64 *out)
{
  out[0] = FAR + 1;           /* beside -FAR + 3, EXACT + 1, ... */
  out[1] = G_MAXINT64;
  out[2] = FAR - 1;
  return 3;
}

static int
running (gint64 *out)
{
  for (int r = 0; r < 3; r++)
    for (int k = 0; k < 4; k++)
      out[4 * r + k] = wrap ((Wide) a[4 * r + k]
                             + (k > 0 ? out[4 * r + k - 1] : 0));
  return 12;
}

static int
running_product (gint64 *out)
{
  for (int r = 0; r < 3; r++)
    for (int k = 3; k >= 0; k--)
      out[4 * r + k] = wrap ((Wide) a[4 * r + k]
                             * (k < 3 ? out[4 * r + k + 1] : 1));
  return 12;
}

static int
product (gint64 *out)
{
  for (int r = 0; r < 3; r++)
    for (int q = 0; q < 3; q++)
      {
        Wide t = 0;

        for (int k = 0; k < 4; k++)
          t = wrap (t + (Wide) wrap ((Wide) a[4 * r + k] * b[3 * k + q]));
        out[3 * r + q] = (gint64) t;
      }
  return 9;
}

static int
product_and_more (gint64 *out)
{
  product (out);
  for (int k = 0; k < 9; k++)
    out[k] = wrap ((Wide) out[k] * 3 - (Wide) c[k] * 2);
  return 9;
}

/* Of three: a b c. */
static int
three (gint64 *out)
{
  gint64 two[9];

  product (two);
  for (int r = 0; r < 3; r++)
    for (int q = 0; q < 3; q++)
      {
        Wide t = 0;

        for (int k = 0; k < 3; k++)
          t = wrap (t + (Wide) wrap ((Wide) two[3 * r + k] * c[3 * k + q]));
        out[3 * r + q] = (gint64) t;
      }
  return 9;
}

static int
conv (gint64 *out)
{
  for (int r = 0; r < 2; r++)
    for (int q = 0; q < 3; q++)
      {
        Wide t = 0;

        for (int k = 0; k < 4; k++)
          t = wrap (t
                    + (Wide) wrap ((Wide) a[4 * (r + k / 2) + q + k % 2]
                                   * w[k]));
        out[3 * r + q] = (gint64) t;
      }
  return 6;
}

static int
conv_back (gint64 *out)
{
  memset (out, 0, 20 * sizeof *out);
  for (int r = 0; r < 3; r++)
    for (int q = 0; q < 4; q++)
      for (int k = 0; k < 4; k++)
        {
          gint64 *to = &out[5 * (r + k / 2) + q + k % 2];

          *to = wrap (*to + (Wide) wrap ((Wide) a[4 * r + q] * w[k]));
        }
  return 20;
}

/* Three blocks of 2 x 2 beside each other, each a step on. */
static int
blocks_in_image (gint64 *out)
{
  memset (out, 0, 8 * sizeof *out);
  for (int k = 0; k < 4; k++)
    for (int q = 0; q < 3; q++)
      {
        gint64 *to = &out[4 * (k / 2) + q + k % 2];

        *to = wrap ((Wide) *to + a[3 * k + q]);
      }
  return 8;
}

static int
greatest_near (gint64 *out)
{
  for (int r = 0; r < 2; r++)
    for (int q = 0; q < 3; q++)
      {
        const gint64 *x = &a[4 * r + q];

        out[3 * r + q] = MAX (MAX (x[0], x[1]), MAX (x[4], x[5]));
      }
  return 6;
}

static int
greatest (gint64 *out)
{
  out[0] = a[0];
  for (int k = 1; k < 12; k++)
    out[0] = MAX (out[0], a[k]);
  return 1;
}

/* The two greatest of each row, the first of equal ones first. */
static int
top (gint64 *out)
{
  for (int r = 0; r < 3; r++)
    {
      const gint64 *x = &a[4 * r];
      int first = 0, second = -1;

      for (int k = 1; k < 4; k++)
        first = x[k] > x[first] ? k : first;
      for (int k = 0; k < 4; k++)
        if (k != first && (second < 0 || x[k] > x[second]))
          second = k;
      out[2 * r] = x[first];
      out[2 * r + 1] = x[second];
    }
  return 6;
}

static int
first_greatest (gint64 *out)
{
  gint64 where[3];

  row_arg_max (where);
  for (int k = 0; k < 12; k++)
    out[k] = where[k / 4] == k % 4;
  return 12;
}

static void
scatter (gint64 *out, gboolean multiplies)
{
  memcpy (out, a, sizeof a);
  for (int k = 0; k < 8; k++)
    {
      gint64 *to = &out[4 * at[k] + k % 4];

      *to = wrap (multiplies ? (Wide) *to * u[k] : (Wide) *to + u[k]);
    }
}

static int
scatter_add (gint64 *out)
{
  scatter (out, FALSE);
  return 12;
}

static int
scatter_multiply (gint64 *out)
{
  scatter (out, TRUE);
  return 12;
}

/* Blocks: row i[0, k] of a gets row k of u, for the first two. */
static int
scatter_blocks (gint64 *out)
{
  static const gint64 rows[] = { 2, 2 };

  memcpy (out, a, sizeof a);
  for (int k = 0; k < 8; k++)
    {
      gint64 *to = &out[4 * rows[k / 4] + k % 4];

      *to = wrap ((Wide) *to + u[k]);
    }
  return 12;
}

static int
scatter_replace (gint64 *out)
{
  memcpy (out, a, sizeof a);
  for (int k = 0; k < 8; k++)
    out[4 * at[k] + k % 4] = u[k];
  return 12;
}

static int
padded (gint64 *out)
{
  memcpy (out, u, sizeof u);
  for (int k = 8; k < 12; k++)
    out[k] = FAR + 1;
  return 12;
}

static int
range (gint64 *out)
{
  for (int k = 0; k < 5; k++)
    out[k] = FAR + 1 + 3 * k;
  return 5;
}

static int
range_down (gint64 *out)
{
  out[0] = G_MAXINT64;
  out[1] = -1;
  return 2;
}

static int
doubled (gint64 *out)
{
  for (int r = 0; r < 3; r++)
    for (int q = 0; q < 8; q++)
      out[8 * r + q] = a[4 * r + q / 2];
  return 24;
}

/* ---- the cases ------------------------------------------------------------ */

const char integer_constants[]
    = "[{\"name\": \"axis\", \"dtype\": \"int64\", \"shape\": [1], \"data\": [1]},"
      " {\"name\": \"two\", \"dtype\": \"int64\", \"shape\": [1], \"data\": [2]},"
      " {\"name\": \"rows\", \"dtype\": \"int64\", \"shape\": [2, 1], \"data\": [2, 2]},"
      " {\"name\": \"image\", \"dtype\": \"int64\", \"shape\": [2], \"data\": [2, 4]},"
      " {\"name\": \"block\", \"dtype\": \"int64\", \"shape\": [2], \"data\": [2, 2]},"
      " {\"name\": \"low\", \"dtype\": \"int64\", \"shape\": [], \"data\": [-4611686018427387904]},"
      " {\"name\": \"high\", \"dtype\": \"int64\", \"shape\": [], \"data\": [4611686018427387904]},"
      " {\"name\": \"start\", \"dtype\": \"int64\", \"shape\": [], \"data\": [4611686018427387905]},"
      " {\"name\": \"stop\", \"dtype\": \"int64\", \"shape\": [], \"data\": [4611686018427387918]},"
      " {\"name\": \"step\", \"dtype\": \"int64\", \"shape\": [], \"data\": [3]},"
      " {\"name\": \"most\", \"dtype\": \"int64\", \"shape\": [], \"data\": [9223372036854775807]},"
      " {\"name\": \"least\", \"dtype\": \"int64\", \"shape\": [], \"data\": [-9223372036854775808]},"
      " {\"name\": \"pads\", \"dtype\": \"int64\", \"shape\": [4], \"data\": [0, 0, 1, 0]},"
      " {\"name\": \"back\", \"dtype\": \"int64\", \"shape\": [], \"data\": [-9223372036854775808]},"
      " {\"name\": \"scales\", \"dtype\": \"float32\", \"shape\": [2], \"data\": [1, 2]}]";

#define ROW "\"axes\": [1]"

const IntegerCase integer_cases[] = {
  { "Add", "a s", "", TRUE, 17, add },
  { "Sub", "a s", "", TRUE, 17, sub },
  { "Mul", "a s", "", TRUE, 17, mul },
  { "Div", "a s", "", TRUE, 17, quotient },
  { "Mod", "a s", "", TRUE, 17, rest },
  { "Pow", "a e", "", TRUE, 17, power },
  { "Max", "a s", "", TRUE, 17, maximum },
  { "Min", "a s", "", TRUE, 17, minimum },
  { "Sum", "a s e", "", TRUE, 17, sum },
  { "Mean", "a s e", "", TRUE, 17, mean },
  { "Relu", "a", "", TRUE, 17, relu },
  { "Neg", "a", "", TRUE, 17, negative },
  { "Abs", "a", "", TRUE, 17, size },
  { "Sign", "a", "", TRUE, 17, sign },
  { "Identity", "a", "", TRUE, 17, same },
  { "BitwiseAnd", "a s", "", TRUE, 18, both },
  { "BitwiseOr", "a s", "", TRUE, 18, either },
  { "BitwiseXor", "a s", "", TRUE, 18, one_of },
  { "BitwiseNot", "a", "", TRUE, 18, opposite },
  { "Floor", "a", "", FALSE, 17, same },
  { "Ceil", "a", "", FALSE, 17, same },
  { "Round", "a", "", FALSE, 17, same },
  { "PRelu", "a s", "", TRUE, 17, prelu },
  { "Shrink", "a", "\"lambd\": 2, \"bias\": -3", FALSE, 17, shrink },
  { "Clip", "a low high", "", TRUE, 17, clipped },
  { "ReduceSum", "a axis", "", TRUE, 17, row_sum },
  { "ReduceMean", "a", ROW, TRUE, 17, row_mean },
  { "ReduceL1", "a", ROW, TRUE, 17, row_l1 },
  { "ReduceSumSquare", "a", ROW, TRUE, 17, row_squares },
  { "ReduceProd", "a", ROW, TRUE, 17, row_product },
  { "ReduceMax", "a", ROW, TRUE, 17, row_max },
  { "ReduceMin", "a", ROW, TRUE, 17, row_min },
  { "ReduceL2", "e", ROW, FALSE, 17, row_root },
  { "ReduceL2", "k", "\"axes\": [2]", FALSE, 17, root_of_one },
  { "ReduceLogSum", "k", "\"axes\": [2]", FALSE, 17, column_log },
  { "ReduceLogSumExp", "a", ROW, FALSE, 17, row_log_exp },
  { "ArgMax", "a", "\"axis\": 1", TRUE, 17, row_arg_max },
  { "ArgMin", "a", "\"axis\": 1", TRUE, 17, row_arg_min },
  { "TopK", "a two", "\"axis\": 1", TRUE, 17, top },
  { "Hardmax", "a", "\"axis\": 1", FALSE, 17, first_greatest },
  { "CumSum", "a axis", "", TRUE, 17, running },
  { "CumProd", "a axis", "\"reverse\": 1", TRUE, 17, running_product },
  { "MatMul", "a b", "", TRUE, 17, product },
  { "Gemm", "a b", "", TRUE, 17, product },
  { "Gemm", "a b c", "\"alpha\": 3, \"beta\": -2", TRUE, 17, product_and_more },
  { "Einsum", "a b", "\"equation\": \"ij,jk->ik\"", TRUE, 17, product },
  { "Einsum", "a b c", "\"equation\": \"ij,jk,kl->il\"", TRUE, 17, three },
  { "Conv", "m w", "", TRUE, 17, conv },
  { "ConvTranspose", "m w", "", TRUE, 17, conv_back },
  { "Col2Im", "j image block", "", TRUE, 18, blocks_in_image },
  { "MaxPool", "m", "\"kernel_shape\": [2, 2]", TRUE, 17, greatest_near },
  { "GlobalMaxPool", "m", "", TRUE, 17, greatest },
  { "ScatterElements", "a i u", "\"reduction\": \"add\"", TRUE, 17, scatter_add },
  { "ScatterElements", "a i u", "\"reduction\": \"mul\"", TRUE, 17,
    scatter_multiply },
  { "ScatterElements", "a i u", "", TRUE, 17, scatter_replace },
  { "Scatter", "a i u", "", TRUE, 10, scatter_replace },
  { "ScatterND", "a rows u", "\"reduction\": \"add\"", TRUE, 17,
    scatter_blocks },
  { "Pad", "u pads start", "", TRUE, 17, padded },
  { "Range", "start stop step", "", FALSE, 17, range },
  { "Range", "most least back", "", FALSE, 17, range_down },
  { "Resize", "a _ scales", "\"mode\": \"nearest\", "
    "\"coordinate_transformation_mode\": \"asymmetric\", "
    "\"nearest_mode\": \"floor\"", FALSE, 17, doubled },
  { "Upsample", "a scales", "", FALSE, 9, doubled },
};

static void
set_values (const gint64 *far, int n, gboolean is_narrow, gint64 *out)
{
  for (int k = 0; k < n; k++)
    out[k] = is_narrow ? (gint32) far[k] : far[k];
}

void
integer_answers_set (gboolean is_narrow)
{
  set_values (far_a, 12, is_narrow, a);
  set_values (far_b, 12, is_narrow, b);
  set_values (far_c, 9, is_narrow, c);
  set_values (far_u, 8, is_narrow, u);
  set_values (far_w, 4, is_narrow, w);
}

gboolean
integer_case_is_wide (const IntegerCase *it)
{
  return it->tell == row_log_exp || it->tell == clipped || it->tell == padded
         || it->tell == range
         || it->tell == range_down;
}

const int n_integer_inputs = G_N_ELEMENTS (integer_inputs);
const int n_integer_cases = G_N_ELEMENTS (integer_cases);
