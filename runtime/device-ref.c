/* device-ref.c: runs the references of the ops, reals in double and integers as
 * they are: slow and right.
 *
 * A unit is run node by node. Its tensors become row-major values in scratch
 * shared by all units, since units run one at a time, and the results are put
 * back where the strides of the outputs want them; what one node makes for the
 * next alone stays there. */
#include "config.h"

#include "ir/guard.h"
#include "nest/nest.h"
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
  TpUnit *units;              /* with graphs and nodes of their own */
  gint64 *n_values;           /* each unit needs */
  TpConstants *constants;
  TpBuf *scratch;             /* as many as the greediest unit needs */
} RefCode;

/* One node of a unit. */
typedef struct
{
  const TpNode *node;
  int n_tensors;              /* inputs, then outputs */
  const TpTensor **tensors;   /* NULL: left out */
  void **data;                /* storage of each; NULL: stays in scratch */
  void **values;              /* scratch of each */
} RefStep;

struct TpLaunch
{
  const TpGraph *graph;
  int n_steps;
  RefStep *steps;
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
    .is_host = TRUE,
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

/* Values all tensors of @unit take; FALSE on overflow. */
static gboolean
count_values (const TpUnit *unit, gint64 *out_n)
{
  gint64 bytes;

  *out_n = 0;
  for (int i = 0; i < unit->n_nodes; i++)
    {
      const TpNode *node = &unit->graph->nodes[unit->nodes[i]];

      for (int k = 0; k < node->n_inputs + node->n_outputs; k++)
        {
          const TpTensor *tensor = find_tensor (unit->graph, node, k);

          if (tensor != NULL && !tp_size_add (*out_n, tensor->count, out_n))
            return FALSE;
        }
    }
  return tp_size_mul (*out_n, sizeof (TpScalar), &bytes);
}

static gboolean
check_unit (const TpUnit *unit, GError **error)
{
  for (int i = 0; i < unit->n_nodes; i++)
    {
      const TpNode *node = &unit->graph->nodes[unit->nodes[i]];

      if (node->op != NULL && node->op->reference != NULL)
        continue;
      g_set_error (error, TPLAN_ERROR, TPLAN_ERROR_UNSUPPORTED,
                   "op '%s': '%s' is known by its cost only; it cannot be run",
                   node->name, node->type);
      return FALSE;
    }
  return TRUE;
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
    if (code->units[i].graph != NULL)
      {
        tp_graph_unref ((TpGraph *) code->units[i].graph);
        g_free ((int *) code->units[i].nodes);
      }
  g_free (code->units);
  g_free (code->n_values);
  g_free (code);
}

static gboolean
fill_code (TpDevice *device, RefCode *code, const TpUnit *units, GError **error)
{
  gint64 most = 0;

  for (int i = 0; i < code->base.n_units; i++)
    {
      const TpUnit *unit = &units[i];

      if (!check_unit (unit, error))
        return FALSE;
      code->units[i] = (TpUnit){
        .graph = tp_graph_ref ((TpGraph *) unit->graph),
        .n_nodes = unit->n_nodes,
        .nodes = tp_memdup (unit->nodes, unit->n_nodes * sizeof (int)) };
      code->base.schedules[i] = g_strdup ("reference");
      if (!count_values (unit, &code->n_values[i]))
        {
          g_set_error (error, TPLAN_ERROR, TPLAN_ERROR_MEMORY,
                       "op '%s': its tensors are too large to count",
                       unit->graph->nodes[unit->nodes[0]].name);
          return FALSE;
        }
      most = MAX (most, code->n_values[i]);
    }
  code->scratch = tp_host_buf_new (device, NULL, 0, most * sizeof (TpScalar),
                                   error);
  return code->scratch != NULL;
}

static TpCode *
ref_compile (TpDevice *device, const TpUnit *units, int n_units,
             GError **error)
{
  RefCode *code = g_new0 (RefCode, 1);
  g_auto (TpMaking) making = { device, &code->base, NULL };

  code->constants = tp_constants_new (device, TRUE, 1);
  code->base.schedules = tp_new0 (char *, n_units + 1);
  code->units = tp_new0 (TpUnit, n_units + 1);
  code->n_values = tp_new0 (gint64, n_units);
  code->base.n_units = n_units;
  if (!fill_code (device, code, units, error))
    return NULL;
  return g_steal_pointer (&making.code);
}

static void
ref_free_launch (TpDevice *device, TpLaunch *launch)
{
  if (launch == NULL)
    return;
  for (int i = 0; i < launch->n_steps; i++)
    {
      g_free (launch->steps[i].tensors);
      g_free (launch->steps[i].data);
      g_free (launch->steps[i].values);
    }
  g_free (launch->steps);
  g_free (launch);
}

/* The scratch of @tensor, which a node before step @before made. */
static void *
find_made (const TpLaunch *launch, int before, const TpTensor *tensor)
{
  for (int i = 0; i < before; i++)
    for (int k = 0; k < launch->steps[i].n_tensors; k++)
      if (launch->steps[i].tensors[k] == tensor)
        return launch->steps[i].values[k];
  g_assert_not_reached ();
}

/* What is left to take for the steps of a unit. */
typedef struct
{
  RefCode *code;
  TpLaunch *launch;
  TpBuf *const *operands;
  TpScalar *scratch;
} RefSupply;

/* Storage and scratch of tensor @i of step @index. */
static gboolean
bind_tensor (RefSupply *supply, int index, int i, GError **error)
{
  const TpGraph *graph = supply->launch->graph;
  RefStep *step = &supply->launch->steps[index];
  const TpTensor *tensor = step->tensors[i];
  TpBuf *buf = supply->operands[i];

  if (buf == NULL && tp_tensor_is_constant (tensor))
    {
      buf = tp_constants_get (supply->code->constants, graph,
                              tensor - graph->tensors, error);
      if (buf == NULL)
        return FALSE;
    }
  if (buf == NULL && i < step->node->n_inputs)
    {
      step->values[i] = find_made (supply->launch, index, tensor);
      return TRUE;
    }
  if (buf != NULL)
    step->data[i] = tp_host_buf_get_data (buf);
  step->values[i] = supply->scratch;
  supply->scratch += tensor->count;
  return TRUE;
}

static gboolean
bind_step (RefSupply *supply, int index, const TpNode *node, GError **error)
{
  TpLaunch *launch = supply->launch;
  int n = node->n_inputs + node->n_outputs;
  RefStep *step = &launch->steps[index];

  *step = (RefStep){ .node = node, .n_tensors = n };
  launch->n_steps++;
  step->tensors = tp_new0 (const TpTensor *, n);
  step->data = tp_new0 (void *, n);
  step->values = tp_new0 (void *, n);
  for (int i = 0; i < n; i++)
    {
      step->tensors[i] = find_tensor (launch->graph, node, i);
      if (step->tensors[i] != NULL && !bind_tensor (supply, index, i, error))
        return FALSE;
    }
  supply->operands += n;
  return TRUE;
}

static TpLaunch *
ref_bind (TpDevice *device, TpCode *base, int unit, TpBuf *const *operands,
          GError **error)
{
  RefCode *code = (RefCode *) base;
  const TpUnit *it = &code->units[unit];
  TpLaunch *launch = g_new0 (TpLaunch, 1);
  g_auto (TpMaking) making = { device, NULL, launch };
  RefSupply supply = { code, launch, operands,
                       tp_host_buf_get_data (code->scratch) };

  launch->graph = it->graph;
  launch->steps = tp_new0 (RefStep, it->n_nodes);
  for (int i = 0; i < it->n_nodes; i++)
    if (!bind_step (&supply, i, &it->graph->nodes[it->nodes[i]], error))
      return NULL;
  return g_steal_pointer (&making.launch);
}

static void
run_step (const TpLaunch *launch, const RefStep *step)
{
  int n_inputs = step->node->n_inputs;

  for (int i = 0; i < n_inputs; i++)
    if (step->data[i] != NULL)
      tp_strided_to_values (step->tensors[i], step->data[i], step->values[i]);
  tp_node_run_reference (launch->graph, step->node, step->values,
                         step->values + n_inputs);
  for (int i = n_inputs; i < step->n_tensors; i++)
    if (step->data[i] != NULL)
      tp_strided_from_values (step->tensors[i], step->values[i],
                              step->data[i]);
}

static gboolean
ref_launch (TpDevice *device, TpLaunch *launch, GError **error)
{
  for (int i = 0; launch != NULL && i < launch->n_steps; i++)
    run_step (launch, &launch->steps[i]);
  return TRUE;
}

const TpDeviceOps tp_device_ref = {
  .name = "ref",
  .which = NULL,
  .role = TP_ROLE_NAMED_HOST, /* right, but slow */
  .runs_nodes = TRUE,
  /* doubles, element by element */
  .guess = { 0.1, 1, 2000, 256, 1 },
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
