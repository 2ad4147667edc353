/* op-support.c: graphs for tests from a few words. */
#include "config.h"

#include "graph/control.h"
#include "graph/function.h"
#include "graph/graph-builder-private.h"
#include "graph/graph-builder.h"
#include "graph/graph-expand.h"
#include "graph/graph-finish.h"
#include "graph/graph-limit.h"
#include "ir/graph-value.h"
#include "nest/nest-eval.h"
#include "op-support.h"
#include "ops/op.h"
#include "ops/reference.h"

#include <math.h>
#include <string.h>

/* ---- reading ------------------------------------------------------------ */

typedef struct
{
  TpGraphBuilder *builder;
  int n_constants;
  TpDtype real;               /* where no type is said */
} TestReader;

static gboolean
read_input (TestReader *reader, TpDtype dtype, char **words, GError **error)
{
  TpDimSpec dims[TP_MAX_RANK];
  int rank = g_strv_length (words) - 2;
  TpTensorSpec input = { words[1], dtype, rank, dims, "test" };

  for (int i = 0; i < rank; i++)
    dims[i] = (TpDimSpec){ g_ascii_strtoll (words[2 + i], NULL, 10), NULL };
  return tp_graph_builder_add_input (reader->builder, &input, error);
}

static gboolean
add_data (TestReader *reader, TpTensor *constant, gconstpointer data,
          gsize size, GError **error)
{
  g_autoptr (GBytes) bytes = g_bytes_new (data, size);

  constant->init.kind = TP_INIT_DATA;
  constant->init.data = g_bytes_get_data (bytes, NULL);
  tp_graph_builder_keep (reader->builder, bytes);
  return tp_graph_builder_add_constant (reader->builder, constant, "test",
                                        error);
}

static gboolean
add_reals (TestReader *reader, TpTensor *constant, const double *values,
           gint64 n, GError **error)
{
  gsize size = n * tp_dtype_get_size (constant->dtype);
  g_autofree void *data = g_malloc (size + 1);

  tp_dtype_store_doubles (constant->dtype, values, n, data);
  return add_data (reader, constant, data, size, error);
}

static gboolean
read_ints (TestReader *reader, char **words, GError **error)
{
  gint64 n = g_strv_length (words) - 2;
  g_autofree gint64 *values = g_new0 (gint64, n + 1);
  TpTensor constant
      = { .name = words[1],
          .dtype = TPLAN_DTYPE_INT64,
          .rank = 1,
          .dims = &n };

  for (int i = 0; i < n; i++)
    values[i] = g_ascii_strtoll (words[2 + i], NULL, 10);
  return add_data (reader, &constant, values, n * 8 + 8, error);
}

static gboolean
read_scalar (TestReader *reader, char **words, GError **error)
{
  double value = g_ascii_strtod (words[2], NULL);
  TpTensor constant = { .name = words[1], .dtype = reader->real };

  return add_reals (reader, &constant, &value, 1, error);
}

static gboolean
read_constant (TestReader *reader, char **words, GError **error)
{
  int rank = g_strv_length (words) - 2;
  gint64 dims[TP_MAX_RANK];
  TpTensor constant
      = { .name = words[1], .dtype = reader->real, .rank = rank, .dims = dims };
  gint64 count = 1;
  g_autofree double *data = NULL;
  gboolean is_positive = strcmp (words[0], "pos") == 0;
  gboolean is_byte = strcmp (words[0], "bytes") == 0;
  guint64 seed = reader->n_constants++;

  for (int i = 0; i < rank; i++)
    {
      dims[i] = g_ascii_strtoll (words[2 + i], NULL, 10);
      count *= dims[i];
    }
  data = g_new (double, count + 1);
  for (gint64 i = 0; i < count; i++)
    {
      data[i] = tp_random_uniform (seed, i);
      if (is_positive)
        data[i] = fabs (data[i]) + 0.1;
      if (is_byte)
        data[i] = floor (128 * (data[i] + 1));
    }
  if (is_byte)
    constant.dtype = TPLAN_DTYPE_UINT8;
  return add_reals (reader, &constant, data, count, error);
}

/* @op: NULL, if it is a function: what has a comma is a list, what has a point a
 * real, what begins with a letter a word. */
static TpAttrKind
find_attr_kind (const TpOp *op, const char *name, const char *value)
{
  if (op == NULL && g_ascii_isalpha (*value))
    return TP_ATTR_STRING;
  if (op == NULL && strchr (value, ',') != NULL)
    return strchr (value, '.') != NULL ? TP_ATTR_FLOATS : TP_ATTR_INTS;
  if (op == NULL)
    return strchr (value, '.') != NULL ? TP_ATTR_FLOAT : TP_ATTR_INT;
  for (const TpAttrSpec *spec = op->attrs; spec != NULL && spec->name; spec++)
    if (strcmp (spec->name, name) == 0)
      return spec->kind;
  return TP_ATTR_INT;
}

