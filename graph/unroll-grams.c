/* unroll-grams.c: see unroll-grams.h.
 *
 * The n-grams are attributes, so how many there are of each length is known, and where
 * they may stand once the shape is: each place and each n-gram are compared, and what is
 * equal is counted. */
#include "config.h"

#include "graph/unroll-grams.h"

#include "graph/unroll-known.h"
#include "graph/unroll-maker.h"
#include "ir/guard.h"

#include <string.h>

#define COLUMNS_MOST (1 << 24)

typedef struct
{
  TpMaker make;
  const TpNode *node;
  gint64 n_rows, n;           /* of the input, and numbers in each */
  int x;                      /* [n_rows, 1, n] of int64 */
  gint64 least, most;         /* lengths of n-grams that count */
  gint64 n_skips;             /* between two of an n-gram, at most */
  const gint64 *pool;         /* n-grams of one number, of two, .. */
  const gint64 *starts;       /* in the pool, by length */
  const gint64 *columns;      /* of the output, by n-gram */
  int n_pool, n_lengths, n_grams;
  gint64 n_columns;
  TpArray *counts;            /* int: [n_rows, some n-grams, 1] */
  gint64 n_counted;           /* n-grams in these */
  gint64 *places;             /* [n_columns]: among these; -1: it is not there */
} Grams;

static void
grams_clear (Grams *self)
{
  tp_array_unref (self->counts);
  g_free (self->places);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Grams, grams_clear)

/* ---- attributes ------------------------------------------------------------ */

static gboolean
fail_with (const Grams *self, const char *what)
{
  return tp_unroll_fail (self->make.unroll, self->make.error, "%s", what);
}

/* Where n-grams of @length end in the pool. */
static gint64
get_end (const Grams *self, gint64 length)
{
  return length < self->n_lengths ? self->starts[length] : self->n_pool;
}

/* All lengths there are make up the pool. */
static gboolean
check_pool (const Grams *self)
{
  gint64 n = 0;

  for (gint64 length = 1; length <= self->n_lengths; length++)
    {
      gint64 start = self->starts[length - 1], end = get_end (self, length);

      if (start < 0 || end < start || end > self->n_pool
          || (length == 1 && start != 0) || (end - start) % length != 0)
        return fail_with (self, "ngram_counts does not divide the pool into n-grams of "
                          "1, 2, .. numbers");
      n += (end - start) / length;
    }
  return n == self->n_grams
         || fail_with (self, "ngram_indexes has not one number for each n-gram of the pool");
}

static gboolean
read_columns (Grams *self)
{
  for (int i = 0; i < self->n_grams; i++)
    {
      if (self->columns[i] < 0 || self->columns[i] >= COLUMNS_MOST)
        return fail_with (self, "a number of ngram_indexes is below 0, or too large");
      self->n_columns = MAX (self->n_columns, self->columns[i] + 1);
    }
  if (self->n_columns == 0)
    return fail_with (self, "ngram_indexes is empty");
  self->places = tp_new (gint64, self->n_columns);
  memset (self->places, -1, self->n_columns * sizeof (gint64));
  return TRUE;
}

static gboolean
read_attributes (Grams *self)
{
  const TpNode *node = self->node;

  if (tp_node_find_attr (node, "pool_strings") != NULL)
    return tp_unroll_refuse (self->make.unroll, self->make.error, "its pool is of "
                             "strings, which are not supported: number the words, and "
                             "give pool_int64s");
  self->pool = tp_node_get_ints (node, "pool_int64s", &self->n_pool);
  self->starts = tp_node_get_ints (node, "ngram_counts", &self->n_lengths);
  self->columns = tp_node_get_ints (node, "ngram_indexes", &self->n_grams);
  self->least = tp_node_get_int (node, "min_gram_length", 1);
  self->most = tp_node_get_int (node, "max_gram_length", 1);
  self->n_skips = tp_node_get_int (node, "max_skip_count", 0);
  if (self->least < 1 || self->most < self->least || self->most > self->n_lengths)
    return fail_with (self, "min_gram_length and max_gram_length are not 1 or more, and "
                      "lengths that ngram_counts has");
  if (self->n_skips < 0)
    return fail_with (self, "max_skip_count is below 0");
  return check_pool (self) && read_columns (self);
}

static gboolean
read_input (Grams *self)
{
  TpUnroll *unroll = self->make.unroll;
  const TpTensor *x;
  gint64 dims[3];
  int input = self->node->inputs[0];

  if (!tp_unroll_check_tensor (unroll, input, "input", self->make.error))
    return FALSE;
  x = tp_draft_tensor (unroll->draft, input);
  if (x->dtype != TPLAN_DTYPE_INT32 && x->dtype != TPLAN_DTYPE_INT64)
    return fail_with (self, "its input must be int32 or int64");
  if (x->rank > 2 || x->count == 0)
    return fail_with (self, "its input must have elements, in one row or in some");
  self->n_rows = x->rank == 2 ? x->dims[0] : 1;
  self->n = x->count / self->n_rows;
  dims[0] = self->n_rows;
  dims[1] = 1;
  dims[2] = self->n;
  if (x->dtype != TPLAN_DTYPE_INT64)
    input = tp_maker_cast (&self->make, input, TPLAN_DTYPE_INT64);
  self->x = tp_maker_reshape (&self->make, input, 3, dims);
  return !self->make.has_failed;
}

/* ---- counting -------------------------------------------------------------- */

/* N-grams of one length. */
typedef struct
{
  gint64 length;
  gint64 n;                   /* of them */
  const gint64 *pool;
  int *numbers;               /* [length]: the first of each, the second, .. */
} Length;

