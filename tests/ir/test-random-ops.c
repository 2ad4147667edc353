/* test-random-ops.c: ops that draw numbers: these have the distribution that ONNX says,
 * are the same whenever a graph is read, and others for each op. */
#include "config.h"

#include "ir/graph-value.h"
#include "quoted-graph.h"

#include <math.h>

#define N 4000                /* numbers */
#define SIGMAS 6              /* of a mean: once in 10^9 it is further off */

/* The outputs of @ops, all constants of N numbers: a and b. */
static double *
draw (const char *ops, const char *output)
{
  g_autofree char *text = g_strdup_printf (
      "{'format': 'tplan-graph/1', 'opset': 17, 'inputs': [{'name': 'x', "
      "'shape': [40, 100]}], 'initializers': [{'name': 'p', 'shape': [40, 100], "
      "'fill': 0.25}, {'name': 'l', 'shape': [2, 5], 'data': [0, 1, -1000, 2, -1, "
      "-1000, 7, 7, 4, -1000]}], 'ops': [%s], 'outputs': ['%s']}", ops, output);
  g_autoptr (TpGraph) graph = test_load_quoted (text);
  const TpTensor *tensor = &graph->tensors[graph->outputs[0]];
  double *values = g_new (double, N);

  g_assert_true (tp_tensor_is_constant (tensor));
  g_assert_cmpint (tensor->count, ==, N);
  tp_tensor_write_doubles (tensor, values);
  return values;
}

#define OP(type, name, inputs, output, attrs)                                 \
  "{'type': '" type "', 'name': '" name "', 'inputs': [" inputs               \
  "], 'outputs': ['" output "'], 'attrs': {" attrs "}}"

static double
get_mean (const double *x, int power, double about)
{
  double sum = 0;

  for (int i = 0; i < N; i++)
    sum += pow (x[i] - about, power);
  return sum / N;
}

/* @x scaled to a mean of 0 and a deviation of 1: @kurtosis is what the distribution has of
 * its fourth power. */
static void
check_moments (const double *x, double mean, double deviation, double kurtosis)
{
  double s = deviation;

  g_assert_cmpfloat (fabs (get_mean (x, 1, mean)), <, SIGMAS * s / sqrt (N));
  g_assert_cmpfloat (fabs (get_mean (x, 2, mean) - s * s), <,
                     SIGMAS * s * s * sqrt ((kurtosis - 1) / N));
  g_assert_cmpfloat (fabs (get_mean (x, 4, mean) / pow (s, 4) - kurtosis), <,
                     SIGMAS * sqrt (100.0 / N));
}

/* Of neighbours, and of the same place of both: none has to do with the other. */
static void
check_apart (const double *x, const double *y, double mean, double deviation)
{
  double next = 0, same = 0;

  for (int i = 0; i < N; i++)
    {
      next += (x[i] - mean) * (x[(i + 1) % N] - mean);
      same += (x[i] - mean) * (y[i] - mean);
    }
  g_assert_cmpfloat (fabs (next), <, SIGMAS * deviation * deviation * sqrt (N));
  g_assert_cmpfloat (fabs (same), <, SIGMAS * deviation * deviation * sqrt (N));
}

static void
test_normal (void)
{
  static const char like[]
      = OP ("RandomNormalLike", "n", "'x'", "a", "'mean': 3, 'scale': 2") ", "
        OP ("RandomNormalLike", "m", "'x'", "b", "'mean': 3, 'scale': 2");
  static const char plain[]
      = OP ("RandomNormal", "n", "", "a",
            "'shape': [40, 100], 'mean': 3, 'scale': 2, 'seed': 0.5");
  g_autofree double *a = draw (like, "a"), *b = draw (like, "b");
  g_autofree double *c = draw (plain, "a");

  check_moments (a, 3, 2, 3);
  check_moments (c, 3, 2, 3);
  check_apart (a, b, 3, 2);
  check_apart (a, c, 3, 2);
}

