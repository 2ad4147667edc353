/* reference.c: runs graphs by the references of their ops: reals in double,
 * integers as they are. */
#include "config.h"

#include "ops/reference.h"

#include "ir/graph-value.h"
#include "ir/guard.h"
#include "ir/op.h"
#include "nest/nest-expr.h"
#include "ops/reference-integer.h"

#include <math.h>
#include <string.h>

#define BLOCK 512 /* integers of a constant read at a time */

static void
ref_tensor_init (TpRefTensor *ref, const TpTensor *tensor, void *values)
{
  ref->dtype = tensor->dtype;
  ref->rank = tensor->rank;
  memcpy (ref->dims, tensor->dims, tensor->rank * sizeof ref->dims[0]);
  ref->count = tensor->count;
  if (tp_dtype_is_integer (tensor->dtype))
    ref->integers = values;
  else
    ref->data = values;
}

/* An output nobody asked for still is written by some ops. */
static gboolean
outputs_are_empty (const TpRefTensor *outputs, int n)
{
  for (int i = 0; i < n; i++)
    if (outputs[i].count > 0)
      return FALSE;
  return TRUE;
}

void
tp_node_run_reference (const TpGraph *graph, const TpNode *node,
                       void *const *inputs, void **outputs)
{
  g_autofree TpRefTensor *in = tp_new0 (TpRefTensor, node->n_inputs + 1);
  g_autofree TpRefTensor *out = tp_new0 (TpRefTensor, node->n_outputs + 1);
  g_autofree const TpRefTensor **given =
      tp_new0 (const TpRefTensor *, node->n_inputs + 1);

  for (int i = 0; i < node->n_inputs; i++)
    if (node->inputs[i] >= 0)
      {
        ref_tensor_init (&in[i], &graph->tensors[node->inputs[i]], inputs[i]);
        given[i] = &in[i];
      }
  for (int i = 0; i < node->n_outputs; i++)
    if (node->outputs[i] >= 0)
      ref_tensor_init (&out[i], &graph->tensors[node->outputs[i]], outputs[i]);
  if (!outputs_are_empty (out, node->n_outputs))
    tp_reference_run (node, given, out);
}

/* ---- whole graphs ------------------------------------------------------- */

typedef struct
{
  const TpGraph *graph;
  void **values;   /* per tensor; NULL: none, or freed */
  int *last_use;   /* per tensor: node, or -1 */
  gboolean keep_all;
  const TpRounding *roundings; /* per node; NULL: none */
  GRand *random;
} RefRun;

static void *
ref_alloc (const TpTensor *tensor, GError **error)
{
  void *data = g_try_malloc_n (MAX (tensor->count, 1), sizeof (TpScalar));

  if (data == NULL)
    g_set_error (error, TPLAN_ERROR, TPLAN_ERROR_MEMORY,
                 "tensor '%s': no memory for %" G_GINT64_FORMAT
                 " values of the reference",
                 tensor->name, tensor->count);
  return data;
}

/* @src as @tensor is computed with. */
static void
copy_doubles (const TpTensor *tensor, const double *src, void *dst)
{
  gint64 *integers = dst;

  if (!tp_dtype_is_integer (tensor->dtype))
    memcpy (dst, src, tensor->count * sizeof (double));
  else
    for (gint64 i = 0; i < tensor->count; i++)
      integers[i] = tp_dtype_wrap (tensor->dtype, tp_real_to_integer (src[i]));
}

/* What was computed as doubles, in the same place. */
static void
make_doubles (const TpTensor *tensor, void *values)
{
  TpScalar *scalars = values;

  if (tp_dtype_is_integer (tensor->dtype))
    for (gint64 i = 0; i < tensor->count; i++)
      scalars[i] = (TpScalar){ .real = (double) scalars[i].integer };
}

static gboolean
ref_set_input (RefRun *run, int index, const double *value, GError **error)
{
  const TpTensor *tensor = &run->graph->tensors[index];

  run->values[index] = ref_alloc (tensor, error);
  if (run->values[index] == NULL)
    return FALSE;
  copy_doubles (tensor, value, run->values[index]);
  return TRUE;
}

static gboolean
ref_set_inputs (RefRun *run, const double *const *inputs, GError **error)
{
  const TpGraph *graph = run->graph;
  int n_states;
  g_autofree int *states = tp_graph_list_states (graph, &n_states);

  for (int i = 0; i < graph->n_inputs; i++)
    if (!ref_set_input (run, graph->inputs[i], inputs[i], error))
      return FALSE;
  for (int i = 0; i < n_states; i++)
    if (!ref_set_input (run, states[i], inputs[graph->n_inputs + i], error))
      return FALSE;
  return TRUE;
}

