/* test-rare.c: ops that few models have, against loops that do what ONNX says of them. */
#include "config.h"

#include "ir/graph-value.h"
#include "op-support.h"
#include "ops/reference.h"

#include <math.h>
#include <string.h>

#define ROUNDS 60
#define SIGMAS 6              /* of a mean: once in 10^9 it is further off */

static TpGraph *
load (int opset, const char *text)
{
  g_autoptr (GError) error = NULL;
  TpGraph *graph = test_graph_new (opset, text, &error);

  g_assert_no_error (error);
  return graph;
}

static int
find_tensor (const TpGraph *graph, const char *name)
{
  for (int i = 0; i < graph->n_tensors; i++)
    if (strcmp (graph->tensors[i].name, name) == 0)
      return i;
  g_assert_not_reached ();
}

/* The constant @name, free it. */
static double *
dup_constant (const TpGraph *graph, const char *name)
{
  const TpTensor *tensor = &graph->tensors[find_tensor (graph, name)];
  double *values = g_new (double, tensor->count + 1);

  g_assert_true (tp_tensor_is_constant (tensor));
  tp_tensor_write_doubles (tensor, values);
  return values;
}

/* Constants that nothing reads have no values yet. */
static const double *
get_values (const TpGraph *graph, const GPtrArray *values, const char *name)
{
  int index = find_tensor (graph, name);

  if (values->pdata[index] == NULL)
    values->pdata[index] = dup_constant (graph, name);
  return values->pdata[index];
}

/* " v0 v1 ..", or with commas. */
static void
add_list (GString *text, const gint64 *values, int n, const char *between)
{
  for (int i = 0; i < n; i++)
    g_string_append_printf (text, "%s%" G_GINT64_FORMAT, i == 0 ? "" : between, values[i]);
}

/* ---- BitCast ------------------------------------------------------------- */

static void
test_bits (void)
{
  g_autoptr (TpGraph) graph = load (
      26, "in x 50;BitCast x -> i to=6;BitCast i -> y to=1;float64 d 50;"
          "BitCast d -> j to=7;ints m 4503599627370495;BitwiseAnd j m -> f;"
          "BitCast j -> e to=11;bool t 50;BitCast t -> u to=2");
  g_autoptr (GPtrArray) values = test_graph_run (graph, FALSE);
  const double *x = get_values (graph, values, "x"), *i = get_values (graph, values, "i");
  const double *d = get_values (graph, values, "d"), *f = get_values (graph, values, "f");
  const double *y = get_values (graph, values, "y"), *e = get_values (graph, values, "e");

  for (int k = 0; k < 50; k++)
    {
      float single = (float) x[k];
      gint32 bits;
      int power;
      double fraction = fabs (frexp (d[k], &power));

      memcpy (&bits, &single, sizeof bits);
      g_assert_cmpfloat (i[k], ==, bits);
      g_assert_cmpfloat (y[k], ==, x[k]);
      g_assert_cmpfloat (e[k], ==, d[k]);
      g_assert_cmpfloat (f[k], ==, ldexp (fraction - 0.5, 53));
    }
  g_assert_cmpmem (get_values (graph, values, "t"), 50 * sizeof (double),
                   get_values (graph, values, "u"), 50 * sizeof (double));
}

/* Constants have the bits that they have, of what is no number too. */
static void
test_constant_bits (void)
{
  g_autoptr (TpGraph) graph
      = load (26, "ints i 9218868437227405313 -1 4607182418800017408;"
                  "BitCast i -> d to=11;BitCast d -> j to=7;IsNaN d -> n");
  const TpTensor *i = &graph->tensors[find_tensor (graph, "i")];
  const TpTensor *j = &graph->tensors[find_tensor (graph, "j")];
  g_autofree double *n = dup_constant (graph, "n"), *d = dup_constant (graph, "d");

  g_assert_cmpmem (i->init.data, 24, j->init.data, 24);
  g_assert_true (n[0] == 1 && n[1] == 1 && n[2] == 0 && d[2] == 1.0);
}

/* ---- MaxUnpool ----------------------------------------------------------- */

typedef struct
{
  gint64 planes, out[2], kernel[2], stride[2], pad[2], in[2], more[2];
} Unpool;