static void
test_uniform (void)
{
  static const char like[]
      = OP ("RandomUniformLike", "n", "'x'", "a", "'low': -1, 'high': 5") ", "
        OP ("RandomUniform", "m", "", "b",
            "'shape': [40, 100], 'low': -1, 'high': 5");
  g_autofree double *a = draw (like, "a"), *b = draw (like, "b");

  check_moments (a, 2, sqrt (3), 1.8);
  check_moments (b, 2, sqrt (3), 1.8);
  check_apart (a, b, 2, sqrt (3));
  for (int i = 0; i < N; i++)
    g_assert_true (a[i] >= -1 && a[i] <= 5);
}

static void
test_bernoulli (void)
{
  static const char ops[] = OP ("Bernoulli", "n", "'p'", "a", "") ", "
                            OP ("Bernoulli", "m", "'p'", "b", "'dtype': 7");
  g_autofree double *a = draw (ops, "a"), *b = draw (ops, "b");

  for (int i = 0; i < N; i++)
    g_assert_true ((a[i] == 0 || a[i] == 1) && (b[i] == 0 || b[i] == 1));
  g_assert_cmpfloat (fabs (get_mean (a, 1, 0.25)), <, SIGMAS * 0.44 / sqrt (N));
  check_apart (a, b, 0.25, 0.44);
}

/* Each as often as the exponential of its logit has it, what has none never. */
static void
test_multinomial (void)
{
  static const double logits[2][5] = { { 0, 1, -1000, 2, -1 }, { -1000, 7, 7, 4, -1000 } };
  static const char ops[]
      = OP ("Multinomial", "n", "'l'", "a", "'sample_size': 2000") ", "
        OP ("Multinomial", "m", "'l'", "b", "'sample_size': 2000, 'dtype': 7, 'seed': 3");
  g_autofree double *a = draw (ops, "a"), *b = draw (ops, "b");

  for (int row = 0; row < 2; row++)
    for (int class = 0; class < 5; class++)
      {
        double all = 0, p, n[2] = { 0 };

        for (int i = 0; i < 5; i++)
          all += exp (logits[row][i]);
        p = exp (logits[row][class]) / all;
        for (int i = 0; i < N / 2; i++)
          {
            n[0] += a[row * N / 2 + i] == class;
            n[1] += b[row * N / 2 + i] == class;
          }
        for (int k = 0; k < 2; k++)
          g_assert_cmpfloat (fabs (n[k] / (N / 2) - p), <=,
                             SIGMAS * sqrt (p * (1 - p) / (N / 2)));
      }
}

/* One seed, or one name: the same numbers, wherever. */
static void
test_same (void)
{
  static const char ops[]
      = OP ("RandomNormalLike", "n", "'x'", "a", "'seed': 7") ", "
        OP ("RandomNormalLike", "m", "'x'", "b", "'seed': 7") ", "
        OP ("RandomNormalLike", "o", "'x'", "c", "'seed': 8") ", "
        OP ("RandomNormalLike", "q", "'x'", "d", "");
  static const char last[] = OP ("RandomNormalLike", "q", "'p'", "d", "");
  g_autofree double *a = draw (ops, "a"), *b = draw (ops, "b");
  g_autofree double *c = draw (ops, "c"), *d = draw (ops, "d");
  g_autofree double *again = draw (last, "d");

  g_assert_cmpmem (a, N * sizeof *a, b, N * sizeof *b);
  g_assert_cmpmem (d, N * sizeof *d, again, N * sizeof *again);
  check_apart (a, c, 0, 1);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/random-ops/normal", test_normal);
  g_test_add_func ("/random-ops/uniform", test_uniform);
  g_test_add_func ("/random-ops/bernoulli", test_bernoulli);
  g_test_add_func ("/random-ops/multinomial", test_multinomial);
  g_test_add_func ("/random-ops/same", test_same);
  return g_test_run ();
}
