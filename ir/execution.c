/* execution.c: see execution.h. */
#include "config.h"

#include "ir/execution.h"

#include "ir/execution-memory.h"
#include "ir/guard.h"
#include "ir/roots.h"

typedef struct
{
  const TpGraph *graph;
  const int *places;
  gboolean has_foreign;       /* some ops are none of those that run */
  const gboolean *is_mapped;  /* (nullable) */
  TpExecution *execution;     /* being made */
  TpScratch *scratch;
  TpArray *actions;           /* TpAction; (nullable): they are counted only */
  int n_actions;
  TpArray *storages;          /* TpStorage */
  int *input_of;              /* per tensor: which input it is; -1: none */
  int *first_output;          /* per root: an output with its bytes; -1: none */
  int *next_output;           /* per output: another of the same bytes */
  guint8 *is_made;            /* per output: by an action */
} Builder;

/* ---- tensors ------------------------------------------------------------ */

static void
fill (int *values, gsize n, int value)
{
  for (gsize i = 0; i < n; i++)
    values[i] = value;
}

static int *
new_filled (TpScratch *scratch, gsize n, int value)
{
  int *values = tp_scratch_new (scratch, int, n + 1);

  fill (values, n, value);
  return values;
}

static void
find_ends (Builder *builder)
{
  const TpGraph *graph = builder->graph;

  for (int i = 0; i < graph->n_inputs; i++)
    builder->input_of[graph->inputs[i]] = i;
  for (int i = graph->n_outputs - 1; i >= 0; i--)
    {
      int root = builder->execution->roots[graph->outputs[i]];

      builder->next_output[i] = builder->first_output[root];
      builder->first_output[root] = i;
    }
}

/* ---- storages ----------------------------------------------------------- */

/* A copy at a time: the outline is much smaller than the tensors. */
static gint64
get_size (const Builder *builder, int tensor)
{
  return builder->execution->units->outline->tensors[tensor].size_bytes;
}

/* The op that sends @tensor to who reads it, where that runs; else -1. */
static int
find_stream (const Builder *builder, int tensor)
{
  const TpUnits *units = builder->execution->units;

  return units->has_streams
                 && tp_graph_find_streamed (builder->graph, tensor) >= 0
                 && builder->places[units->makers[tensor]] >= 0
             ? units->makers[tensor]
             : -1;
}

static int
find_storage (const Builder *builder, int tensor, int device)
{
  return tp_execution_find_storage (builder->execution, tensor, device);
}

static TpStorage *
get_storage (const Builder *builder, int storage)
{
  return &tp_array_index (builder->storages, TpStorage, storage);
}

static int *
get_index (const Builder *builder, int root, int device)
{
  const TpExecution *execution = builder->execution;

  return &execution->storage_of[(gsize) root * execution->n_devices + device];
}

/* The storage of @root that @device and who has it already have in common: one of
 * them is the host. -1: none, as of constants, and of what the caller has too. */
static int
find_common (const Builder *builder, int root, int device)
{
  int host = builder->execution->host;

  if (builder->is_mapped == NULL || builder->input_of[root] >= 0 || builder->first_output[root] >= 0)
    return -1;
  for (int other = 0; other < builder->execution->n_devices; other++)
    {
      int apart = other == host ? device : other, found;

      if ((device != host && other != host) || !builder->is_mapped[apart])
        continue;
      found = *get_index (builder, root, other);
      /* the host has it in common with one only */
      if (found >= 0 && get_storage (builder, found)->device == other
          && !get_storage (builder, found)->is_constant)
        return found;
    }
  return -1;
}

static void
add_storage (Builder *builder, int tensor, int device)
{
  const TpUnits *units = builder->execution->units;
  int root = builder->execution->roots[tensor];
  int *index = get_index (builder, root, device);
  TpStorage storage = { .tensor = root, .device = device, .first = -1,
                        .last = -1 };

  if (*index >= 0)
    return;
  storage.size_bytes = MAX (get_size (builder, root), 1);
  storage.is_constant = units->are_resident[root];
  *index = storage.is_constant ? -1 : find_common (builder, root, device);
  if (*index >= 0)
    {
      if (device != builder->execution->host)
        get_storage (builder, *index)->device = device;
      return;
    }
  *index = builder->storages->len;
  tp_array_append_val (builder->storages, storage);
}

/* Where what @stream makes is read: on the device it is on, that is the constant
 * itself, which others are sent. */
