/* unit-check.c: each kernel of a plan alone, against the references. */
#include "config.h"

#include "cli/unit-check.h"

#include "ir/plan-memory.h"
#include "nest/nest.h"
#include "ops/lower.h"
#include "runtime/devices.h"
#include "runtime/strided.h"

#include <fenv.h>

typedef struct
{
  const TpGraph *graph;
  const TpUnits *placed;
  const char **schedules;     /* per node, of the unit that begins with it */
  TpDevice *device;
  GPtrArray *values;          /* per tensor, doubles */
  GPtrArray *lowered;         /* TpLowered, or NULL, per unit */
  GArray *units;              /* TpUnit */
  double rounding;            /* of the unit that is checked */
  TpRunErrors *errors;
} UnitCheck;

static void
free_lowered (gpointer lowered)
{
  if (lowered != NULL)
    tp_lowered_free (lowered);
}

static gboolean
collect_units (UnitCheck *check, int device, gboolean runs_nodes,
               GError **error)
{
  for (int i = 0; i < check->placed->n; i++)
    {
      const TpPlacedUnit *it = &check->placed->units[i];
      TpUnit unit = { .graph = check->graph, .n_nodes = it->n_nodes,
                      .nodes = it->nodes };

      if (it->device != device)
        continue;
      if (!runs_nodes)
        {
          unit.lowered = tp_lower_nodes (check->graph, it->nodes, it->n_nodes,
                                         error);
          if (unit.lowered == NULL)
            return FALSE;
          unit.schedule = check->schedules[it->nodes[0]];
        }
      g_ptr_array_add (check->lowered, (gpointer) unit.lowered);
      g_array_append_val (check->units, unit);
    }
  return TRUE;
}

static gboolean
alloc_storage (const TpTensor *tensor, void **out_storage, GError **error)
{
  *out_storage = g_try_malloc0 (MAX (tensor->size_bytes, 1));
  if (*out_storage == NULL)
    g_set_error (error, TPLAN_ERROR, TPLAN_ERROR_MEMORY,
                 "no memory for tensor '%s'", tensor->name);
  return *out_storage != NULL;
}

static TpBuf *
make_buf (UnitCheck *check, int index, GError **error)
{
  const TpTensor *tensor = &check->graph->tensors[index];
  TpDevice *device = check->device;
  g_autofree void *storage = NULL;
  TpBuf *buf;

  if (!alloc_storage (tensor, &storage, error))
    return NULL;
  tp_strided_from_doubles (tensor, check->values->pdata[index], storage);
  buf = device->ops->alloc (device, NULL, 0, MAX (tensor->size_bytes, 1),
                            error);
  if (buf != NULL
      && !tp_device_write (device, buf, storage, tensor->size_bytes, error))
    {
      device->ops->free_buf (device, buf);
      return NULL;
    }
  return buf;
}

static gboolean
compare_buf (UnitCheck *check, TpBuf *buf, int index, const char *op,
             GError **error)
{
  const TpTensor *tensor = &check->graph->tensors[index];
  g_autofree void *storage = NULL;
  g_autofree double *got = g_try_new (double, MAX (tensor->count, 1));

  if (!alloc_storage (tensor, &storage, error))
    return FALSE;
  if (got == NULL)
    {
      g_set_error (error, TPLAN_ERROR, TPLAN_ERROR_MEMORY,
                   "no memory for tensor '%s' as doubles", tensor->name);
      return FALSE;
    }
  if (!tp_device_read (check->device, buf, storage, tensor->size_bytes, error))
    return FALSE;
  tp_strided_to_doubles (tensor, storage, got);
  tp_run_errors_add (check->errors,
                     &(TpRunAnswer){ tensor, TPLAN_DTYPE_FLOAT64, got, op,
                                     check->rounding },
                     check->values->pdata[index]);
  return TRUE;
}

static gboolean
launch_unit (UnitCheck *check, TpCode *code, int index, TpBuf **bufs,
             GError **error)
{
  const TpDeviceOps *ops = check->device->ops;
  TpLaunch *launch = ops->bind (check->device, code, index, bufs, error);
  gboolean good;

  if (launch == NULL)
    return FALSE;
  good = ops->launch (check->device, launch, error)
         && ops->launch (check->device, NULL, error);
  ops->free_launch (check->device, launch);
  return good;
}

/* Of the coarsest type among @operands, constants included. */
static double
find_rounding (const TpGraph *graph, const TpArray *operands)
{
  const TpUnitOperand *its = (const TpUnitOperand *) (void *) operands->data;
  double rounding = 0.0;

  for (guint i = 0; i < operands->len; i++)
    if (its[i].tensor >= 0)
      rounding = MAX (
          rounding,
          tp_dtype_get (graph->tensors[its[i].tensor].dtype)->rounding);
  return rounding;
}