static void
write_constant (const TpTensor *tensor, void *dst)
{
  const TpDtypeRow *dtype = tp_dtype_get (tensor->dtype);
  char memory[BLOCK * sizeof (gint64)];

  if (!tp_dtype_is_integer (tensor->dtype))
    {
      tp_tensor_write_doubles (tensor, dst);
      return;
    }
  for (gint64 i = 0; i < tensor->count; i += BLOCK)
    {
      gint64 n = MIN (BLOCK, tensor->count - i);

      tp_tensor_write_part (tensor, i, n, memory);
      dtype->load_integers (memory, 1, n, (gint64 *) dst + i);
    }
}

/* The value of tensor @index, a constant one made real. */
static gboolean
ref_get (RefRun *run, int index, void **out_data, GError **error)
{
  const TpTensor *tensor = &run->graph->tensors[index];

  if (run->values[index] == NULL)
    {
      g_assert (tp_tensor_is_constant (tensor));
      run->values[index] = ref_alloc (tensor, error);
      if (run->values[index] == NULL)
        return FALSE;
      write_constant (tensor, run->values[index]);
    }
  *out_data = run->values[index];
  return TRUE;
}

static void
ref_release (RefRun *run, int index)
{
  const TpTensor *tensor = &run->graph->tensors[index];
  gboolean is_constant = tp_tensor_is_constant (tensor);

  if (!is_constant && (run->keep_all || tensor->is_output))
    return;
  g_clear_pointer (&run->values[index], g_free);
}

/* Uniformly. */
static void
deviate (const TpTensor *tensor, double *values, const TpRounding *rounding,
         GRand *random)
{
  double widest = sqrt (3.0) * rounding->deviation, squares = 0.0, typical;

  for (gint64 i = 0; rounding->is_sum && i < tensor->count; i++)
    squares += isfinite (values[i]) ? values[i] * values[i] : 0.0;
  typical = sqrt (squares / (double) MAX (tensor->count, 1));
  for (gint64 i = 0; i < tensor->count; i++)
    values[i] += MAX (fabs (values[i]), typical)
                 * g_rand_double_range (random, -widest, widest);
}

/* Where an op looks is worked out from @values, in float32 at the least: 1 is added to
 * them, and they are scaled, by at most so many roundings. */
#define PLACE_ROUNDINGS 3

static void
move_places (const TpTensor *tensor, double *values, GRand *random)
{
  double widest = PLACE_ROUNDINGS
                  * MIN (tp_dtype_get (tensor->dtype)->rounding, 0x1p-24);

  for (gint64 i = 0; i < tensor->count; i++)
    values[i] += (fabs (values[i]) + 1.0)
                 * g_rand_double_range (random, -widest, widest);
}

/* An op that looks where its inputs from 1 on say gets others that are near them:
 * copies of its own, in @places. */
static gboolean
ref_move_places (RefRun *run, const TpNode *node, void **inputs,
                 GPtrArray *places, GError **error)
{
  for (int i = 1; i < node->n_inputs; i++)
    {
      const TpTensor *tensor = node->inputs[i] < 0
                                   ? NULL
                                   : &run->graph->tensors[node->inputs[i]];
      double *moved;

      if (tensor == NULL || tp_dtype_is_integer (tensor->dtype))
        continue;
      moved = ref_alloc (tensor, error);
      if (moved == NULL)
        return FALSE;
      g_ptr_array_add (places, moved);
      memcpy (moved, inputs[i], tensor->count * sizeof *moved);
      move_places (tensor, moved, run->random);
      inputs[i] = moved;
    }
  return TRUE;
}

static void
ref_round (RefRun *run, int index, void *const *outputs)
{
  const TpNode *node = &run->graph->nodes[index];

  for (int i = 0; i < node->n_outputs; i++)
    {
      const TpTensor *tensor = node->outputs[i] < 0
                                   ? NULL
                                   : &run->graph->tensors[node->outputs[i]];

      if (tensor != NULL && !tp_dtype_is_integer (tensor->dtype)
          && run->roundings[index].deviation > 0.0)
        deviate (tensor, outputs[i], &run->roundings[index], run->random);
    }
}

