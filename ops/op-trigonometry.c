/* op-trigonometry.c: circular and hyperbolic functions and their inverses. Those that
 * nests have no expression for are sums of it: near 0 polynomials, fitted for the least
 * relative error of float32, elsewhere what they are by exp, log and sqrt. Near 0 those of
 * doubles are what the polynomial says and a step of Newton's method from there. */
#include "config.h"

#include "ops/op-util.h"

#include <math.h>

#define FUNCTION                                                               \
  .kind = TP_OP_MAP, .n_inputs_min = 1, .n_inputs_max = 1, .n_outputs_max = 1, \
  .tolerance = 1e-5, .infer = tp_infer_same, .lower = tp_lower_map,             \
  .reference = tp_reference_map

#define LN2 0.69314718055994531
#define MUCH 1e4              /* 1 is nothing beside its square */
#define MUCH_DOUBLE 1e9       /* in float64 */
#define SINH_TERMS 9          /* the next is below 1e-19 */

/* ---- expressions --------------------------------------------------------- */

static int
add (TpNest *nest, int a, int b)
{
  return tp_nest_binary (nest, TP_EXPR_ADD, a, b);
}

static int
sub (TpNest *nest, int a, int b)
{
  return tp_nest_binary (nest, TP_EXPR_SUB, a, b);
}

static int
mul (TpNest *nest, int a, int b)
{
  return tp_nest_binary (nest, TP_EXPR_MUL, a, b);
}

static int
divide (TpNest *nest, int a, int b)
{
  return tp_nest_binary (nest, TP_EXPR_DIV, a, b);
}

static int
number (TpNest *nest, double value)
{
  return tp_nest_const (nest, value);
}

/* @above where @a is more than @bound, else @other. */
static int
choose (TpNest *nest, int a, double bound, int above, int other)
{
  int is_above = tp_nest_binary (nest, TP_EXPR_LESS, number (nest, bound), a);

  return tp_nest_select (nest, is_above, above, other);
}

/* @size with the sign of @x. */
static int
with_sign (TpNest *nest, int x, int size)
{
  int is_negative = tp_nest_binary (nest, TP_EXPR_LESS, x, number (nest, 0.0));

  return tp_nest_select (nest, is_negative,
                         tp_nest_unary (nest, TP_EXPR_NEG, size), size);
}

/* coefs[0] + coefs[1] z + .. */
static int
polynomial (TpNest *nest, int z, const double *coefs, int n)
{
  int sum = number (nest, coefs[n - 1]);

  for (int i = n - 2; i >= 0; i--)
    sum = add (nest, mul (nest, sum, z), number (nest, coefs[i]));
  return sum;
}

/* x + x^3 (coefs[0] + coefs[1] x^2 + ..) */
static int
odd (TpNest *nest, int x, const double *coefs, int n)
{
  int z = mul (nest, x, x);

  z = mul (nest, z, polynomial (nest, z, coefs, n));
  return add (nest, x, mul (nest, x, z));
}

#define ODD(nest, x, ...)                                                      \
  odd (nest, x, (const double[]){ __VA_ARGS__ },                               \
       sizeof ((const double[]){ __VA_ARGS__ }) / sizeof (double))

/* The error of a polynomial, below 1e-7, is squared by a step. */
static gboolean
is_double (const TpNest *nest, int x)
{
  return nest->exprs[x].is_double;
}

/* ---- circular ------------------------------------------------------------ */

static int
sin_expr (const TpNode *node, TpNest *nest, const int *x)
{
  return tp_nest_unary (nest, TP_EXPR_SIN, x[0]);
}

static double
sin_value (const TpNode *node, const double *x)
{
  return sin (x[0]);
}

const TpOp tp_op_sin = {
  .name = "Sin",
  FUNCTION,
  .map_expr = sin_expr,
  .map_value = sin_value,
};

static int
cos_expr (const TpNode *node, TpNest *nest, const int *x)
{
  return tp_nest_unary (nest, TP_EXPR_COS, x[0]);
}