/* "pads=1,1"; @text is cut up, and what @attr points to is never freed. */
static void
parse_attr (const TpOp *op, char *text, TpAttr *attr)
{
  char *value = strchr (text, '=');
  char **parts = NULL;
  gint64 *ints = NULL;
  double *floats = NULL;

  g_assert_nonnull (value);
  *value++ = '\0';
  parts = g_strsplit (value, ",", -1);
  attr->name = text;
  attr->kind = find_attr_kind (op, text, value);
  attr->s = value;
  attr->n = *value == '\0' ? 0 : g_strv_length (parts);
  ints = g_new0 (gint64, attr->n + 1);
  floats = g_new0 (double, attr->n + 1);
  for (int i = 0; i < attr->n; i++)
    {
      ints[i] = g_ascii_strtoll (parts[i], NULL, 10);
      floats[i] = g_ascii_strtod (parts[i], NULL);
    }
  attr->i = ints[0];
  attr->f = floats[0];
  attr->ints = ints;
  attr->floats = floats;
  attr->strings = (const char *const *)parts;
}

static gboolean
read_node (TestReader *reader, char **words, GError **error)
{
  const TpOp *op = tp_op_find (words[0]) != NULL ? tp_op_find (words[0])
                                                 : tp_control_find (words[0]);
  TpAttr attrs[12] = { { 0 } };
  const char *inputs[16];
  const char *outputs[16];
  TpNode node = { .name = words[0], .type = words[0], .place = "test" };
  int n_inputs = 0;
  int n_outputs = -1;
  gboolean ok = FALSE;

  g_assert_true (op != NULL || tp_function_is_known (words[0]));
  node.op = tp_op_find (words[0]); /* the others the builder finds */
  node.attrs = attrs;
  for (int i = 1; words[i] != NULL; i++)
    if (strchr (words[i], '=') != NULL)
      parse_attr (op, words[i], &attrs[node.n_attrs++]);
    else if (strcmp (words[i], "->") == 0)
      n_outputs = 0;
    else if (n_outputs >= 0)
      outputs[n_outputs++] = strcmp (words[i], "_") == 0 ? "" : words[i];
    else
      inputs[n_inputs++] = strcmp (words[i], "_") == 0 ? "" : words[i];
  node.name = *outputs[0] != '\0' ? outputs[0] : words[0];
  ok = tp_graph_builder_add_node (
      reader->builder, &node,
      (TpNodeNames){ n_inputs, inputs, n_outputs, outputs }, error);
  for (int i = 0; i < node.n_attrs; i++)
    {
      g_free ((gpointer)attrs[i].ints);
      g_free ((gpointer)attrs[i].floats);
      g_strfreev ((char **)attrs[i].strings);
    }
  return ok;
}

static gboolean
read_line (TestReader *reader, char *line, GError **error)
{
  g_auto (GStrv) words = g_strsplit (g_strstrip (line), " ", -1);
  TpDtype dtype = reader->real;

  if (words[0] == NULL || *words[0] == '\0')
    return TRUE;
  if (strcmp (words[0], "in") == 0 || tp_dtype_find (words[0], &dtype))
    return read_input (reader, dtype, words, error);
  if (strcmp (words[0], "ints") == 0)
    return read_ints (reader, words, error);
  if (strcmp (words[0], "scalar") == 0)
    return read_scalar (reader, words, error);
  if (strcmp (words[0], "const") == 0 || strcmp (words[0], "pos") == 0
      || strcmp (words[0], "bytes") == 0)
    return read_constant (reader, words, error);
  return read_node (reader, words, error);
}

/* Names produced and never read are outputs. */
static gboolean
add_outputs (TestReader *reader, char **lines, GError **error)
{
  g_autoptr (GHashTable) read =
      g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  g_autoptr (GPtrArray) made = g_ptr_array_new_with_free_func (g_free);

  for (int i = 0; lines[i] != NULL; i++)
    {
      g_auto (GStrv) words = g_strsplit (g_strstrip (lines[i]), " ", -1);
      int k = 1;

      if (!g_strv_contains ((const char *const *)words, "->"))
        continue;
      for (; strcmp (words[k], "->") != 0; k++)
        g_hash_table_add (read, g_strdup (words[k]));
      for (k++; words[k] != NULL && strchr (words[k], '=') == NULL; k++)
        if (strcmp (words[k], "_") != 0)
          g_ptr_array_add (made, g_strdup (words[k]));
    }
  for (guint i = 0; i < made->len; i++)
    if (!g_hash_table_contains (read, made->pdata[i])
        && !tp_graph_builder_add_output (reader->builder, made->pdata[i],
                                         "test", error))
      return FALSE;
  return TRUE;
}

