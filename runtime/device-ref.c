/* device-ref.c: runs the references of the ops, in double: slow and right.
 *
 * A unit is one node. Its tensors become row-major doubles in scratch shared by
 * all units, since units run one at a time, and the results are put back where
 * the strides of the outputs want them. */
#include "config.h"

#include "ops/reference.h"
#include "runtime/constants.h"
#include "runtime/device.h"
#include "runtime/host.h"
#include "runtime/strided.h"

#include <string.h>

extern const TpDeviceOps tp_device_ref;

typedef struct
{
  TpCode base;
  TpGraph **graphs;           /* of each unit */
  int *nodes;
  gint64 *doubles;            /* each unit needs */
  TpConstants *constants;
  TpBuf *scratch;             /* as many as the greediest unit needs */
} RefCode;

struct TpLaunch
{
  const TpGraph *graph;
  const TpNode *node;
  int n_tensors;              /* inputs, then outputs */
  const TpTensor **tensors;   /* NULL: left out */
  void **data;                /* storage of each */
  double **doubles;           /* scratch of each */
};

static int
ref_count (const char **out_reason)
{
  *out_reason = NULL;
  return 1;
}

static TpDevice *
ref_open (const char *which, const TpDeviceOptions *options, GError **error)
{
  TpDevice *device = g_new0 (TpDevice, 1);

  device->ops = &tp_device_ref;
  return device;
}

static void
ref_close (TpDevice *device)
{
  g_free (device);
}

static void
ref_describe (TpDevice *device, TpDeviceInfo *out_info)
{
  g_autofree char *cpu = tp_host_get_cpu_name ();

  *out_info = (TpDeviceInfo){
    .name = g_strdup ("ref"),
    .description = g_strdup ("references in double, one thread"),
    .identity = g_strdup_printf ("ref;%s;" PACKAGE_VERSION, cpu),
    .memory_bytes = tp_host_get_memory_bytes (),
    .is_host = device->ops->is_host,
    .runs_nodes = TRUE,
  };
}

/* The @i-th of inputs then outputs, or NULL. */
static const TpTensor *
find_tensor (const TpGraph *graph, const TpNode *node, int i)
{
  int tensor = i < node->n_inputs ? node->inputs[i]
                                  : node->outputs[i - node->n_inputs];

  return tensor >= 0 ? &graph->tensors[tensor] : NULL;
}

/* Doubles all tensors of @node take; FALSE on overflow. */
static gboolean
count_doubles (const TpGraph *graph, const TpNode *node, gint64 *out_n)
{
  gint64 bytes;

  *out_n = 0;
  for (int i = 0; i < node->n_inputs + node->n_outputs; i++)
    {
      const TpTensor *tensor = find_tensor (graph, node, i);

      if (tensor != NULL && !tp_size_add (*out_n, tensor->count, out_n))
        return FALSE;
    }
  return tp_size_mul (*out_n, sizeof (double), &bytes);
}

static gboolean
check_unit (const TpUnit *unit, GError **error)
{
  const TpNode *node = &unit->graph->nodes[unit->nodes[0]];

  g_assert (unit->n_nodes == 1);
  if (node->op != NULL && node->op->reference != NULL)
    return TRUE;
  g_set_error (error, TPLAN_ERROR, TPLAN_ERROR_UNSUPPORTED,
               "op '%s': '%s' is known by its cost only; it cannot be run",
               node->name, node->type);
  return FALSE;
}

static void
ref_free_code (TpDevice *device, TpCode *base)
{
  RefCode *code = (RefCode *) base;

  if (code == NULL)
    return;
  g_strfreev (code->base.schedules);
  tp_host_buf_free (device, code->scratch);
  tp_constants_free (code->constants);
  for (int i = 0; i < code->base.n_units; i++)
    g_clear_pointer (&code->graphs[i], tp_graph_unref);
  g_free (code->graphs);
  g_free (code->nodes);
  g_free (code->doubles);
  g_free (code);
}

