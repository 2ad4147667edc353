/* device.c: what all devices share, whichever kind they are of. */
#include "config.h"

#include "runtime/device.h"

#include "ir/array.h"
#include "nest/nest.h"

gboolean
tp_device_write (TpDevice *device, TpBuf *buf, const void *data,
                 gint64 size_bytes, GError **error)
{
  TpCopy copy = { buf, (void *) data, size_bytes, TRUE };

  return device->ops->copy (device, &copy, error);
}

gboolean
tp_device_read (TpDevice *device, TpBuf *buf, void *out_data, gint64 size_bytes,
                GError **error)
{
  TpCopy copy = { buf, out_data, size_bytes, FALSE };

  return device->ops->copy (device, &copy, error);
}

void
tp_device_count_bytes (TpDevice *device, gint64 size_bytes)
{
  device->used_bytes += size_bytes;
  device->peak_bytes = MAX (device->peak_bytes, device->used_bytes);
}

void
tp_device_close (TpDevice *device)
{
  if (device == NULL)
    return;
  g_clear_pointer (&device->n_ended, g_atomic_rc_box_release);
  device->ops->close (device);
}

void
tp_device_info_clear (TpDeviceInfo *info)
{
  g_clear_pointer (&info->name, g_free);
  g_clear_pointer (&info->description, g_free);
  g_clear_pointer (&info->identity, g_free);
  g_clear_pointer (&info->pci, g_free);
}

/* ---- units -------------------------------------------------------------- */

static gboolean
is_made_in (const TpUnit *unit, int tensor)
{
  int producer = unit->graph->tensors[tensor].producer;

  for (int i = 0; i < unit->n_nodes && producer >= 0; i++)
    if (unit->nodes[i] == producer)
      return TRUE;
  return FALSE;
}

/* Those of node number @index, but what goes from node to node. */
static void
list_operands_of_node (const TpUnit *unit, int index, TpArray *operands)
{
  const TpNode *node = &unit->graph->nodes[unit->nodes[index]];
  gboolean is_last = index == unit->n_nodes - 1;

  for (int i = 0; i < node->n_inputs; i++)
    {
      TpUnitOperand operand = { .tensor = node->inputs[i] };

      if (operand.tensor >= 0 && is_made_in (unit, operand.tensor))
        operand.tensor = -1;
      tp_array_append_val (operands, operand);
    }
  for (int i = 0; i < node->n_outputs; i++)
    {
      TpUnitOperand operand = { is_last ? node->outputs[i] : -1, is_last };

      tp_array_append_val (operands, operand);
    }
}

TpArray *
tp_unit_list_operands (const TpUnit *unit)
{
  g_autoptr (TpArray) operands = tp_array_new (sizeof (TpUnitOperand));

  for (int i = 0; unit->lowered == NULL && i < unit->n_nodes; i++)
    list_operands_of_node (unit, i, operands);
  for (int i = 0; unit->lowered != NULL && i < unit->lowered->n_operands; i++)
    {
      const TpOperand *it = &unit->lowered->operands[i];
      TpUnitOperand operand = { it->tensor, it->is_output };

      tp_array_append_val (operands, operand);
    }
  return g_steal_pointer (&operands);
}

void
tp_making_clear (TpMaking *making)
{
  if (making->code != NULL)
    making->device->ops->free_code (making->device, making->code);
  if (making->launch != NULL)
    making->device->ops->free_launch (making->device, making->launch);
}