static void
draw_unpool (Unpool *it)
{
  it->planes = g_test_rand_int_range (1, 4);
  for (int k = 0; k < 2; k++)
    {
      it->kernel[k] = g_test_rand_int_range (1, 4);
      it->stride[k] = g_test_rand_int_range (1, it->kernel[k] + 1);
      it->pad[k] = g_test_rand_int_range (0, it->kernel[k]);
      it->out[k] = g_test_rand_int_range (2, 5);
      it->in[k] = (it->out[k] - 1) * it->stride[k] + it->kernel[k] - 2 * it->pad[k];
      it->more[k] = g_test_rand_int_range (0, 3);
      if (it->in[k] < it->kernel[k])
        {
          it->pad[k] = 0;
          it->in[k] = (it->out[k] - 1) * it->stride[k] + it->kernel[k];
        }
    }
}

/* What was pooled is there again where it was the greatest of a window, else zeros. */
static void
check_unpooled (const Unpool *it, const TpGraph *graph, const GPtrArray *values)
{
  const double *y = get_values (graph, values, "y"), *i = get_values (graph, values, "i");
  const double *z = get_values (graph, values, "z"), *w = get_values (graph, values, "w");
  gint64 n = it->planes * it->in[0] * it->in[1], rows = it->in[0] + it->more[0];
  gint64 columns = it->in[1] + it->more[1];
  g_autofree double *wanted = g_new0 (double, n);

  for (gint64 k = 0; k < it->planes * it->out[0] * it->out[1]; k++)
    wanted[(gint64) i[k]] = y[k];
  g_assert_cmpmem (z, n * sizeof (double), wanted, n * sizeof (double));
  for (gint64 k = 0; k < it->planes * rows * columns; k++)
    {
      gint64 p = k / (rows * columns), r = k / columns % rows, c = k % columns;

      g_assert_cmpfloat (w[k], ==, r < it->in[0] && c < it->in[1]
                                       ? wanted[(p * it->in[0] + r) * it->in[1] + c]
                                       : 0.0);
    }
}

static void
test_unpool (void)
{
  for (int round = 0; round < ROUNDS; round++)
    {
      Unpool it;
      g_autofree char *window = NULL, *text = NULL;
      g_autoptr (TpGraph) graph = NULL;
      g_autoptr (GPtrArray) values = NULL;

      draw_unpool (&it);
      window = g_strdup_printf (
          "kernel_shape=%d,%d strides=%d,%d pads=%d,%d,%d,%d", (int) it.kernel[0],
          (int) it.kernel[1], (int) it.stride[0], (int) it.stride[1], (int) it.pad[0],
          (int) it.pad[1], (int) it.pad[0], (int) it.pad[1]);
      text = g_strdup_printf (
          "in x 1 %d %d %d;MaxPool x -> y i %s;MaxUnpool y i -> z %s;ints s 1 %d %d %d;"
          "MaxUnpool y i s -> w %s", (int) it.planes, (int) it.in[0], (int) it.in[1],
          window, window, (int) it.planes, (int) (it.in[0] + it.more[0]),
          (int) (it.in[1] + it.more[1]), window);
      graph = load (round % 2 == 0 ? 9 : 22, text);
      values = test_graph_run (graph, FALSE);
      check_unpooled (&it, graph, values);
    }
}

/* ---- TfIdfVectorizer ------------------------------------------------------- */

#define LENGTHS 3
#define GRAMS 12              /* of each length at most */
#define PLACES 9

typedef struct
{
  gint64 rows, n, x[3 * PLACES];
  gint64 least, most, n_skips;
  gint64 pool[GRAMS * LENGTHS * (LENGTHS + 1) / 2], starts[LENGTHS];
  gint64 columns[GRAMS * LENGTHS], n_columns;
  int n_pool, n_grams, mode;
} Grams;

static const char *const modes[] = { "TF", "IDF", "TFIDF" };

/* All n-grams of two words are different. */
static void
draw_pool (Grams *it)
{
  it->n_pool = it->n_grams = 0;
  for (int length = 1; length <= LENGTHS; length++)
    {
      it->starts[length - 1] = it->n_pool;
      for (int code = 0; code < 1 << length; code++)
        {
          if (g_test_rand_bit ())
            continue;
          for (int k = 0; k < length; k++)
            it->pool[it->n_pool++] = 5 + (code >> k & 1);
          it->n_grams++;
        }
    }
}

