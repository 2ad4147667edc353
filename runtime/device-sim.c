/* device-sim.c: a machine we do not own: results by `cpu` (or `ref`), times by a
 * profile. Its memory is kept apart from the host's, so that every transfer is
 * paid for on its clock. */
#include "config.h"

#include "ir/guard.h"
#include "machine/machine.h"
#include "nest/nest-work.h"
#include "ops/lower.h"
#include "runtime/device.h"
#include "runtime/devices.h"

extern const TpDeviceOps tp_device_sim;

typedef struct
{
  TpDevice base;
  TpDevice *inner;
  TpDeviceInfo inner_info;
  TpMachine *machine;
  gboolean is_guest, is_mapped;
  char *profile;
} SimDevice;

typedef struct
{
  TpCode base;                /* schedules are those of @inner */
  TpCode *inner;
  gint64 *times_ns;           /* [unit] */
} SimCode;

struct TpLaunch
{
  TpLaunch *inner;
  gint64 time_ns;
};

static int
sim_count (const char **out_reason)
{
  *out_reason = NULL;
  return 1;
}

static void
sim_close (TpDevice *base)
{
  SimDevice *device = (SimDevice *) base;

  tp_device_info_clear (&device->inner_info);
  g_clear_pointer (&device->inner, tp_device_close);
  g_clear_pointer (&device->machine, tp_machine_free);
  g_free (device->profile);
  g_free (device);
}

static TpDevice *
open_inner (const TpDeviceOptions *options, GError **error)
{
  g_autoptr (GError) reason = NULL;
  TpDevice *inner = tp_device_open ("cpu", options, &reason);

  return inner != NULL ? inner : tp_device_open ("ref", options, error);
}

static TpDevice *
sim_open (const char *which, const TpDeviceOptions *options, GError **error)
{
  SimDevice *device = g_new0 (SimDevice, 1);

  device->base.ops = &tp_device_sim;
  device->profile = g_strdup (which);
  device->is_guest = options->is_guest;
  device->machine = tp_machine_parse (which, error);
  device->is_mapped = options->is_mapped && device->machine != NULL
                      && device->machine->map_ns > 0;
  if (device->machine != NULL)
    device->inner = open_inner (options, error);
  if (device->inner == NULL)
    {
      sim_close (&device->base);
      return NULL;
    }
  device->inner->ops->describe (device->inner, &device->inner_info);
  return &device->base;
}

/* With a point, whatever the program's locale has. */
static void
add_figure (GString *text, const char *before, double value)
{
  char digits[G_ASCII_DTOSTR_BUF_SIZE];

  g_string_append (text, before);
  g_string_append (text, g_ascii_formatd (digits, sizeof digits, "%g", value));
}

static char *
dup_identity (const TpMachine *machine)
{
  GString *text = g_string_new (NULL);

  add_figure (text, "sim;", machine->peak_gflops);
  add_figure (text, " GFLOP/s;", machine->bandwidth_gbps);
  add_figure (text, " GB/s;launch ", machine->launch_ns);
  add_figure (text, " ns;link ", machine->link_gbps);
  add_figure (text, " GB/s + ", machine->link_latency_ns);
  add_figure (text, " ns;full ", machine->full_points);
  return g_string_free (text, FALSE);
}

static void
sim_describe (TpDevice *base, TpDeviceInfo *out_info)
{
  const SimDevice *device = (SimDevice *) base;
  const TpMachine *machine = device->machine;

  *out_info = (TpDeviceInfo){
    .name = g_strdup_printf ("sim:%s", device->profile),
    .description = g_strdup_printf (
        "simulated: %s", machine->description != NULL ? machine->description
                                                      : device->profile),
    .identity = dup_identity (machine),
    .memory_bytes = machine->memory_bytes,
    .is_mapped = device->is_mapped,
    .runs_nodes = device->inner_info.runs_nodes,
  };
}

/* ---- memory --------------------------------------------------------------- */

/* Takes over what @inner counts. FALSE when that is more than there is. */
static gboolean
count_memory (SimDevice *device, GError **error)
{
  gint64 limit = device->machine->memory_bytes;

  device->base.used_bytes = device->inner->used_bytes;
  device->base.peak_bytes = device->inner->peak_bytes;
  device->base.weight_bytes = device->inner->weight_bytes;
  if (limit <= 0 || device->base.used_bytes <= limit)
    return TRUE;
  g_set_error (error, TPLAN_ERROR, TPLAN_ERROR_MEMORY,
               "device 'sim:%s': %" G_GINT64_FORMAT " bytes needed, it has %"
               G_GINT64_FORMAT "; cut the batch", device->profile,
               device->base.used_bytes, limit);
  return FALSE;
}

static TpBuf *
sim_alloc (TpDevice *base, TpBuf *parent, gint64 offset, gint64 size_bytes,
           GError **error)
{
  SimDevice *device = (SimDevice *) base;
  TpDevice *inner = device->inner;
  TpBuf *buf = inner->ops->alloc (inner, parent, offset, size_bytes, error);

  if (buf == NULL || count_memory (device, error))
    return buf;
  inner->ops->free_buf (inner, buf);
  return NULL;
}