static gboolean
fill_code (TpDevice *device, RefCode *code, const TpUnit *units, GError **error)
{
  gint64 most = 0;

  for (int i = 0; i < code->base.n_units; i++)
    {
      const TpGraph *graph = units[i].graph;

      if (!check_unit (&units[i], error))
        return FALSE;
      code->graphs[i] = tp_graph_ref ((TpGraph *) graph);
      code->nodes[i] = units[i].nodes[0];
      code->base.schedules[i] = g_strdup ("reference");
      if (!count_doubles (graph, &graph->nodes[code->nodes[i]],
                          &code->doubles[i]))
        {
          g_set_error (error, TPLAN_ERROR, TPLAN_ERROR_MEMORY,
                       "op '%s': its tensors are too large to count",
                       graph->nodes[code->nodes[i]].name);
          return FALSE;
        }
      most = MAX (most, code->doubles[i]);
    }
  code->scratch = tp_host_buf_new (device, NULL, 0, most * sizeof (double),
                                   error);
  return code->scratch != NULL;
}

static TpCode *
ref_compile (TpDevice *device, const TpUnit *units, int n_units,
             GError **error)
{
  RefCode *code = g_new0 (RefCode, 1);

  code->base.n_units = n_units;
  code->base.schedules = g_new0 (char *, n_units + 1);
  code->constants = tp_constants_new (device, TRUE);
  code->graphs = g_new0 (TpGraph *, n_units + 1);
  code->nodes = g_new0 (int, n_units);
  code->doubles = g_new0 (gint64, n_units);
  if (!fill_code (device, code, units, error))
    {
      ref_free_code (device, &code->base);
      return NULL;
    }
  return &code->base;
}

static void
ref_free_launch (TpDevice *device, TpLaunch *launch)
{
  if (launch == NULL)
    return;
  g_free (launch->tensors);
  g_free (launch->data);
  g_free (launch->doubles);
  g_free (launch);
}

static gboolean
bind_tensor (RefCode *code, TpLaunch *launch, int i, TpBuf *operand,
             GError **error)
{
  if (operand == NULL)
    {
      const TpTensor *tensor = launch->tensors[i];

      g_assert (tp_tensor_is_constant (tensor));
      operand = tp_constants_get (code->constants, launch->graph,
                                  tensor - launch->graph->tensors, error);
    }
  if (operand != NULL)
    launch->data[i] = tp_host_buf_get_data (operand);
  return operand != NULL;
}

static TpLaunch *
ref_bind (TpDevice *device, TpCode *base, int unit, TpBuf *const *operands,
          GError **error)
{
  RefCode *code = (RefCode *) base;
  TpLaunch *launch = g_new0 (TpLaunch, 1);
  double *scratch = tp_host_buf_get_data (code->scratch);
  int n;

  launch->graph = code->graphs[unit];
  launch->node = &launch->graph->nodes[code->nodes[unit]];
  n = launch->node->n_inputs + launch->node->n_outputs;
  launch->n_tensors = n;
  launch->tensors = g_new0 (const TpTensor *, n);
  launch->data = g_new0 (void *, n);
  launch->doubles = g_new0 (double *, n);
  for (int i = 0; i < n; i++)
    {
      launch->tensors[i] = find_tensor (launch->graph, launch->node, i);
      if (launch->tensors[i] == NULL)
        continue;
      launch->doubles[i] = scratch;
      scratch += launch->tensors[i]->count;
      if (!bind_tensor (code, launch, i, operands[i], error))
        {
          ref_free_launch (device, launch);
          return NULL;
        }
    }
  return launch;
}

static gboolean
ref_launch (TpDevice *device, TpLaunch *launch, GError **error)
{
  int n_inputs;

  if (launch == NULL)
    return TRUE;
  n_inputs = launch->node->n_inputs;
  for (int i = 0; i < n_inputs; i++)
    if (launch->tensors[i] != NULL)
      tp_strided_to_doubles (launch->tensors[i], launch->data[i],
                             launch->doubles[i]);
  tp_node_run_reference (launch->graph, launch->node, launch->doubles,
                         launch->doubles + n_inputs);
  for (int i = n_inputs; i < launch->n_tensors; i++)
    if (launch->tensors[i] != NULL)
      tp_strided_from_doubles (launch->tensors[i], launch->doubles[i],
                               launch->data[i]);
  return TRUE;
}

const TpDeviceOps tp_device_ref = {
  .name = "ref",
  .which = NULL,
  .is_host = TRUE,
  .count = ref_count,
  .open = ref_open,
  .close = ref_close,
  .describe = ref_describe,
  .compile = ref_compile,
  .free_code = ref_free_code,
  .alloc = tp_host_buf_new,
  .free_buf = tp_host_buf_free,
  .copy = tp_host_buf_copy,
  .bind = ref_bind,
  .launch = ref_launch,
  .free_launch = ref_free_launch,
};
