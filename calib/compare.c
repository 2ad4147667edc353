/* compare.c: whether a kernel computes what it should.
 *
 * A driver that does nothing is the fastest of all. So before a kernel is timed it
 * runs once on inputs of our making, and what it stores is held against its nests,
 * run by plain loops: in full where that is quick, else at points spread over
 * the output. Kernels are only condemned for what rounding cannot explain. */
#include "config.h"

#include "calib/compare.h"

#include "ir/op.h"
#include "nest/nest-eval.h"
#include "ops/random-input.h"
#include "runtime/strided.h"
#include "schedule/program.h"

#include <math.h>
#include <string.h>

#define STEPS_SAMPLED 4e5     /* expressions, for the last nests: a few ms */
#define STEPS_BEFORE 5e6      /* for those before, which run in full */
#define POINTS_MIN 16
#define POINTS_MAX 65536
#define COPY_BYTES_MAX (G_GINT64_CONSTANT (64) << 20)
#define LEAST_SCALE 0.01      /* inputs are about 1: what cancels keeps their
                               * error */
#define FEW 64                /* one point in so many may be off: what is cut at a
                               * step falls to either side */
#define RELAXED 10            /* what larger errors are larger by */
#define FAR 0.02              /* off by so much is no rounding */

typedef struct
{
  TpChain *chain;
  int link;
  const TpKey *key;
  const TpLowered *lowered;
  TpCells *cells;             /* per operand */
  void **owned;               /* per operand: what of it is freed */
  TpBuf **bufs;               /* per operand: NULL: it has none */
  GArray *points;             /* what should come */
} Comparison;

static void
comparison_clear (Comparison *self)
{
  for (int i = 0; i < self->lowered->n_operands; i++)
    g_free (self->owned[i]);
  g_free (self->owned);
  g_free (self->cells);
  g_free (self->bufs);
  g_array_unref (self->points);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Comparison, comparison_clear)

static void
comparison_init (Comparison *self, TpChain *chain, int link)
{
  const TpKey *key = &chain->keys->keys[chain->links[link].key];
  int n = key->lowered->n_operands;

  *self = (Comparison){ .chain = chain,
                        .link = link,
                        .key = key,
                        .lowered = key->lowered,
                        .cells = g_new0 (TpCells, n + 1),
                        .owned = g_new0 (void *, n + 1),
                        .bufs = g_new0 (TpBuf *, n + 1),
                        .points = g_array_new (FALSE, FALSE,
                                               sizeof (TpPoint)) };
}

/* ---- what it takes -------------------------------------------------------- */

static double
count_points (const TpNest *nest)
{
  double n = 1;

  for (int i = 0; i < nest->n_axes; i++)
    n *= nest->axes[i].is_reduce ? 1 : (double) nest->axes[i].extent;
  return n;
}

static gint64
get_bytes (const TpOperand *operand)
{
  return operand->n_elements * (gint64) tp_dtype_get_size (operand->dtype);
}

/* Constants that lie in the model's file are read where they are. */
static gboolean
is_in_place (const TpTensor *tensor)
{
  return tensor->init.kind == TP_INIT_DATA && tensor->init.scale == NULL
         && tensor->init.steps == NULL && tp_tensor_is_row_major (tensor);
}

static gint64
count_copied (const Comparison *self)
{
  gint64 bytes = 0;

  for (int i = 0; i < self->lowered->n_operands; i++)
    {
      const TpOperand *it = &self->lowered->operands[i];

      if (it->is_iota)
        continue;
      if (it->n_elements > COPY_BYTES_MAX)
        return G_MAXINT64;
      if (it->is_scratch)
        bytes += it->n_elements * (gint64) sizeof (double);
      else if (!it->is_constant
               || !is_in_place (&self->chain->graph->tensors[it->tensor]))
        bytes += get_bytes (it);
    }
  return bytes;
}

/* Whether it can be compared, in little time, and *@out_most points of each of the
 * last nests. */
static gboolean
is_quick (const Comparison *self, gint64 *out_most)
{
  const TpLowered *lowered = self->lowered;
  double before = 0, last = 0;

  for (int i = 0; i < lowered->n_nests; i++)
    {
      const TpNest *nest = lowered->nests[i];
      double steps = tp_nest_count_steps (nest), n = count_points (nest);

      if (n < 1 || nest->store.index >= 0) /* which of several is last? */
        return FALSE;
      if (tp_lowered_is_last (lowered, i))
        last += steps;
      else if (lowered->operands[nest->store.operand].is_scratch)
        before += steps * n;
      else
        return FALSE;
    }
  if (lowered->n_iterations != 1 || last == 0 || before > STEPS_BEFORE
      || last * POINTS_MIN > STEPS_BEFORE
      || count_copied (self) > COPY_BYTES_MAX)
    return FALSE;
  *out_most = (gint64) CLAMP (STEPS_SAMPLED / last, POINTS_MIN, POINTS_MAX);
  return TRUE;
}

/* ---- what goes in ---------------------------------------------------------- */