static void
add_streamed (Builder *builder, const TpNode *stream, int from, int to)
{
  int root = builder->execution->roots[stream->inputs[0]];

  add_storage (builder, root, from);
  *get_index (builder, stream->outputs[0], from)
      = *get_index (builder, root, from);
  if (to != from)
    add_storage (builder, stream->outputs[0], to);
}

/* Every storage a unit reads or writes. Constants read as they are need none:
 * the device has its own way with them. */
static void
add_storages (Builder *builder)
{
  const TpUnits *units = builder->execution->units;

  for (int i = 0; i < units->n; i++)
    for (int k = 0; k < units->units[i].n_read + units->units[i].n_written;
         k++)
      {
        int tensor = units->units[i].tensors[k];
        int stream = find_stream (builder, tensor);

        if (stream >= 0)
          add_streamed (builder, &builder->graph->nodes[stream],
                        builder->places[stream], units->units[i].device);
        else
          add_storage (builder, tensor, units->units[i].device);
      }
}

static void
touch (Builder *builder, int storage, gboolean is_write)
{
  TpStorage *it = get_storage (builder, storage);

  if (is_write && it->first < 0)
    it->first = builder->n_actions;
  it->last = builder->n_actions;
}

/* ---- actions ------------------------------------------------------------ */

static void
add_action (Builder *builder, TpAction action)
{
  if (action.src >= 0)
    touch (builder, action.src, FALSE);
  if (action.dst >= 0)
    touch (builder, action.dst, TRUE);
  if (action.output >= 0)
    builder->is_made[action.output] = TRUE;
  if (builder->actions != NULL)
    tp_array_append_val (builder->actions, action);
  builder->n_actions++;
}

static void
add_feeds (Builder *builder, int input)
{
  int tensor = builder->graph->inputs[input];

  for (int device = 0; device < builder->execution->n_devices; device++)
    {
      int storage = find_storage (builder, tensor, device);

      if (storage >= 0)
        add_action (builder, (TpAction){
          .kind = TP_DO_FEED, .unit = -1, .tensor = tensor, .src = -1,
          .dst = storage, .from = builder->execution->host, .to = device,
          .input = input, .output = -1,
          .size_bytes = get_size (builder, tensor) });
    }
}

/* To every other device that has a storage for it: someone reads it there. */
static void
add_moves (Builder *builder, int tensor, int from)
{
  int src = find_storage (builder, tensor, from);

  for (int to = 0; to < builder->execution->n_devices; to++)
    {
      int dst = find_storage (builder, tensor, to);

      if (to != from && dst >= 0)
        add_action (builder, (TpAction){
          .kind = TP_DO_MOVE, .unit = -1, .tensor = tensor, .src = src,
          .dst = dst, .from = from, .to = to, .input = -1, .output = -1,
          .size_bytes = get_size (builder, tensor) });
    }
}

/* From the host where it is there too. */
static void
add_fetches (Builder *builder, int tensor, int from)
{
  int host = builder->execution->host;
  int there = host == TP_COSTS_HOST ? -1 : find_storage (builder, tensor, host);
  int src = there >= 0 ? there : find_storage (builder, tensor, from);
  int root = builder->execution->roots[tensor];

  for (int i = builder->first_output[root]; i >= 0;
       i = builder->next_output[i])
    add_action (builder, (TpAction){
      .kind = TP_DO_FETCH, .unit = -1, .tensor = tensor, .src = src,
      .dst = -1, .from = there >= 0 ? host : from, .to = host, .input = -1,
      .output = i,
      .size_bytes = get_size (builder, tensor) });
}

/* Outputs that no unit makes. */
static void
add_passes (Builder *builder)
{
  const TpGraph *graph = builder->graph;

  for (int i = 0; i < graph->n_outputs; i++)
    {
      int root = builder->execution->roots[graph->outputs[i]];
      TpAction action = { .unit = -1, .tensor = root, .src = -1, .dst = -1,
                          .from = builder->execution->host,
                          .to = builder->execution->host,
                          .input = builder->input_of[root], .output = i,
                          .size_bytes = get_size (builder, root) };

      if (tp_tensor_is_constant (&graph->tensors[root]))
        action.kind = TP_DO_EMIT;
      else if (action.input >= 0)
        action.kind = TP_DO_PASS;
      else
        continue;
      add_action (builder, action);
    }
}