TpGraph *
test_graph_new (int opset, const char *text, GError **error)
{
  return test_graph_new_of (TPLAN_DTYPE_FLOAT32, opset, text, error);
}

/* ONNX has the first of float32 alone; the others take integers, and whole numbers in
 * float32. */
gboolean
test_text_is_of_float32 (const char *text)
{
  return strstr (text, "DynamicQuantizeLinear ") != NULL
         || strstr (text, "BitCast ") != NULL
         || strstr (text, "MatMulInteger ") != NULL
         || strstr (text, "ConvInteger ") != NULL;
}

static TpGraph *
read_graph (TpGraphBuilder *builder, TpDtype real, const char *text, GError **error)
{
  g_auto (GStrv) lines = g_strsplit (text, ";", -1);
  TestReader reader = { builder, 1, real };

  for (int i = 0; lines[i] != NULL; i++)
    if (!read_line (&reader, lines[i], error))
      return NULL;
  if (!add_outputs (&reader, lines, error))
    return NULL;
  return tp_graph_builder_finish (builder, NULL, error);
}

TpGraph *
test_graph_new_of (TpDtype real, int opset, const char *text, GError **error)
{
  g_autoptr (TpGraphBuilder) builder = tp_graph_builder_new ("test", opset);

  return read_graph (builder, real, text, error);
}

TpGraph *
test_graph_new_within (const TpLimits *limits, int opset, const char *text, GError **error)
{
  g_autoptr (TpGraphBuilder) builder = tp_graph_builder_new ("test", opset);

  tp_graph_builder_set_limits (builder, limits, 64 << 10);
  return read_graph (builder, TPLAN_DTYPE_FLOAT32, text, error);
}

/* ---- layouts ------------------------------------------------------------ */

static void
set_strides (TpGraph *graph, TpTensor *tensor, const int *order)
{
  gint64 *strides
      = tp_region_take (graph->region, tensor->rank, sizeof *strides);
  gint64 stride = 1;

  for (int i = 0; i < tensor->rank; i++)
    {
      strides[order[i]] = stride;
      stride *= tensor->dims[order[i]];
    }
  tensor->strides = strides;
}

static void
shuffle (int *order, int n)
{
  for (int i = n - 1; i > 0; i--)
    {
      int k = g_test_rand_int_range (0, i + 1);
      int kept = order[i];

      order[i] = order[k];
      order[k] = kept;
    }
}

static gboolean
is_viewed (const TpGraph *graph, int tensor)
{
  for (int i = 0; i < graph->n_nodes; i++)
    if (graph->nodes[i].op->kind == TP_OP_VIEW
        && (graph->nodes[i].inputs[0] == tensor
            || graph->nodes[i].outputs[0] == tensor))
      return TRUE;
  return FALSE;
}

void
test_graph_set_layout (TpGraph *graph, TestLayout layout)
{
  static const int channels_last[] = { 1, 3, 2, 0 };

  for (int i = 0; i < graph->n_tensors; i++)
    {
      TpTensor *tensor = &graph->tensors[i];
      int order[TP_MAX_RANK];

      for (int k = 0; k < tensor->rank; k++)
        order[k] = tensor->rank - 1 - k;
      if (tp_tensor_is_constant (tensor) || is_viewed (graph, i))
        continue;
      if (layout == TEST_LAYOUT_CHANNELS_LAST && tensor->rank == 4)
        memcpy (order, channels_last, sizeof channels_last);
      if (layout == TEST_LAYOUT_SHUFFLED)
        shuffle (order, tensor->rank);
      set_strides (graph, tensor, order);
    }
}

/* ---- comparing ---------------------------------------------------------- */

/* Integers are small, of either sign where the type has one. */
static double
pick_value (TpDtype dtype, gboolean is_positive)
{
  if (dtype == TPLAN_DTYPE_BOOL)
    return g_test_rand_bit ();
  if (tp_dtype_is_integer (dtype))
    return g_test_rand_int_range (
        is_positive ? 1 : tp_dtype_get (dtype)->low < 0 ? -7 : 0, 8);
  return (float)g_test_rand_double_range (is_positive ? 0.1 : -2.0, 2.0);
}