static void *
try_alloc (Comparison *self, int operand, gint64 size_bytes, GError **error)
{
  self->owned[operand] = g_try_malloc0 (MAX (size_bytes, 1));
  if (self->owned[operand] == NULL)
    g_set_error_literal (error, TPLAN_ERROR, TPLAN_ERROR_MEMORY,
                         "no memory to compare a kernel with its reference");
  self->cells[operand].data = self->owned[operand];
  return self->owned[operand];
}

static gboolean
take_constant (Comparison *self, int operand, const TpTensor *tensor,
               GError **error)
{
  g_autofree void *rows = NULL;

  if (is_in_place (tensor))
    {
      self->cells[operand].data = (void *) tensor->init.data;
      return TRUE;
    }
  rows = tp_tensor_dup_value (tensor, error);
  if (rows == NULL
      || try_alloc (self, operand, tensor->size_bytes, error) == NULL)
    return FALSE;
  tp_strided_scatter (tensor, rows, self->owned[operand]);
  return TRUE;
}

/* What two operands share has one value. */
static gboolean
copy_shared (Comparison *self, int operand)
{
  for (int i = 0; i < operand; i++)
    if (self->bufs[i] != NULL && self->bufs[i] == self->bufs[operand]
        && self->cells[i].data != NULL)
      {
        self->cells[operand].data = self->cells[i].data;
        return TRUE;
      }
  return FALSE;
}

static gboolean
write_input (Comparison *self, int operand, const TpStorage *storage,
             GError **error)
{
  TpDevice *device = self->chain->device;
  TpBuf *buf = self->bufs[operand];
  void *data = try_alloc (self, operand, storage->size_bytes, error);

  if (data == NULL)
    return FALSE;
  if (storage->is_constant)
    return tp_device_read (device, buf, data, storage->size_bytes, error);
  tp_random_input_write (self->chain->graph, storage->tensor, operand + 1, 1.0,
                         data);
  return tp_device_write (device, buf, data, storage->size_bytes, error);
}

/* What computes nothing leaves what was there. */
static gboolean
spoil_output (Comparison *self, int operand, GError **error)
{
  gint64 size_bytes = get_bytes (&self->lowered->operands[operand]);
  void *data = try_alloc (self, operand, size_bytes, error);

  if (data == NULL)
    return FALSE;
  memset (data, 0x7f, size_bytes); /* floats of 3e38 */
  return tp_device_write (self->chain->device, self->bufs[operand], data,
                          size_bytes, error);
}

static gboolean
take_operand (Comparison *self, int operand, GError **error)
{
  const TpOperand *it = &self->lowered->operands[operand];
  const TpStorage *storage;

  self->cells[operand].dtype = it->dtype;
  if (it->is_iota)
    return TRUE;
  if (it->is_scratch)
    {
      self->cells[operand].dtype = TPLAN_DTYPE_FLOAT64;
      return try_alloc (self, operand,
                        it->n_elements * (gint64) sizeof (double), error)
             != NULL;
    }
  if (it->is_constant)
    return take_constant (self, operand,
                          &self->chain->graph->tensors[it->tensor], error);
  storage = tp_chain_find_storage (self->chain, self->link, it->tensor,
                                   &self->bufs[operand]);
  if (storage != NULL && it->is_output)
    return spoil_output (self, operand, error);
  if (storage == NULL || copy_shared (self, operand))
    return TRUE;
  return write_input (self, operand, storage, error);
}

static gboolean
is_complete (const Comparison *self)
{
  for (int i = 0; i < self->lowered->n_operands; i++)
    if (self->cells[i].data == NULL && !self->lowered->operands[i].is_iota)
      return FALSE;
  return TRUE;
}

/* ---- what comes out -------------------------------------------------------- */

/* Where a real goes over a step, rounding before it decides. */
static gboolean
has_steps (const TpLowered *lowered)
{
  static const TpExprOp steps[]
      = { TP_EXPR_FLOOR, TP_EXPR_ROUND, TP_EXPR_MOD,       TP_EXPR_LESS,
          TP_EXPR_EQUAL, TP_EXPR_SELECT, TP_EXPR_TO_INTEGER };

  for (int i = 0; i < lowered->n_nests; i++)
    for (int k = 0; k < lowered->nests[i]->n_exprs; k++)
      for (gsize j = 0; j < G_N_ELEMENTS (steps); j++)
        if (lowered->nests[i]->exprs[k].op == steps[j])
          return TRUE;
  return FALSE;
}

/* Of all ops, and what a long sum in floats may add. */
static double
find_tolerance (const Comparison *self)
{
  const char *rival = self->chain->links[self->link].rival;
  double tolerance = 1e-6, longest = 1;

  for (int i = 0; i < self->key->n_nodes; i++)
    tolerance
        += self->chain->graph->nodes[self->key->nodes[i]].op->tolerance;
  for (int i = 0; i < self->lowered->n_nests; i++)
    longest = MAX (longest, tp_nest_count_steps (self->lowered->nests[i]));
  tolerance += 1e-7 * sqrt (longest);
  return rival != NULL && tp_program_is_relaxed (rival) ? RELAXED * tolerance
                                                         : tolerance;
}