static double
cos_value (const TpNode *node, const double *x)
{
  return cos (x[0]);
}

const TpOp tp_op_cos = {
  .name = "Cos",
  FUNCTION,
  .map_expr = cos_expr,
  .map_value = cos_value,
};

static int
tan_expr (const TpNode *node, TpNest *nest, const int *x)
{
  return divide (nest, tp_nest_unary (nest, TP_EXPR_SIN, x[0]),
                 tp_nest_unary (nest, TP_EXPR_COS, x[0]));
}

static double
tan_value (const TpNode *node, const double *x)
{
  return tan (x[0]);
}

const TpOp tp_op_tan = {
  .name = "Tan",
  FUNCTION,
  .map_expr = tan_expr,
  .map_value = tan_value,
};

/* Of what is at most 1/2. */
static int
asin_of_small (TpNest *nest, int x)
{
  int y = ODD (nest, x, 0.166667525, 0.0749529764, 0.0454703758, 0.0241795156,
               0.0421663068);
  int rest;

  if (!is_double (nest, x))
    return y;
  rest = sub (nest, x, tp_nest_unary (nest, TP_EXPR_SIN, y));
  return add (nest, y,
              divide (nest, rest, tp_nest_unary (nest, TP_EXPR_COS, y)));
}

/* sqrt ((1 - a) / 2): the sine of half the angle whose cosine is @a. */
static int
half_angle (TpNest *nest, int a)
{
  int rest = sub (nest, number (nest, 1.0), a);

  return tp_nest_unary (nest, TP_EXPR_SQRT,
                        mul (nest, rest, number (nest, 0.5)));
}

static int
asin_expr (const TpNode *node, TpNest *nest, const int *x)
{
  int a = tp_nest_unary (nest, TP_EXPR_ABS, x[0]);
  int y = asin_of_small (nest,
                         choose (nest, a, 0.5, half_angle (nest, a), a));
  int above = sub (nest, number (nest, G_PI_2), add (nest, y, y));

  return with_sign (nest, x[0], choose (nest, a, 0.5, above, y));
}

static double
asin_value (const TpNode *node, const double *x)
{
  return asin (x[0]);
}

const TpOp tp_op_asin = {
  .name = "Asin",
  FUNCTION,
  .flags = TP_OP_FITTED,
  .map_expr = asin_expr,
  .map_value = asin_value,
};

static int
acos_expr (const TpNode *node, TpNest *nest, const int *x)
{
  int a = tp_nest_unary (nest, TP_EXPR_ABS, x[0]);
  int y = asin_of_small (nest, choose (nest, a, 0.5, half_angle (nest, a),
                                       x[0]));
  int twice = add (nest, y, y);
  int outer = choose (nest, x[0], 0.0, twice,
                      sub (nest, number (nest, G_PI), twice));

  return choose (nest, a, 0.5, outer, sub (nest, number (nest, G_PI_2), y));
}

static double
acos_value (const TpNode *node, const double *x)
{
  return acos (x[0]);
}

const TpOp tp_op_acos = {
  .name = "Acos",
  FUNCTION,
  .flags = TP_OP_FITTED,
  .map_expr = acos_expr,
  .map_value = acos_value,
};

/* Of what is at most tan (pi/8). The tangent of what is missing is
 * (x - tan y) / (1 + x tan y). */
static int
atan_of_small (TpNest *nest, int x)
{
  int y = ODD (nest, x, -0.333329491, 0.1997771, -0.138776784, 0.0805372171);
  int sine, cosine;

  if (!is_double (nest, x))
    return y;
  sine = tp_nest_unary (nest, TP_EXPR_SIN, y);
  cosine = tp_nest_unary (nest, TP_EXPR_COS, y);
  return add (nest, y,
              divide (nest, sub (nest, mul (nest, x, cosine), sine),
                      add (nest, cosine, mul (nest, x, sine))));
}

