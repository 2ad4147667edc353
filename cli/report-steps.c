/* report-steps.c: see report-steps.h. */
#include "config.h"

#include "cli/report-steps.h"

#include "cli/output.h"
#include "ir/name-hash.h"
#include "ir/plan-memory.h"

typedef struct
{
  const TpPlan *plan;
  const TpGraph *graph;
  const TpExecution *execution;
  GHashTable *transfers;      /* root << 32 | device + 1 -> TpTransfer */
  json_t *steps;
  int *begins, *ends;         /* [action]: steps before it, and with it */
} Steps;

static gint64 *
key_new (const TpExecution *execution, int tensor, int device)
{
  gint64 *key = g_new (gint64, 1);

  *key = (gint64) execution->roots[tensor] << 32 | (device + 1);
  return key;
}

static void
index_transfers (Steps *self)
{
  for (int i = 0; i < self->plan->n_transfers; i++)
    {
      TpTransfer *it = &self->plan->transfers[i];

      g_hash_table_insert (self->transfers,
                           key_new (self->execution, it->tensor, it->to), it);
    }
}

static void
add_kernel (Steps *self, const TpPlacedUnit *unit)
{
  gint64 time_ns = 0;

  for (int i = 0; i < unit->n_nodes; i++)
    time_ns += self->plan->placements[unit->nodes[i]].time_ns;
  json_array_append_new (self->steps,
                         json_pack ("[i, n, i, i, I, i]", unit->nodes[0],
                                    unit->device, unit->device,
                                    (json_int_t) time_ns, 0));
}

/* What goes over no link is no step: the host's own arrays. */
static void
add_copy (Steps *self, const TpAction *action)
{
  g_autofree gint64 *key
      = key_new (self->execution, action->tensor, action->to);
  const TpTransfer *transfer = g_hash_table_lookup (self->transfers, key);

  if (transfer == NULL)
    return;
  json_array_append_new (
      self->steps,
      json_pack ("[i, o, i, i, I, I]", -1,
                 tp_cli_clean_string (self->graph->tensors[action->tensor].name),
                 transfer->from, transfer->to,
                 (json_int_t) transfer->time_ns,
                 (json_int_t) transfer->size_bytes));
}

static void
add_actions (Steps *self)
{
  for (int i = 0; i < self->execution->n_actions; i++)
    {
      const TpAction *action = &self->execution->actions[i];

      self->begins[i] = (int) json_array_size (self->steps);
      if (action->kind == TP_DO_LAUNCH)
        add_kernel (self, &self->execution->units->units[action->unit]);
      else if (action->kind == TP_DO_MOVE || action->kind == TP_DO_FEED
               || action->kind == TP_DO_FETCH)
        add_copy (self, action);
      self->ends[i] = (int) json_array_size (self->steps);
    }
}

/* Only where it changes. */
static json_t *
list_memory (const Steps *self, int device)
{
  const TpExecution *execution = self->execution;
  int n = (int) json_array_size (self->steps);
  g_autofree gint64 *change = g_new0 (gint64, n + 1);
  json_t *list = json_array ();
  gint64 alive = 0;

  for (int i = 0; i < execution->n_storages; i++)
    {
      const TpStorage *it = &execution->storages[i];

      if (it->device != device || it->is_constant)
        continue;
      change[self->begins[it->first]] += it->size_bytes;
      change[self->ends[it->last]] -= it->size_bytes;
    }
  for (int i = 0; i <= n; i++)
    {
      alive += change[i];
      if (change[i] != 0)
        json_array_append_new (list,
                               json_pack ("[i, I]", i, (json_int_t) alive));
    }
  return list;
}

/* ---- the schedule --------------------------------------------------------- */

/* Of host memory and one device. */
typedef struct
{
  TpTransfer transfer;
  gint64 start_ns;            /* -1: there is none */
  const gint64 *end_ns;       /* (nullable): as the schedule says */
} Way;

static void
add_way (const TpPlan *plan, const TpGraph *graph, json_t *list, const Way *way)
{
  const TpTransfer *transfer = &way->transfer;
  gboolean is_fetch = transfer->to == TP_COSTS_HOST;
  int device = is_fetch ? transfer->from : transfer->to;
  const TpCost *cost
      = is_fetch ? tp_costs_fetch (plan->costs, transfer->tensor, device)
                 : tp_costs_feed (plan->costs, transfer->tensor, device);
  gint64 time_ns = way->end_ns == NULL ? cost->time_ns
                                       : MAX (*way->end_ns - way->start_ns, 0);

  if (way->start_ns >= 0)
    json_array_append_new (
        list, json_pack ("[i, o, i, i, I, I, I]", -1,
                         tp_cli_clean_string (
                             graph->tensors[transfer->tensor].name),
                         transfer->from, transfer->to,
                         (json_int_t) time_ns,
                         (json_int_t) transfer->size_bytes,
                         (json_int_t) way->start_ns));
}

/* Members of a group but the first take no time. */
static json_t *
list_schedule (const TpPlan *plan, const TpGraph *graph)
{
  const TpSpanProof *proof = plan->span_proof;
  json_t *list = json_array ();

  for (int i = 0; i < proof->n_nodes; i++)
    {
      const TpPlacement *it = &plan->placements[i];

      if (it->time_ns > 0)
        json_array_append_new (list,
                               json_pack ("[i, n, i, i, I, i, I]", i,
                                          it->device, it->device,
                                          (json_int_t) tp_plan_get_op_ns (plan, i), 0,
                                          (json_int_t) proof->starts[i]));
    }
  for (int i = 0; i < proof->n_transfers; i++)
    {
      gboolean has_ends = proof->ends != NULL;
      Way fetch = { plan->transfers[i], proof->fetch_starts[i],
                    has_ends ? &proof->fetch_ends[i] : NULL };
      Way feed = { plan->transfers[i], proof->feed_starts[i],
                   has_ends ? &proof->feed_ends[i] : NULL };

      fetch.transfer.to = feed.transfer.from = TP_COSTS_HOST;
      add_way (plan, graph, list, &fetch);
      add_way (plan, graph, list, &feed);
    }
  return list;
}

json_t *
tp_report_steps_to_json (const TpPlan *plan, const TpGraph *graph,
                         GError **error)
{
  g_autoptr (TpExecution) execution = tp_plan_spell_out (plan, graph, error);
  g_autoptr (GHashTable) transfers
      = g_hash_table_new_full (tp_pair_hash, g_int64_equal, g_free, NULL);
  g_autofree int *begins = NULL, *ends = NULL;
  Steps self = { plan, graph, execution, transfers, NULL, NULL, NULL };
  json_t *memory, *data;

  if (execution == NULL)
    return NULL;
  memory = json_array ();
  self.steps = json_array ();
  self.begins = begins = g_new0 (int, execution->n_actions + 1);
  self.ends = ends = g_new0 (int, execution->n_actions + 1);
  index_transfers (&self);
  add_actions (&self);
  for (int i = 0; i < plan->n_devices; i++)
    json_array_append_new (memory, list_memory (&self, i));
  data = json_pack ("{s:o, s:o}", "steps", self.steps, "memory", memory);
  if (plan->span_proof != NULL)
    json_object_set_new (data, "schedule", list_schedule (plan, graph));
  return data;
}