static void
draw_grams (Grams *it)
{
  do
    draw_pool (it);
  while (it->n_grams == 0);
  it->n_columns = it->n_grams + g_test_rand_int_range (0, 3);
  for (int i = 0; i < it->n_grams; i++) /* somewhere, and the last is there */
    {
      int k = g_test_rand_int_range (0, i + 1);

      it->columns[i] = it->columns[k];
      it->columns[k] = i == 0 ? it->n_columns - 1 : i - 1;
    }
  it->rows = g_test_rand_int_range (0, 4); /* 0: no dimension of rows */
  it->n = g_test_rand_int_range (1, PLACES + 1);
  for (gint64 i = 0; i < MAX (it->rows, 1) * it->n; i++)
    it->x[i] = g_test_rand_int_range (4, 8);
  it->least = g_test_rand_int_range (1, LENGTHS + 1);
  it->most = g_test_rand_int_range ((int) it->least, LENGTHS + 1);
  it->n_skips = g_test_rand_int_range (0, 4);
  it->mode = g_test_rand_int_range (0, 3);
}

/* Of n-grams of @length those at @gram, in a row. */
static int
count_gram (const Grams *it, const gint64 *row, const gint64 *gram, int length)
{
  int n = 0;

  for (gint64 step = 1; step <= (length == 1 ? 1 : it->n_skips + 1); step++)
    for (gint64 at = 0; at + (length - 1) * step < it->n; at++)
      {
        int k = 0;

        while (k < length && row[at + k * step] == gram[k])
          k++;
        n += k == length;
      }
  return n;
}

static double
weigh (const Grams *it, int n, gint64 column)
{
  double weight = 0.5 + (double) column;

  return it->mode == 0 ? n : it->mode == 1 ? (n > 0 ? weight : 0.0) : n * weight;
}

static void
check_counts (const Grams *it, const double *y)
{
  for (gint64 row = 0; row < MAX (it->rows, 1); row++)
    {
      g_autofree double *wanted = g_new0 (double, it->n_columns);
      int gram = 0;

      for (int length = 1; length <= LENGTHS; length++)
        {
          gint64 end = length < LENGTHS ? it->starts[length] : it->n_pool;

          for (gint64 at = it->starts[length - 1]; at < end; at += length, gram++)
            if (length >= it->least && length <= it->most)
              wanted[it->columns[gram]]
                  = weigh (it, count_gram (it, it->x + row * it->n, it->pool + at, length),
                           it->columns[gram]);
        }
      for (gint64 i = 0; i < it->n_columns; i++)
        g_assert_cmpfloat (y[row * it->n_columns + i], ==, wanted[i]);
    }
}

static char *
write_grams (const Grams *it)
{
  GString *text = g_string_new ("ints c ");

  add_list (text, it->x, (int) (MAX (it->rows, 1) * it->n), " ");
  if (it->rows > 0)
    g_string_append_printf (text, ";ints s %d %d;Reshape c s -> r;Cast r -> x to=6",
                            (int) it->rows, (int) it->n);
  else
    g_string_append (text, ";Identity c -> x");
  g_string_append (text, ";TfIdfVectorizer x -> y pool_int64s=");
  add_list (text, it->pool, it->n_pool, ",");
  g_string_append (text, " ngram_counts=");
  add_list (text, it->starts, LENGTHS, ",");
  g_string_append (text, " ngram_indexes=");
  add_list (text, it->columns, it->n_grams, ",");
  g_string_append_printf (text, " min_gram_length=%d max_gram_length=%d max_skip_count=%d "
                          "mode=%s weights=", (int) it->least, (int) it->most,
                          (int) it->n_skips, modes[it->mode]);
  for (gint64 i = 0; i < it->n_columns; i++)
    g_string_append_printf (text, "%s%d.5", i > 0 ? "," : "", (int) i);
  return g_string_free (text, FALSE);
}

static void
test_grams (void)
{
  for (int round = 0; round < ROUNDS; round++)
    {
      Grams it = { 0 };
      g_autofree char *text = NULL;
      g_autofree double *y = NULL;
      g_autoptr (TpGraph) graph = NULL;

      draw_grams (&it);
      text = write_grams (&it);
      graph = load (9 + round % 10, text);
      g_assert_cmpint (graph->tensors[find_tensor (graph, "y")].rank, ==,
                       it.rows > 0 ? 2 : 1);
      y = dup_constant (graph, "y");
      check_counts (&it, y);
    }
}

/* ---- MelWeightMatrix --------------------------------------------------------- */

static double
to_hertz (double mel)
{
  return 700 * (pow (10, mel / 2595) - 1);
}

/* ONNX writes the slopes up, the middle too, and then those down. */
static void
write_filter (double *out, gint64 n, int from, int middle, int to)
{
  if (from == middle)
    out[middle * n] = 1;
  for (int k = from; from < middle && k <= middle; k++)
    out[k * n] = (double) (k - from) / (middle - from);
  for (int k = middle; k < to; k++)
    out[k * n] = (double) (to - k) / (to - middle);
}