/* [n, 1] each, of int64. */
static void
add_numbers (Grams *self, Length *it)
{
  g_autofree gint64 *values = tp_new (gint64, it->n + 1);
  const gint64 dims[] = { it->n, 1 };

  for (gint64 k = 0; k < it->length; k++)
    {
      for (gint64 i = 0; i < it->n; i++)
        values[i] = it->pool[i * it->length + k];
      it->numbers[k] = tp_maker_reshape (
          &self->make, tp_maker_add_ints (&self->make, (int) it->n, values), 2, dims);
    }
}

/* How often each is there whose numbers are @step apart; [n_rows, n, 1]. */
static int
count_apart (Grams *self, const Length *it, gint64 step)
{
  const gint64 along = 2, n_places = self->n - (it->length - 1) * step;
  TpMaker *make = &self->make;
  int all = -1;

  for (gint64 k = 0; k < it->length; k++)
    {
      int x = tp_maker_slice (make, self->x, 2, k * step, n_places);

      x = tp_maker_add (make, "Equal", x, it->numbers[k]);
      all = all < 0 ? x : tp_maker_add (make, "And", all, x);
    }
  all = tp_maker_cast (make, all, TPLAN_DTYPE_FLOAT32);
  return tp_maker_add (make, "ReduceSum", all, tp_maker_add_ints (make, 1, &along));
}

/* @first: which n-gram of the pool the first of them is. */
static void
count_length (Grams *self, Length *it, int first)
{
  gint64 n_steps = it->length == 1 ? 1 : MIN (self->n_skips, self->n) + 1;
  g_autofree int *numbers = tp_new (int, it->length);
  int sum = -1;

  it->numbers = numbers;
  add_numbers (self, it);
  for (gint64 step = 1; step <= n_steps && (it->length - 1) * step < self->n; step++)
    {
      int count = count_apart (self, it, step);

      sum = sum < 0 ? count : tp_maker_add (&self->make, "Add", sum, count);
    }
  if (sum < 0)
    return;
  tp_array_append_val (self->counts, sum);
  for (gint64 i = 0; i < it->n; i++)
    self->places[self->columns[first + i]] = self->n_counted + i;
  self->n_counted += it->n;
}

static void
count_all (Grams *self)
{
  int first = 0;

  for (gint64 length = 1; length <= self->most; length++)
    {
      gint64 start = self->starts[length - 1];
      Length it = { .length = length,
                    .n = (get_end (self, length) - start) / length,
                    .pool = self->pool + start };

      if (length >= self->least && it.n > 0)
        count_length (self, &it, first);
      first += (int) it.n;
    }
}

/* ---- what is made of it ------------------------------------------------------ */

/* Counts in their columns, others 0; the last to be joined is a column of zeros. */
static int
order_columns (Grams *self)
{
  const gint64 column[] = { self->n_rows, 1, 1 };
  const gint64 dims[] = { self->n_rows, self->n_columns };
  TpMaker *make = &self->make;
  gboolean is_row = tp_draft_tensor (make->unroll->draft, self->node->inputs[0])->rank < 2;
  int zero = tp_maker_add (make, "Expand",
                           tp_maker_add_real (make, TPLAN_DTYPE_FLOAT32, 0.0),
                           tp_maker_add_ints (make, 3, column));
  int inputs[2];

  for (gint64 i = 0; i < self->n_columns; i++)
    if (self->places[i] < 0)
      self->places[i] = self->n_counted;
  tp_array_append_val (self->counts, zero);
  inputs[0] = tp_maker_add_along (make, "Concat", 1, (int) self->counts->len,
                                  (const int *) (void *) self->counts->data);
  inputs[1] = tp_maker_add_ints (make, (int) self->n_columns, self->places);
  return tp_maker_reshape (make, tp_maker_add_along (make, "Gather", 1, 2, inputs),
                           is_row ? 1 : 2, is_row ? dims + 1 : dims);
}

/* Weights are those of columns, as runtimes have it. */
static gboolean
add_weights (Grams *self, int *count)
{
  const char *mode = tp_node_get_string (self->node, "mode", "");
  const TpAttr *weights = tp_node_find_attr (self->node, "weights");
  TpMaker *make = &self->make;
  gboolean is_there = strcmp (mode, "IDF") == 0; /* once is enough */
  int zero;

  if (!is_there && strcmp (mode, "TF") != 0 && strcmp (mode, "TFIDF") != 0)
    return tp_unroll_fail (make->unroll, make->error,
                           "mode '%s' is not known: 'TF', 'IDF' or 'TFIDF'", mode);
  if (is_there)
    {
      zero = tp_maker_add_real (make, TPLAN_DTYPE_FLOAT32, 0.0);
      *count = tp_maker_cast (make, tp_maker_add (make, "Greater", *count, zero),
                              TPLAN_DTYPE_FLOAT32);
    }
  if (strcmp (mode, "TF") == 0 || weights == NULL)
    return TRUE;
  if (weights->n != self->n_columns)
    return fail_with (self, "weights has not one number for each column of the output");
  *count = tp_maker_add (make, "Mul", *count,
                         tp_maker_add_reals (make, weights->n, weights->floats));
  return TRUE;
}

gboolean
tp_unroll_tf_idf (TpUnroll *self, const TpNode *node, GError **error)
{
  g_auto (Grams) it = { .make = { self, FALSE, error }, .node = node,
                        .counts = tp_array_new (sizeof (int)) };
  int count;

  if (!read_attributes (&it) || !read_input (&it))
    return FALSE;
  count_all (&it);
  count = order_columns (&it);
  return add_weights (&it, &count) && !it.make.has_failed
         && tp_unroll_give (self, node->outputs[0], count, error);
}