/* Whether what is near it may be infinite. */
static gboolean
is_beyond (TpDtype dtype, double value)
{
  double near = 1.1 * value;

  tp_dtype_round (dtype, &near, 1);
  return !(fabs (value) < 1e30) || !isfinite (near);
}

typedef struct
{
  int n, n_off;
  double worst;               /* relative */
  double got, want;           /* there */
} Verdict;

static void
judge (Verdict *verdict, double got, double want, double scale,
       double tolerance)
{
  double error = isfinite (got) ? fabs (got - want) / scale : HUGE_VAL;

  verdict->n++;
  verdict->n_off += error > tolerance;
  if (error <= verdict->worst)
    return;
  verdict->worst = error;
  verdict->got = got;
  verdict->want = want;
}

/* The root of the mean square of what is comparable. */
static double
find_scale (const Comparison *self, int operand)
{
  double square = 0;
  int n = 0;

  for (guint i = 0; i < self->points->len; i++)
    {
      const TpPoint *it = &g_array_index (self->points, TpPoint, i);

      if (it->operand != operand || !isfinite (it->value))
        continue;
      square += it->value * it->value;
      n++;
    }
  return MAX (sqrt (square / MAX (n, 1)), LEAST_SCALE);
}

/* @bytes: what the device has of @operand. Values beyond the type are not judged:
 * each way of rounding has its own. */
static void
judge_operand (const Comparison *self, int operand, const void *bytes,
               Verdict *verdict)
{
  TpDtype dtype = self->lowered->operands[operand].dtype;
  gboolean is_integer = tp_dtype_is_integer (dtype);
  gint64 size = (gint64) tp_dtype_get_size (dtype);
  double tolerance = is_integer ? 0
                                : find_tolerance (self)
                                      + 2 * tp_dtype_get (dtype)->rounding;
  double scale = is_integer ? 1 : find_scale (self, operand);

  for (guint i = 0; i < self->points->len; i++)
    {
      const TpPoint *it = &g_array_index (self->points, TpPoint, i);
      double got;

      if (it->operand != operand || is_beyond (dtype, it->value))
        continue;
      tp_dtype_load_doubles (dtype, (const char *) bytes + it->index * size, 1,
                             1, &got);
      judge (verdict, got, it->value, MAX (scale, fabs (it->value)),
             tolerance);
    }
}

static gboolean
judge_all (Comparison *self, Verdict *verdict, GError **error)
{
  for (int i = 0; i < self->lowered->n_operands; i++)
    {
      const TpOperand *it = &self->lowered->operands[i];

      if (!it->is_output)
        continue;
      if (!tp_device_read (self->chain->device, self->bufs[i], self->owned[i],
                           get_bytes (it), error))
        return FALSE;
      judge_operand (self, i, self->owned[i], verdict);
    }
  return TRUE;
}

static gboolean
launch (const Comparison *self, GError **error)
{
  TpDevice *device = self->chain->device;
  TpLaunch *it = self->chain->links[self->link].launch;

  return device->ops->launch (device, it, error)
         && device->ops->launch (device, NULL, error);
}

/* *@out_fault: (nullable) what is wrong with it. */
static gboolean
compare (TpChain *chain, int link, char **out_fault, GError **error)
{
  g_auto (Comparison) self;
  Verdict verdict = { 0 };
  gint64 most;

  comparison_init (&self, chain, link);
  if (!is_quick (&self, &most))
    return TRUE;
  for (int i = 0; i < self.lowered->n_operands; i++)
    if (!take_operand (&self, i, error))
      return FALSE;
  if (!is_complete (&self))
    return TRUE;
  tp_lowered_sample (self.lowered, self.cells, most, self.points);
  if (!launch (&self, error) || !judge_all (&self, &verdict, error))
    return FALSE;
  if (verdict.n_off > verdict.n / FEW
      || (verdict.worst > FAR && !has_steps (self.lowered)))
    *out_fault = g_strdup_printf (
        "wrong: %d of %d values compared are off, one is %.6g and should be "
        "%.6g: forget the device's figures to have it tried again "
        "(`tplan cost --help`)",
        verdict.n_off, verdict.n, verdict.got, verdict.want);
  return TRUE;
}

gboolean
tp_compare_link (TpChain *chain, int link, GError **error)
{
  const TpKey *key = &chain->keys->keys[chain->links[link].key];
  const char *name = tp_chain_get_name (chain, link);
  const char *known = g_hash_table_lookup (chain->faults, name);
  char *fault = NULL;

  if (chain->runs_nodes || key->lowered == NULL)
    return TRUE;
  if (known == NULL)
    {
      if (!compare (chain, link, &fault, error))
        return FALSE;
      known = fault != NULL ? fault : g_strdup ("");
      g_hash_table_insert (chain->faults, (char *) name, (char *) known);
    }
  if (*known == 0)
    return TRUE;
  g_set_error_literal (error, TPLAN_ERROR, TPLAN_ERROR_FAILED, known);
  return FALSE;
}