static void
test_mel (void)
{
  static const int rates[] = { 8000, 16000, 44100 };

  for (int round = 0; round < ROUNDS; round++)
    {
      int n = g_test_rand_int_range (1, 41), length = g_test_rand_int_range (64, 400);
      int rate = rates[round % 3], low = 20 * g_test_rand_int_range (0, 20);
      int high = rate / 2 - 20 * g_test_rand_int_range (0, 20);
      double first = 2595 * log10 (1 + low / 700.0), last = 2595 * log10 (1 + high / 700.0);
      gint64 bins = length / 2 + 1;
      g_autofree char *text = g_strdup_printf (
          "ints n %d;ints l %d;ints r %d;scalar a %d;scalar b %d;"
          "MelWeightMatrix n l r a b -> y", n, length, rate, low, high);
      g_autoptr (TpGraph) graph = load (17, text);
      g_autofree double *wanted = g_new0 (double, bins * n), *y = dup_constant (graph, "y");

      for (int i = 0; i < n; i++)
        {
          int edges[3];

          for (int k = 0; k < 3; k++)
            edges[k] = (int) floor ((length + 1)
                                    * to_hertz (first + (i + k) * ((last - first) / (n + 2)))
                                    / rate);
          write_filter (wanted + i, n, edges[0], edges[1], edges[2]);
        }
      for (gint64 k = 0; k < bins * n; k++)
        g_assert_cmpfloat (y[k], ==, (float) wanted[k]);
    }
}

/* ---- Dropout ------------------------------------------------------------------- */

/* @is_training: what it is told, or -1: an input says it. */
static void
check_dropout (int is_training, double ratio)
{
  g_autofree char *text = g_strdup_printf (
      "in x 40 100;scalar r %g;%s;Dropout x r t -> y m", ratio,
      is_training < 0 ? "bool t" : is_training ? "ints i 1;ints s;Reshape i s -> j;"
      "Cast j -> t to=9" : "ints i 0;ints s;Reshape i s -> j;Cast j -> t to=9");
  g_autoptr (TpGraph) graph = load (22, text);
  g_autoptr (GPtrArray) values = test_graph_run (graph, FALSE);
  const double *x = get_values (graph, values, "x"), *y = get_values (graph, values, "y");
  const double *m = get_values (graph, values, "m");
  gboolean drops = is_training < 0 ? get_values (graph, values, "t")[0] != 0 : is_training;
  double kept = 0, part = drops ? 1 - ratio : 1;

  for (int i = 0; i < 4000; i++)
    {
      kept += m[i];
      g_assert_true (m[i] == 0 || m[i] == 1);
      g_assert_cmpfloat (fabs (y[i] - m[i] * x[i] / part), <, 1e-6);
    }
  g_assert_cmpfloat (fabs (kept / 4000 - part), <=,
                     SIGMAS * sqrt (part * (1 - part) / 4000));
}

static void
test_dropout (void)
{
  for (int is_training = 0; is_training < 2; is_training++)
    {
      check_dropout (is_training, 0.0);
      check_dropout (is_training, 0.75);
    }
  for (int round = 0; round < 6; round++)
    check_dropout (-1, 0.4);
}

/* ---- Det ------------------------------------------------------------------------ */

/* The sum over all permutations: of rows from @row on, and columns not @taken. */
static double
sum_permutations (const double *rows, int n, int row, int taken)
{
  double sum = 0, sign = 1;

  if (row == n)
    return 1;
  for (int column = 0; column < n; column++)
    if ((taken & 1 << column) == 0)
      {
        sum += sign * rows[row * n + column]
               * sum_permutations (rows, n, row + 1, taken | 1 << column);
        sign = -sign;
      }
  return sum;
}

static void
test_det (void)
{
  for (int n = 1; n <= 6; n++)
    {
      g_autofree char *text = g_strdup_printf ("in x 2 5 %d %d;Det x -> y", n, n);
      g_autoptr (TpGraph) graph = load (22, text);
      g_autoptr (GPtrArray) values = test_graph_run (graph, FALSE);
      const double *x = get_values (graph, values, "x");
      const double *y = get_values (graph, values, "y");

      g_assert_cmpint (graph->tensors[graph->outputs[0]].rank, ==, 2);
      for (int i = 0; i < 10; i++)
        g_assert_cmpfloat (fabs (y[i] - sum_permutations (x + i * n * n, n, 0, 0)), <, 1e-9);
    }
}