/* What @unit reads of the constants of another device, each time anew. */
static void
add_streams (Builder *builder, const TpPlacedUnit *unit)
{
  for (int i = 0; i < unit->n_read; i++)
    {
      int tensor = unit->tensors[i];
      int stream = find_stream (builder, tensor);
      int dst = stream < 0 ? -1 : find_storage (builder, tensor, unit->device);

      if (dst >= 0 && !get_storage (builder, dst)->is_constant
          && get_storage (builder, dst)->first < 0)
        add_action (builder, (TpAction){
          .kind = TP_DO_MOVE, .unit = -1, .tensor = tensor,
          .src = find_storage (builder, tensor, builder->places[stream]),
          .dst = dst, .from = builder->places[stream], .to = unit->device,
          .input = -1, .output = -1,
          .size_bytes = get_size (builder, tensor) });
    }
}

/* Whether the node that makes @root is none of those that run. */
static gboolean
is_foreign (const Builder *builder, int root)
{
  int maker
      = builder->has_foreign ? builder->execution->units->makers[root] : -1;

  return maker >= 0 && builder->places[maker] < 0;
}

/* Whether all that @unit reads is there. A plan made by hand may have groups
 * that hide a tensor others read, or delay it. */
static gboolean
check_inputs (Builder *builder, const TpPlacedUnit *unit, GError **error)
{
  const TpGraph *graph = builder->graph;

  for (int i = 0; i < unit->n_read; i++)
    {
      const TpStorage *it = get_storage (
          builder, find_storage (builder, unit->tensors[i], unit->device));

      if (it->is_constant || it->first >= 0
          || is_foreign (builder, it->tensor))
        continue;
      g_set_error (error, TPLAN_ERROR, TPLAN_ERROR_INPUT,
                   "plan: op '%s' needs tensor '%s', which a group hides or "
                   "makes later; make the plan anew",
                   graph->nodes[unit->nodes[0]].name,
                   graph->tensors[unit->tensors[i]].name);
      return FALSE;
    }
  return TRUE;
}

static void
add_launch (Builder *builder, int index)
{
  const TpPlacedUnit *unit = &builder->execution->units->units[index];

  for (int i = 0; i < unit->n_read + unit->n_written; i++)
    {
      int storage = find_storage (builder, unit->tensors[i], unit->device);

      touch (builder, storage,
             i >= unit->n_read
                 || is_foreign (builder,
                                get_storage (builder, storage)->tensor));
    }
  add_action (builder, (TpAction){
    .kind = TP_DO_LAUNCH, .unit = index, .tensor = -1, .src = -1, .dst = -1,
    .from = unit->device, .to = unit->device, .input = -1, .output = -1 });
}

static gboolean
check_outputs (const Builder *builder, GError **error)
{
  const TpGraph *graph = builder->graph;

  for (int i = 0; i < graph->n_outputs; i++)
    if (!builder->is_made[i]
        && !is_foreign (builder, builder->execution->roots[graph->outputs[i]]))
      {
        g_set_error (error, TPLAN_ERROR, TPLAN_ERROR_INPUT,
                     "plan: a group hides output '%s'; make the plan anew",
                     graph->tensors[graph->outputs[i]].name);
        return FALSE;
      }
  return TRUE;
}

static gboolean
add_actions (Builder *builder, GError **error)
{
  const TpUnits *units = builder->execution->units;

  for (int i = 0; i < builder->graph->n_inputs; i++)
    add_feeds (builder, i);
  for (int i = 0; i < units->n; i++)
    {
      const TpPlacedUnit *unit = &units->units[i];

      add_streams (builder, unit);
      if (!check_inputs (builder, unit, error))
        return FALSE;
      add_launch (builder, i);
      for (int k = unit->n_read; k < unit->n_read + unit->n_written; k++)
        {
          add_moves (builder, unit->tensors[k], unit->device);
          add_fetches (builder, unit->tensors[k], unit->device);
        }
    }
  add_passes (builder);
  return check_outputs (builder, error);
}

/* ---- all of it ---------------------------------------------------------- */

TpExecution *
tp_execution_new_empty (const TpGraph *graph, int n_devices)
{
  g_autoptr (TpExecution) execution = g_new0 (TpExecution, 1);

  execution->graph = graph;
  execution->n_devices = n_devices;
  execution->units = tp_units_new_empty (graph);
  execution->memory = tp_new (TpMemory, n_devices + 1);
  execution->roots = tp_roots_find (graph);
  execution->storage_of = tp_new (int, (gsize) graph->n_tensors * n_devices + 1);
  execution->all_actions = tp_array_new (sizeof (TpAction));
  execution->all_storages = tp_array_new (sizeof (TpStorage));
  return g_steal_pointer (&execution);
}