static void
sim_free_buf (TpDevice *base, TpBuf *buf)
{
  SimDevice *device = (SimDevice *) base;

  device->inner->ops->free_buf (device->inner, buf);
  device->base.used_bytes = device->inner->used_bytes;
}

static gboolean
sim_copy (TpDevice *base, const TpCopy *copy, GError **error)
{
  SimDevice *device = (SimDevice *) base;

  if (copy->host == NULL)
    {
      base->virtual_ns += tp_machine_map_ns (device->machine);
      return device->inner->ops->launch (device->inner, NULL, error);
    }
  if (device->machine->link_gbps > 0 || device->is_guest)
    base->virtual_ns += tp_machine_transfer_ns (device->machine, copy->size_bytes);
  return device->inner->ops->copy (device->inner, copy, error);
}

/* ---- units ---------------------------------------------------------------- */

static gboolean
check_ops (const SimDevice *device, const TpUnit *unit, GError **error)
{
  char **missing = device->machine->missing_ops;

  for (int i = 0; unit->graph != NULL && i < unit->n_nodes; i++)
    {
      const TpNode *node = &unit->graph->nodes[unit->nodes[i]];

      if (missing == NULL
          || !g_strv_contains ((const char *const *) missing, node->type))
        continue;
      g_set_error (error, TPLAN_ERROR, TPLAN_ERROR_UNSUPPORTED,
                   "op '%s': device 'sim:%s' has no '%s'; place it elsewhere",
                   node->name, device->profile, node->type);
      return FALSE;
    }
  return TRUE;
}

static gboolean
estimate_unit (const SimDevice *device, const TpUnit *unit, gint64 *out_time_ns,
               GError **error)
{
  g_autoptr (TpLowered) own = NULL;
  const TpLowered *lowered = unit->lowered;
  TpWork work;

  if (!check_ops (device, unit, error))
    return FALSE;
  if (lowered == NULL)
    lowered = own = tp_lower_nodes (unit->graph, unit->nodes, unit->n_nodes,
                                    error);
  if (lowered == NULL)
    return FALSE;
  tp_lowered_count_work (lowered, &work);
  *out_time_ns = tp_machine_estimate_ns (device->machine, &work);
  return TRUE;
}

static void
sim_free_code (TpDevice *base, TpCode *base_code)
{
  SimDevice *device = (SimDevice *) base;
  SimCode *code = (SimCode *) base_code;

  if (code == NULL)
    return;
  if (code->inner != NULL)
    device->inner->ops->free_code (device->inner, code->inner);
  device->base.used_bytes = device->inner->used_bytes;
  g_free (code->times_ns);
  g_free (code);
}

static TpCode *
sim_compile (TpDevice *base, const TpUnit *units, int n_units, GError **error)
{
  SimDevice *device = (SimDevice *) base;
  SimCode *code = g_new0 (SimCode, 1);
  g_auto (TpMaking) making = { base, &code->base, NULL };
  gboolean is_good = TRUE;

  code->times_ns = tp_new0 (gint64, n_units + 1);
  for (int i = 0; i < n_units && is_good; i++)
    is_good = estimate_unit (device, &units[i], &code->times_ns[i], error);
  if (is_good)
    code->inner = device->inner->ops->compile (device->inner, units, n_units,
                                               error);
  if (code->inner == NULL || !count_memory (device, error))
    return NULL;
  code->base = *code->inner;
  return g_steal_pointer (&making.code);
}

static void
sim_free_launch (TpDevice *base, TpLaunch *launch)
{
  SimDevice *device = (SimDevice *) base;

  if (launch == NULL)
    return;
  if (launch->inner != NULL)
    device->inner->ops->free_launch (device->inner, launch->inner);
  g_free (launch);
}

static TpLaunch *
sim_bind (TpDevice *base, TpCode *base_code, int unit, TpBuf *const *operands,
          GError **error)
{
  SimDevice *device = (SimDevice *) base;
  SimCode *code = (SimCode *) base_code;
  TpLaunch *launch = g_new0 (TpLaunch, 1);
  g_auto (TpMaking) making = { base, NULL, launch };

  launch->time_ns = code->times_ns[unit];
  launch->inner = device->inner->ops->bind (device->inner, code->inner, unit,
                                            operands, error);
  if (launch->inner == NULL || !count_memory (device, error))
    return NULL;
  return g_steal_pointer (&making.launch);
}

static gboolean
sim_launch (TpDevice *base, TpLaunch *launch, GError **error)
{
  SimDevice *device = (SimDevice *) base;

  if (launch != NULL)
    base->virtual_ns += launch->time_ns;
  return device->inner->ops->launch (
      device->inner, launch != NULL ? launch->inner : NULL, error);
}

const TpDeviceOps tp_device_sim = {
  .name = "sim",
  .guess = { .double_rate = 0.5 },
  .which = "PROFILE",
  .role = TP_ROLE_NAMED,
  .is_simulated = TRUE,
  .count = sim_count,
  .open = sim_open,
  .close = sim_close,
  .describe = sim_describe,
  .compile = sim_compile,
  .free_code = sim_free_code,
  .alloc = sim_alloc,
  .free_buf = sim_free_buf,
  .copy = sim_copy,
  .bind = sim_bind,
  .launch = sim_launch,
  .free_launch = sim_free_launch,
};