/* Rows that are equal, and a matrix of no rows. */
static void
test_det_ends (void)
{
  g_autoptr (TpGraph) graph
      = load (22, "in x 4 5;ints i 0 1 2 1 3;Gather x i -> r;Det r -> y;const e 3 0 0;"
                  "Det e -> z");
  g_autoptr (GPtrArray) values = test_graph_run (graph, FALSE);
  const double *z = get_values (graph, values, "z");

  g_assert_cmpfloat (fabs (get_values (graph, values, "y")[0]), <, 1e-12);
  g_assert_true (z[0] == 1 && z[1] == 1 && z[2] == 1);
}

/* ---- what is refused ------------------------------------------------------------- */

static const struct
{
  const char *text, *message;
} errors[] = {
  { "in x 1 1 2 2;int64 i 1 1 2 2;MaxUnpool x i -> y kernel_shape=2,2 strides=2,2,2",
    "strides has 3 numbers, must have 2" },
  { "in x 1 1 2 2;int64 i 1 1 2 2;MaxUnpool x i -> y", "kernel_shape has 0 numbers" },
  { "in x 1 1 2 2 3;int64 i 1 1 2 2 3;MaxUnpool x i -> y kernel_shape=2,2",
    "which do not make up [1, 1, 2, 2]" },
  { "in x 4;TfIdfVectorizer x -> y mode=TF min_gram_length=1 max_gram_length=1 "
    "max_skip_count=0 ngram_counts=0 ngram_indexes=0 pool_int64s=3",
    "its input must be int32 or int64" },
  { "int64 x 4;TfIdfVectorizer x -> y mode=TF min_gram_length=1 max_gram_length=1 "
    "max_skip_count=0 ngram_counts=0 ngram_indexes=0 pool_strings=a",
    "its pool is of strings" },
  { "int64 x 4;TfIdfVectorizer x -> y mode=TF min_gram_length=1 max_gram_length=2 "
    "max_skip_count=0 ngram_counts=0,1 ngram_indexes=0,1 pool_int64s=3,4",
    "ngram_counts does not divide the pool" },
  { "int64 x 4;TfIdfVectorizer x -> y mode=TF min_gram_length=1 max_gram_length=1 "
    "max_skip_count=0 ngram_counts=0 ngram_indexes=0,1 pool_int64s=3",
    "ngram_indexes has not one number for each" },
  { "int64 x 4;TfIdfVectorizer x -> y mode=TF min_gram_length=2 max_gram_length=2 "
    "max_skip_count=0 ngram_counts=0 ngram_indexes=0 pool_int64s=3",
    "lengths that ngram_counts has" },
  { "int64 x 4;TfIdfVectorizer x -> y mode=DF min_gram_length=1 max_gram_length=1 "
    "max_skip_count=0 ngram_counts=0 ngram_indexes=0 pool_int64s=3",
    "mode 'DF' is not known" },
  { "int64 x 4;TfIdfVectorizer x -> y mode=IDF min_gram_length=1 max_gram_length=1 "
    "max_skip_count=0 ngram_counts=0 ngram_indexes=1 pool_int64s=3 weights=1.0",
    "weights has not one number for each column" },
  { "int64 n;ints l 64;ints r 8000;scalar a 0;scalar b 4000;MelWeightMatrix n l r a b -> y",
    "its num_mel_bins 'n' is not known before a run" },
  { "ints n 8;ints l 64;ints r 8000;scalar a 400;scalar b 40;MelWeightMatrix n l r a b -> y",
    "its frequencies are 400 to 40" },
};

static void
test_errors (void)
{
  for (gsize i = 0; i < G_N_ELEMENTS (errors); i++)
    {
      g_autoptr (GError) error = NULL;
      g_autoptr (TpGraph) graph = test_graph_new (17, errors[i].text, &error);

      g_test_message ("%s", errors[i].text);
      g_assert_null (graph);
      g_assert_nonnull (strstr (error->message, errors[i].message));
    }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/rare/bits", test_bits);
  g_test_add_func ("/rare/constant-bits", test_constant_bits);
  g_test_add_func ("/rare/unpool", test_unpool);
  g_test_add_func ("/rare/grams", test_grams);
  g_test_add_func ("/rare/mel", test_mel);
  g_test_add_func ("/rare/dropout", test_dropout);
  g_test_add_func ("/rare/det", test_det);
  g_test_add_func ("/rare/det-ends", test_det_ends);
  g_test_add_func ("/rare/errors", test_errors);
  return g_test_run ();
}