/* tan (pi/8) and tan (3 pi/8) bound what is reduced by pi/4 and by pi/2. */
static int
atan_expr (const TpNode *node, TpNest *nest, const int *x)
{
  const double low = G_SQRT2 - 1.0, high = G_SQRT2 + 1.0;
  int a = tp_nest_unary (nest, TP_EXPR_ABS, x[0]);
  int one = number (nest, 1.0);
  int base = choose (nest, a, low, number (nest, G_PI_4), number (nest, 0.0));
  int rest = choose (nest, a, low,
                     divide (nest, sub (nest, a, one), add (nest, a, one)), a);

  base = choose (nest, a, high, number (nest, G_PI_2), base);
  rest = choose (nest, a, high, divide (nest, number (nest, -1.0), a), rest);
  return with_sign (nest, x[0], add (nest, base, atan_of_small (nest, rest)));
}

static double
atan_value (const TpNode *node, const double *x)
{
  return atan (x[0]);
}

const TpOp tp_op_atan = {
  .name = "Atan",
  FUNCTION,
  .flags = TP_OP_FITTED,
  .map_expr = atan_expr,
  .map_value = atan_value,
};

/* ---- hyperbolic ---------------------------------------------------------- */

/* e^a / 2 + @sign e^-a / 2 of a from 0 on: by e^(a/2), which overflows no sooner
 * than the result. */
static int
half_exponentials (TpNest *nest, int a, double sign)
{
  int half = number (nest, 0.5);
  int e = tp_nest_unary (nest, TP_EXPR_EXP, mul (nest, a, half));
  int small = divide (nest, number (nest, 0.5 * sign), mul (nest, e, e));

  return add (nest, mul (nest, mul (nest, e, half), e), small);
}

/* Of what is at most 1: for doubles, Taylor's series. */
static int
sinh_of_small (TpNest *nest, int x)
{
  double coefs[SINH_TERMS], factorial = 1.0;

  if (!is_double (nest, x))
    return ODD (nest, x, 0.16666716, 0.00833028372, 0.000203721945);
  for (int i = 0; i < SINH_TERMS; i++)
    {
      factorial *= (2 * i + 2) * (2 * i + 3);
      coefs[i] = 1.0 / factorial;
    }
  return odd (nest, x, coefs, SINH_TERMS);
}

static int
sinh_expr (const TpNode *node, TpNest *nest, const int *x)
{
  int a = tp_nest_unary (nest, TP_EXPR_ABS, x[0]);
  int small = sinh_of_small (nest, x[0]);

  return choose (nest, a, 1.0,
                 with_sign (nest, x[0], half_exponentials (nest, a, -1.0)),
                 small);
}

static double
sinh_value (const TpNode *node, const double *x)
{
  return sinh (x[0]);
}

const TpOp tp_op_sinh = {
  .name = "Sinh",
  FUNCTION,
  .flags = TP_OP_FITTED,
  .map_expr = sinh_expr,
  .map_value = sinh_value,
};

static int
cosh_expr (const TpNode *node, TpNest *nest, const int *x)
{
  return half_exponentials (nest, tp_nest_unary (nest, TP_EXPR_ABS, x[0]), 1.0);
}

static double
cosh_value (const TpNode *node, const double *x)
{
  return cosh (x[0]);
}

const TpOp tp_op_cosh = {
  .name = "Cosh",
  FUNCTION,
  .map_expr = cosh_expr,
  .map_value = cosh_value,
};

/* log (a + sqrt (@square)), where @square is a^2 but for 1. */
static int
log_of_sum (TpNest *nest, int a, int square)
{
  int sum = add (nest, a, tp_nest_unary (nest, TP_EXPR_SQRT, square));
  double much = is_double (nest, a) ? MUCH_DOUBLE : MUCH;

  sum = tp_nest_unary (nest, TP_EXPR_LOG, choose (nest, a, much, a, sum));
  return add (nest, sum,
              choose (nest, a, much, number (nest, LN2), number (nest, 0.0)));
}

