/* execution-memory.c: see execution-memory.h. */
#include "config.h"

#include "ir/execution-memory.h"

#include "ir/intervals.h"

/* ---- arenas --------------------------------------------------------------- */

void
tp_execution_lay_out (TpExecution *execution, int device, TpScratch *scratch)
{
  TpMemory *memory = &execution->memory[device];
  TpInterval *intervals;
  int *owners, n = 0;

  tp_scratch_reset (scratch);
  intervals = tp_scratch_new (scratch, TpInterval, execution->n_storages + 1);
  owners = tp_scratch_new (scratch, int, execution->n_storages + 1);
  for (int i = 0; i < execution->n_storages; i++)
    {
      const TpStorage *it = &execution->storages[i];

      if (it->device != device || it->is_constant)
        continue;
      owners[n] = i;
      intervals[n++] = (TpInterval){ .size_bytes = it->size_bytes,
                                     .first = it->first, .last = it->last };
    }
  memory->arena_bytes = tp_intervals_pack (intervals, n, TP_ARENA_ALIGN,
                                           scratch, &memory->bound_bytes);
  for (int i = 0; i < n; i++)
    execution->storages[owners[i]].offset = intervals[i].offset;
}

/* ---- constants ------------------------------------------------------------ */

/* Each constant once per device, however many read it there. */
static void
count_weight (TpExecution *execution, int root, int device, guint8 *is_counted)
{
  gint64 *sum = &execution->memory[device].weight_bytes;
  gsize at = (gsize) root * execution->n_devices + device;
  gint64 size_bytes;

  if (!execution->units->are_resident[root] || is_counted[at])
    return;
  is_counted[at] = TRUE;
  size_bytes = tp_tensor_get_resident_bytes (&execution->graph->tensors[root]);
  if (!tp_size_add (*sum, size_bytes, sum))
    *sum = G_MAXINT64;
}

static void
count_weights (TpExecution *execution, int unit, guint8 *is_counted)
{
  const TpPlacedUnit *it = &execution->units->units[unit];

  for (int i = 0; i < it->n_nodes; i++)
    {
      const TpNodeOutline *node
          = &execution->units->outline->nodes[it->nodes[i]];

      for (int k = 0; k < node->n_inputs; k++)
        if (node->inputs[k] >= 0)
          count_weight (execution, execution->roots[node->inputs[k]],
                        it->device, is_counted);
    }
}

void
tp_execution_count_weights (TpExecution *execution, TpScratch *scratch)
{
  guint8 *is_counted = tp_scratch_new0 (
      scratch, guint8,
      (gsize) execution->graph->n_tensors * execution->n_devices + 1);

  for (int i = 0; i < execution->units->n; i++)
    count_weights (execution, i, is_counted);
  for (int i = 0; i < execution->n_storages; i++)
    if (execution->storages[i].is_constant)
      count_weight (execution, execution->storages[i].tensor,
                    execution->storages[i].device, is_counted);
}