/* Nothing of the last one but memory. */
static void
forget (TpExecution *execution)
{
  if (execution->all_actions != NULL)
    tp_array_set_size (execution->all_actions, 0);
  tp_array_set_size (execution->all_storages, 0);
  for (int i = 0; i < execution->n_devices; i++)
    execution->memory[i] = (TpMemory){ 0 };
  fill (execution->storage_of,
        (gsize) execution->graph->n_tensors * execution->n_devices, -1);
}

static gboolean
spell_out (Builder *builder, GError **error)
{
  TpExecution *execution = builder->execution;
  gboolean is_good;

  for (int i = 0; i < builder->graph->n_nodes; i++)
    builder->has_foreign |= builder->places[i] < 0;
  find_ends (builder);
  add_storages (builder);
  is_good = add_actions (builder, error);
  execution->n_actions = builder->n_actions;
  if (builder->actions != NULL)
    execution->actions = (TpAction *) (void *) builder->actions->data;
  execution->n_storages = builder->storages->len;
  execution->storages = (TpStorage *) (void *) builder->storages->data;
  return is_good;
}

gboolean
tp_execution_set (TpExecution *execution, const TpPlaced *placed,
                  TpScratch *scratch, GError **error)
{
  const TpGraph *graph = execution->graph;
  Builder builder = { .graph = graph, .places = placed->places,
                      .is_mapped = placed->is_mapped,
                      .execution = execution, .scratch = scratch,
                      .actions = execution->all_actions,
                      .storages = execution->all_storages };

  g_assert (placed->n_devices == execution->n_devices);
  tp_scratch_reset (scratch);
  forget (execution);
  execution->host = placed->host;
  if (!tp_units_set (execution->units, graph, placed, scratch, error))
    return FALSE;
  builder.input_of = new_filled (scratch, graph->n_tensors, -1);
  builder.first_output = new_filled (scratch, graph->n_tensors, -1);
  builder.next_output = new_filled (scratch, graph->n_outputs, -1);
  builder.is_made = tp_scratch_new0 (scratch, guint8, graph->n_outputs + 1);
  if (!spell_out (&builder, error))
    return FALSE;
  tp_execution_count_weights (execution, scratch);
  return TRUE;
}

TpExecution *
tp_execution_new (const TpGraph *graph, const TpPlaced *placed,
                  GError **error)
{
  g_auto (TpScratch) scratch = { 0 };
  g_autoptr (TpExecution) execution
      = tp_execution_new_empty (graph, placed->n_devices);

  if (!tp_execution_set (execution, placed, &scratch, error))
    return NULL;
  for (int i = 0; i < execution->n_devices; i++)
    tp_execution_lay_out (execution, i, &scratch);
  return g_steal_pointer (&execution);
}

/* Frees what its arenas are not laid out by. */
static void
strip (TpExecution *execution, TpScratch *scratch)
{
  g_clear_pointer (&execution->units, tp_units_free);
  g_clear_pointer (&execution->roots, g_free);
  g_clear_pointer (&execution->storage_of, g_free);
  tp_scratch_clear (scratch);
}

gboolean
tp_execution_measure (const TpGraph *graph, const TpPlaced *placed,
                      TpMemory *out_memory, GError **error)
{
  g_auto (TpScratch) scratch = { 0 };
  g_autoptr (TpExecution) execution
      = tp_execution_new_empty (graph, placed->n_devices);

  g_clear_pointer (&execution->all_actions, tp_array_unref);
  if (!tp_execution_set (execution, placed, &scratch, error))
    return FALSE;
  strip (execution, &scratch);
  for (int i = 0; i < execution->n_devices; i++)
    {
      tp_execution_lay_out (execution, i, &scratch);
      out_memory[i] = execution->memory[i];
    }
  return TRUE;
}

void
tp_execution_free (TpExecution *execution)
{
  if (execution->units != NULL)
    tp_units_free (execution->units);
  tp_array_unref (execution->all_actions);
  tp_array_unref (execution->all_storages);
  g_free (execution->memory);
  g_free (execution->roots);
  g_free (execution->storage_of);
  g_free (execution);
}