GPtrArray *
test_graph_run (const TpGraph *graph, gboolean is_positive)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GPtrArray) inputs = g_ptr_array_new_with_free_func (g_free);
  GPtrArray *values = NULL;

  for (int i = 0; i < graph->n_inputs; i++)
    {
      const TpTensor *tensor = &graph->tensors[graph->inputs[i]];
      double *data = g_new (double, tensor->count + 1);

      for (gint64 k = 0; k < tensor->count; k++)
        data[k] = pick_value (tensor->dtype, is_positive);
      tp_dtype_round (tensor->dtype, data, tensor->count);
      g_ptr_array_add (inputs, data);
    }
  values = tp_graph_run_reference (graph, (const double *const *)inputs->pdata,
                                   TRUE, &error);
  g_assert_no_error (error);
  return values;
}

/* Row-major values to the tensor's storage, or back. */
static void
copy_layout (const TpTensor *tensor, double *row_major, double *storage,
             gboolean is_back)
{
  gint64 at[TP_MAX_RANK] = { 0 };

  for (gint64 i = 0; i < tensor->count; i++)
    {
      gint64 index = 0;

      for (int k = 0; k < tensor->rank; k++)
        index += at[k] * tensor->strides[k];
      if (is_back)
        row_major[i] = storage[index];
      else
        storage[index] = row_major[i];
      for (int k = tensor->rank - 1; k >= 0 && ++at[k] == tensor->dims[k]; k--)
        at[k] = 0;
    }
}

/* How near nests come to the references of their ops, in double. */
static double
get_bound (const TpGraph *graph)
{
  for (int i = 0; i < graph->n_nodes; i++)
    if ((graph->nodes[i].op->flags & TP_OP_FITTED) != 0)
      return 1e-7;
  return 1e-9;
}

typedef struct
{
  const char *what;
  double bound;               /* of the larger of a value and 1 */
} Comparison;

static void
compare (const double *got, const double *want, gint64 n,
         const Comparison *comparison)
{
  const char *what = comparison->what;

  for (gint64 i = 0; i < n; i++)
    {
      double bound = comparison->bound * MAX (1.0, fabs (want[i]));

      if (!(fabs (got[i] - want[i]) <= bound || got[i] == want[i]))
        g_error ("%s: element %" G_GINT64_FORMAT " is %.12g, expected %.12g",
                 what, i, got[i], want[i]);
    }
}

static double *
fill_operand (const TpGraph *graph, const TpOperand *operand, GPtrArray *values)
{
  double *storage = g_new (double, operand->n_elements);
  gboolean has_tensor = operand->tensor >= 0;
  const TpTensor *tensor = has_tensor ? &graph->tensors[operand->tensor] : NULL;

  if (operand->is_output || !has_tensor)
    for (gint64 i = 0; i < operand->n_elements; i++)
      storage[i] = NAN; /* whatever is not written shows */
  else if (tp_tensor_is_constant (tensor))
    tp_tensor_write_doubles (tensor, storage);
  else
    copy_layout (tensor, values->pdata[operand->tensor], storage, FALSE);
  return storage;
}

static void
compare_output (const TpGraph *graph, const TpOperand *operand, double *storage,
                GPtrArray *values, const char *what)
{
  const TpTensor *out = &graph->tensors[operand->tensor];
  g_autofree double *got = g_new0 (double, out->count);

  copy_layout (out, got, storage, TRUE);
  compare (got, values->pdata[operand->tensor], out->count,
           &(Comparison){ what, get_bound (graph) });
}

int
test_lowered_count_results (const TpLowered *lowered)
{
  int n = 0;

  for (int i = 0; i < lowered->n_nests; i++)
    n += !lowered->operands[lowered->nests[i]->store.operand].is_scratch;
  return n;
}

void
test_lowered_compare (const TpGraph *graph, const TpLowered *lowered,
                      GPtrArray *values, const char *what)
{
  int n = lowered->n_operands;
  g_autofree double **buffers = g_new0 (double *, n + 1);

  g_assert_true (lowered->operands[n - 1].is_output);
  for (int i = 0; i < n; i++)
    buffers[i] = fill_operand (graph, &lowered->operands[i], values);
  tp_lowered_eval (lowered, buffers);
  for (int i = 0; i < n; i++)
    {
      if (lowered->operands[i].is_output)
        compare_output (graph, &lowered->operands[i], buffers[i], values, what);
      else
        g_assert_true (i == 0 || !lowered->operands[i - 1].is_output);
      g_free (buffers[i]);
    }
}