static gboolean
check_unit (UnitCheck *check, TpCode *code, int index, GError **error)
{
  const TpUnit *unit = &g_array_index (check->units, TpUnit, index);
  const TpGraph *graph = check->graph;
  g_autoptr (TpArray) operands = tp_unit_list_operands (unit);
  const TpUnitOperand *its = (const TpUnitOperand *) (void *) operands->data;
  int n = operands->len;
  g_autofree TpBuf **bufs = g_new0 (TpBuf *, n + 1);
  gboolean good = TRUE;

  check->rounding = find_rounding (graph, operands);
  for (int i = 0; good && i < n; i++)
    if (its[i].tensor >= 0
        && !tp_tensor_is_constant (&graph->tensors[its[i].tensor]))
      {
        bufs[i] = make_buf (check, its[i].tensor, error);
        good = bufs[i] != NULL;
      }
  good = good && launch_unit (check, code, index, bufs, error);
  for (int i = 0; good && i < n; i++)
    if (its[i].is_written && bufs[i] != NULL)
      good = compare_buf (check, bufs[i], its[i].tensor,
                          graph->nodes[unit->nodes[0]].name, error);
  for (int i = 0; i < n; i++)
    if (bufs[i] != NULL)
      check->device->ops->free_buf (check->device, bufs[i]);
  return good;
}

static gboolean
check_units (UnitCheck *check, GError **error)
{
  TpDevice *device = check->device;
  TpCode *code;
  gboolean good = TRUE;

  if (check->units->len == 0)
    return TRUE;
  code = device->ops->compile (device,
                               (const TpUnit *) (void *) check->units->data,
                               (int) check->units->len, error);
  if (code == NULL)
    return FALSE;
  for (guint i = 0; good && i < check->units->len; i++)
    good = check_unit (check, code, (int) i, error);
  device->ops->free_code (device, code);
  return good;
}

static gboolean
check_device (UnitCheck *check, const TpPlan *plan, int index,
              const TpDeviceOptions *options, GError **error)
{
  g_autoptr (TpDevice) device
      = tp_device_open (plan->devices[index], options, error);
  TpDeviceInfo info = { 0 };
  gboolean good;

  if (device == NULL)
    return FALSE;
  device->ops->describe (device, &info);
  check->device = device;
  check->units = g_array_new (FALSE, FALSE, sizeof (TpUnit));
  check->lowered = g_ptr_array_new_with_free_func (free_lowered);
  good = collect_units (check, index, info.runs_nodes, error)
         && check_units (check, error);
  g_array_unref (check->units);
  g_ptr_array_unref (check->lowered);
  tp_device_info_clear (&info);
  return good;
}

static gboolean
is_used (const TpPlan *plan, int device)
{
  for (int i = 0; i < plan->n_placements; i++)
    if (plan->placements[i].device == device)
      return TRUE;
  return FALSE;
}

static gboolean
check_all (const TpRunData *data, const TpPlan *plan,
           const TpDeviceOptions *options, TpRunErrors *out_errors,
           GError **error)
{
  g_autofree int *places = tp_plan_list_places (plan, data->graph, error);
  g_autoptr (TpGroups) groups = tp_plan_list_made_groups (plan);
  g_autoptr (TpUnits) placed
      = places == NULL ? NULL
                       : tp_units_new (data->graph, places, groups, error);
  g_autoptr (GPtrArray) values
      = placed == NULL ? NULL
                       : tp_run_data_get_reference (data, TRUE, error);
  g_autofree const char **schedules
      = values == NULL ? NULL : tp_plan_list_schedules (plan, data->graph);
  UnitCheck check = { .graph = data->graph, .placed = placed,
                      .schedules = schedules, .values = values,
                      .errors = out_errors };

  if (values == NULL)
    return FALSE;
  *out_errors = (TpRunErrors){ .limit = out_errors->limit,
                                .bounds = out_errors->bounds };
  for (int i = 0; i < plan->n_devices; i++)
    if (is_used (plan, i) && !check_device (&check, plan, i, options, error))
      return FALSE;
  return TRUE;
}

gboolean
tp_unit_check (const TpRunData *data, const TpPlan *plan,
               const TpDeviceOptions *options, TpRunErrors *out_errors,
               GError **error)
{
  fenv_t mode;
  gboolean is_done;

  fegetenv (&mode);
  fesetenv (FE_DFL_ENV);
  is_done = check_all (data, plan, options, out_errors, error);
  fesetenv (&mode);
  return is_done;
}