/* Of what is at most 1/2. */
static int
asinh_of_small (TpNest *nest, int x)
{
  int y = ODD (nest, x, -0.166666436, 0.0749865214, -0.0443845165, 0.0281691229,
               -0.0132375251);
  int size;

  if (!is_double (nest, x))
    return y;
  size = tp_nest_unary (nest, TP_EXPR_ABS, y);
  return add (nest, y,
              divide (nest, sub (nest, x, sinh_of_small (nest, y)),
                      half_exponentials (nest, size, 1.0)));
}

static int
asinh_expr (const TpNode *node, TpNest *nest, const int *x)
{
  int a = tp_nest_unary (nest, TP_EXPR_ABS, x[0]);
  int square = add (nest, mul (nest, a, a), number (nest, 1.0));
  int small = asinh_of_small (nest, x[0]);

  return choose (nest, a, 0.5,
                 with_sign (nest, x[0], log_of_sum (nest, a, square)), small);
}

static double
asinh_value (const TpNode *node, const double *x)
{
  return asinh (x[0]);
}

const TpOp tp_op_asinh = {
  .name = "Asinh",
  FUNCTION,
  .flags = TP_OP_FITTED,
  .map_expr = asinh_expr,
  .map_value = asinh_value,
};

/* Of 1 + z, near 1: sqrt (z) times a polynomial; for doubles 2 asinh (sqrt (z/2)). */
static int
acosh_of_near (TpNest *nest, int z)
{
  static const double coefs[] = { 1.41421353, -0.117847417, 0.026454905,
                                  -0.00752728851, 0.00175968795 };
  int root;

  if (!is_double (nest, z))
    return mul (nest, tp_nest_unary (nest, TP_EXPR_SQRT, z),
                polynomial (nest, z, coefs, G_N_ELEMENTS (coefs)));
  root = tp_nest_unary (nest, TP_EXPR_SQRT, mul (nest, z, number (nest, 0.5)));
  return mul (nest, number (nest, 2.0), asinh_of_small (nest, root));
}

static int
acosh_expr (const TpNode *node, TpNest *nest, const int *x)
{
  int one = number (nest, 1.0);
  int z = sub (nest, x[0], one);
  int square = mul (nest, z, add (nest, x[0], one));
  int small = acosh_of_near (nest, z);

  return choose (nest, z, 0.5, log_of_sum (nest, x[0], square), small);
}

static double
acosh_value (const TpNode *node, const double *x)
{
  return acosh (x[0]);
}

const TpOp tp_op_acosh = {
  .name = "Acosh",
  FUNCTION,
  .flags = TP_OP_FITTED,
  .map_expr = acosh_expr,
  .map_value = acosh_value,
};

/* Of what is at most 1/2. The hyperbolic tangent of what is missing is
 * (x - tanh y) / (1 - x tanh y). */
static int
atanh_of_small (TpNest *nest, int x)
{
  int y = ODD (nest, x, 0.3333373, 0.199782165, 0.146691431, 0.0824370367,
               0.181740066);
  int t;

  if (!is_double (nest, x))
    return y;
  t = tp_nest_unary (nest, TP_EXPR_TANH, y);
  return add (nest, y,
              divide (nest, sub (nest, x, t),
                      sub (nest, number (nest, 1.0), mul (nest, x, t))));
}

static int
atanh_expr (const TpNode *node, TpNest *nest, const int *x)
{
  int a = tp_nest_unary (nest, TP_EXPR_ABS, x[0]);
  int one = number (nest, 1.0);
  int ratio = divide (nest, add (nest, one, x[0]), sub (nest, one, x[0]));
  int log = tp_nest_unary (nest, TP_EXPR_LOG, ratio);
  int small = atanh_of_small (nest, x[0]);

  return choose (nest, a, 0.5, mul (nest, log, number (nest, 0.5)), small);
}

static double
atanh_value (const TpNode *node, const double *x)
{
  return atanh (x[0]);
}

const TpOp tp_op_atanh = {
  .name = "Atanh",
  FUNCTION,
  .flags = TP_OP_FITTED,
  .map_expr = atanh_expr,
  .map_value = atanh_value,
};