static gboolean
ref_run_node (RefRun *run, int index, GError **error)
{
  const TpNode *node = &run->graph->nodes[index];
  g_autofree void **inputs = tp_new0 (void *, node->n_inputs + 1);
  g_autofree void **outputs = tp_new0 (void *, node->n_outputs + 1);
  g_autoptr (GPtrArray) places = g_ptr_array_new_with_free_func (g_free);

  if (node->op == NULL || node->op->reference == NULL)
    {
      g_set_error (error, TPLAN_ERROR, TPLAN_ERROR_UNSUPPORTED,
                   "op '%s': type '%s' cannot be run: see `tplan ops`",
                   node->name, node->type);
      return FALSE;
    }
  for (int i = 0; i < node->n_inputs; i++)
    if (node->inputs[i] >= 0
        && !ref_get (run, node->inputs[i], &inputs[i], error))
      return FALSE;
  for (int i = 0; i < node->n_outputs; i++)
    {
      if (node->outputs[i] < 0)
        continue;
      outputs[i] = ref_alloc (&run->graph->tensors[node->outputs[i]], error);
      if (outputs[i] == NULL)
        return FALSE;
      run->values[node->outputs[i]] = outputs[i];
    }
  if (run->roundings != NULL && (node->op->flags & TP_OP_SAMPLES) != 0
      && !ref_move_places (run, node, inputs, places, error))
    return FALSE;
  tp_node_run_reference (run->graph, node, inputs, outputs);
  if (run->roundings != NULL)
    ref_round (run, index, outputs);
  for (int i = 0; i < node->n_inputs; i++)
    if (node->inputs[i] >= 0 && run->last_use[node->inputs[i]] == index)
      ref_release (run, node->inputs[i]);
  for (int i = 0; i < node->n_outputs; i++)
    if (node->outputs[i] >= 0 && run->last_use[node->outputs[i]] < 0)
      ref_release (run, node->outputs[i]);
  return TRUE;
}

static void
ref_find_last_uses (RefRun *run)
{
  for (int i = 0; i < run->graph->n_tensors; i++)
    run->last_use[i] = -1;
  for (int i = 0; i < run->graph->n_nodes; i++)
    for (int k = 0; k < run->graph->nodes[i].n_inputs; k++)
      if (run->graph->nodes[i].inputs[k] >= 0)
        run->last_use[run->graph->nodes[i].inputs[k]] = i;
}

/* A graph output may be given twice, or be a constant: copies. */
static gboolean
ref_add_output (RefRun *run, GPtrArray *results, int index, GError **error)
{
  void *value = NULL;
  void *copy = NULL;

  if (!ref_get (run, index, &value, error))
    return FALSE;
  copy = ref_alloc (&run->graph->tensors[index], error);
  if (copy == NULL)
    return FALSE;
  memcpy (copy, value, run->graph->tensors[index].count * sizeof (double));
  make_doubles (&run->graph->tensors[index], copy);
  g_ptr_array_add (results, copy);
  return TRUE;
}

static gboolean
ref_collect (RefRun *run, GPtrArray *results, GError **error)
{
  if (run->keep_all)
    {
      for (int i = 0; i < run->graph->n_tensors; i++)
        {
          if (run->values[i] != NULL)
            make_doubles (&run->graph->tensors[i], run->values[i]);
          g_ptr_array_add (results, g_steal_pointer (&run->values[i]));
        }
      return TRUE;
    }
  for (int i = 0; i < run->graph->n_outputs; i++)
    if (!ref_add_output (run, results, run->graph->outputs[i], error))
      return FALSE;
  return TRUE;
}

static gboolean
ref_run (RefRun *run, const double *const *inputs, GPtrArray *results,
         GError **error)
{
  ref_find_last_uses (run);
  if (!ref_set_inputs (run, inputs, error))
    return FALSE;
  for (int i = 0; i < run->graph->n_nodes; i++)
    if (!ref_run_node (run, i, error))
      return FALSE;
  return ref_collect (run, results, error);
}

static GPtrArray *
run_whole (RefRun *run, const double *const *inputs, GError **error)
{
  const TpGraph *graph = run->graph;
  g_autoptr (GPtrArray) results = g_ptr_array_new_with_free_func (g_free);
  g_autofree void **values = tp_new0 (void *, graph->n_tensors + 1);
  g_autofree int *last_use = tp_new (int, graph->n_tensors + 1);
  gboolean is_done;

  run->values = values;
  run->last_use = last_use;
  is_done = ref_run (run, inputs, results, error);
  for (int i = 0; i < graph->n_tensors; i++)
    g_free (values[i]);
  return is_done ? g_steal_pointer (&results) : NULL;
}

GPtrArray *
tp_graph_run_reference (const TpGraph *graph, const double *const *inputs,
                        gboolean keep_all, GError **error)
{
  RefRun run = { .graph = graph, .keep_all = keep_all };

  return run_whole (&run, inputs, error);
}

GPtrArray *
tp_graph_run_rounded (const TpGraph *graph, const double *const *inputs,
                      const TpRounding *roundings, guint32 seed,
                      GError **error)
{
  g_autoptr (GRand) random = g_rand_new_with_seed (seed);
  RefRun run = { .graph = graph, .roundings = roundings, .random = random };

  return run_whole (&run, inputs, error);
}
