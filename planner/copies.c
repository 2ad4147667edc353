/* copies.c: which copies a placement needs: of every tensor from where it is made
 * to wherever else it is read, once. */
#include "config.h"

#include "planner/copies.h"

#include "ir/array.h"

#define PLACE_BIT(place) (G_GUINT64_CONSTANT (1) << ((place) + 1))

/* The bits of the places where @tensor is read: devices, and the host for the
 * caller. */
static guint64
find_readers (const TpTensor *tensor, const guint8 *devices, int host)
{
  guint64 readers = tensor->is_output ? PLACE_BIT (host) : 0;

  for (int k = 0; k < tensor->n_consumers; k++)
    readers |= PLACE_BIT (devices[tensor->consumers[k]]);
  return readers;
}

/* From where @tensor is to wherever else it is read. */
static void
add_copies (const TpProblem *problem, const guint8 *devices, int index,
            TpArray *list)
{
  const TpTensor *tensor = &problem->graph->tensors[index];
  int host = problem->costs->host;
  int home = tensor->producer < 0 ? host : devices[tensor->producer];
  guint64 readers = find_readers (tensor, devices, host);

  for (int to = TP_COSTS_HOST; to < problem->n_devices; to++)
    {
      TpTransfer transfer = { index, home, to, tensor->size_bytes, 0 };

      if (to == home || (readers & PLACE_BIT (to)) == 0)
        continue;
      transfer.time_ns
          = tp_costs_copy (problem->costs, index, home, to).time_ns;
      tp_array_append_val (list, transfer);
    }
}

TpArray *
tp_copies_list (const TpProblem *problem, const guint8 *devices)
{
  g_autoptr (TpArray) list = tp_array_new (sizeof (TpTransfer));

  for (int i = 0; i < problem->graph->n_tensors; i++)
    if (!tp_tensor_is_resident (&problem->graph->tensors[i]))
      add_copies (problem, devices, i, list);
  return g_steal_pointer (&list);
}

int
tp_copies_count_priced (const TpProblem *problem, const guint8 *devices)
{
  g_autoptr (TpArray) list = tp_copies_list (problem, devices);
  int n = 0;

  for (guint i = 0; i < list->len; i++)
    {
      const TpTransfer *it = &tp_array_index (list, TpTransfer, i);

      n += tp_problem_edge_cost (problem, it->tensor, it->from, it->to) > 0;
    }
  return n;
}
