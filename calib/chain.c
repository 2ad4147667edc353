/* chain.c: see chain.h. */
#include "config.h"

#include "calib/chain.h"

#include "calib/contenders.h"
#include "ops/random-input.h"

/* ---- storage ------------------------------------------------------------ */

static TpUnit
get_unit (const TpChain *chain, const TpLink *link)
{
  const TpKey *key = &chain->keys->keys[link->key];

  return (TpUnit) { .graph = chain->graph,
                    .schedule = link->rival,
                    .n_nodes = key->n_nodes,
                    .nodes = key->nodes,
                    .lowered = chain->runs_nodes ? NULL : key->lowered };
}

/* What a session would make of the links of @pass: all nodes of theirs on one
 * device, the others nowhere. */
static TpExecution *
spell_out (const TpChain *chain, int pass, GError **error)
{
  const TpGraph *graph = chain->graph;
  g_autofree int *places = g_new (int, graph->n_nodes + 1);
  g_autoptr (TpGroups) groups = tp_groups_new ();

  for (int i = 0; i < graph->n_nodes; i++)
    places[i] = -1;
  for (int i = 0; i < chain->n_links; i++)
    {
      const TpKey *key = &chain->keys->keys[chain->links[i].key];

      if (chain->links[i].pass != pass || chain->links[i].rival != NULL)
        continue;
      for (int k = 0; k < key->n_nodes; k++)
        places[key->nodes[k]] = 0;
      if (key->n_nodes > 1)
        tp_groups_add (groups, key->nodes, key->n_nodes);
    }
  return tp_execution_new (
      graph, &(TpPlaced){ .n_devices = 1, .places = places, .groups = groups },
      error);
}

/* All passes use the same bytes, one after the other. */
static gboolean
allocate (TpChain *chain, GError **error)
{
  gint64 most = 0;

  for (int i = 0; i < TP_N_PASSES; i++)
    {
      chain->executions[i] = spell_out (chain, i, error);
      if (chain->executions[i] == NULL)
        return FALSE;
      chain->bufs[i] = g_new0 (TpBuf *, chain->executions[i]->n_storages + 1);
      most = MAX (most, chain->executions[i]->memory[0].arena_bytes);
    }
  chain->arena = (TpArena){ .device = chain->device, .is_host = chain->is_host,
                            .size_bytes = most };
  if (!tp_arena_init (&chain->arena, error))
    return FALSE;
  for (int i = 0; i < TP_N_PASSES; i++)
    if (!tp_arena_place (&chain->arena, chain->executions[i], chain->bufs[i],
                         error))
      return FALSE;
  return TRUE;
}

/* Inputs as a network expects them. */
static gboolean
make_inputs (TpChain *chain, GError **error)
{
  chain->inputs = g_new0 (char *, chain->graph->n_inputs + 1);
  for (int i = 0; i < chain->graph->n_inputs; i++)
    {
      const TpTensor *tensor
          = &chain->graph->tensors[chain->graph->inputs[i]];

      chain->inputs[i] = g_try_malloc0 (MAX (tensor->size_bytes, 1));
      if (chain->inputs[i] == NULL)
        {
          g_set_error (error, TPLAN_ERROR, TPLAN_ERROR_MEMORY,
                       "no memory for %" G_GINT64_FORMAT " bytes of input '%s'",
                       tensor->size_bytes, tensor->name);
          return FALSE;
        }
      tp_random_input_write (chain->graph, chain->graph->inputs[i], i, 1.0,
                             chain->inputs[i]);
    }
  return TRUE;
}

gboolean
tp_chain_feed (TpChain *chain, int pass, GError **error)
{
  const TpExecution *execution = chain->executions[pass];

  for (int i = 0; i < execution->n_actions; i++)
    {
      const TpAction *action = &execution->actions[i];

      if (action->kind == TP_DO_FEED
          && !tp_device_write (chain->device, chain->bufs[pass][action->dst],
                               chain->inputs[action->input],
                               action->size_bytes, error))
        return FALSE;
    }
  return TRUE;
}

static void
add_link (TpChain *chain, int key, int pass, char *rival)
{
  TpLink *link = &chain->links[chain->n_links++];

  *link = (TpLink){ .key = key, .pass = pass, .rival = rival };
  if (rival != NULL)
    link->name = g_strconcat (chain->keys->keys[key].digest, " ", rival, NULL);
}

/* The schedules that @key is also to be run by; NULL: none. */
static TpPointers *
list_rivals (const TpChain *chain, const TpChainWanted *wanted, int key,
             const TpTarget *target)
{
  const TpLowered *lowered = chain->keys->keys[key].lowered;
  const char *known = wanted->schedules != NULL ? wanted->schedules[key] : NULL;

  if (wanted->has_rivals == NULL || !wanted->has_rivals[key]
      || lowered == NULL || chain->runs_nodes || target->lanes == 0)
    return NULL;
  return tp_contenders_list (lowered, target, wanted->n_candidates, known,
                             wanted->is_relaxed);
}

/* What finds its input in the caches because the same was just run is at an
 * advantage: that is the model's choice. */
static void
add_links (TpChain *chain, const TpChainWanted *wanted, const TpTarget *target)
{
  TpArray *const *passes = wanted->passes;
  int n = 0, n_most = MAX (wanted->n_candidates, 1 + 3);

  for (int i = 0; i < TP_N_PASSES; i++)
    n += passes[i] != NULL ? passes[i]->len : 0;
  chain->links = g_new0 (TpLink, n_most * n + 1);
  for (int i = 0; i < TP_N_PASSES; i++)
    for (guint j = 0; passes[i] != NULL && j < passes[i]->len; j++)
      {
        int key = tp_array_index (passes[i], int, j);
        g_autoptr (TpPointers) rivals
            = i != TP_PASS_NODES ? list_rivals (chain, wanted, key, target) : NULL;

        for (guint k = 0; rivals != NULL && k < rivals->len; k++)
          add_link (chain, key, i, g_strdup (rivals->pdata[k]));
        add_link (chain, key, i, NULL);
      }
}

TpChain *
tp_chain_new (TpDevice *device, const TpGraph *graph,
              const TpChainWanted *wanted, GError **error)
{
  g_autoptr (TpChain) chain = g_new0 (TpChain, 1);
  TpDeviceInfo info;

  device->ops->describe (device, &info);
  chain->device = device;
  chain->is_host = info.is_host;
  chain->is_apart = info.is_apart;
  chain->takes_all = info.takes_all;
  chain->runs_nodes = info.runs_nodes;
  chain->n_threads = 1;
  chain->graph = graph;
  chain->keys = wanted->keys;
  add_links (chain, wanted, &info.target);
  tp_device_info_clear (&info);
  chain->codes = g_ptr_array_new ();
  chain->faults = g_hash_table_new_full (g_str_hash, g_str_equal, NULL,
                                         g_free);
  if (!make_inputs (chain, error) || !allocate (chain, error)
      || !tp_chain_feed (chain, 0, error))
    return NULL;
  return g_steal_pointer (&chain);
}

static void
free_memory (TpChain *chain)
{
  for (int i = 0; i < TP_N_PASSES; i++)
    {
      if (chain->arena.device != NULL)
        tp_arena_drop (&chain->arena, chain->executions[i], chain->bufs[i]);
      g_clear_pointer (&chain->executions[i], tp_execution_free);
      g_free (chain->bufs[i]);
    }
  tp_arena_clear (&chain->arena);
}

void
tp_chain_free (TpChain *chain)
{
  const TpDeviceOps *ops;

  if (chain == NULL)
    return;
  ops = chain->device->ops;
  g_hash_table_unref (chain->faults);
  for (int i = 0; i < chain->n_links; i++)
    {
      if (chain->links[i].launch != NULL)
        ops->free_launch (chain->device, chain->links[i].launch);
      g_free (chain->links[i].rival);
      g_free (chain->links[i].name);
    }
  for (guint i = 0; i < chain->codes->len; i++)
    ops->free_code (chain->device, g_ptr_array_index (chain->codes, i));
  free_memory (chain);
  g_strfreev (chain->inputs);
  g_ptr_array_unref (chain->codes);
  g_free (chain->links);
  g_free (chain);
}

/* ---- compiling ---------------------------------------------------------- */

const char *
tp_chain_get_name (const TpChain *chain, int link)
{
  const TpLink *it = &chain->links[link];

  return it->name != NULL ? it->name : chain->keys->keys[it->key].digest;
}

const TpStorage *
tp_chain_find_storage (const TpChain *chain, int link, int tensor,
                       TpBuf **out_buf)
{
  int pass = chain->links[link].pass;
  int storage
      = tp_execution_find_storage (chain->executions[pass], tensor, 0);

  *out_buf = storage >= 0 ? chain->bufs[pass][storage] : NULL;
  return storage >= 0 ? &chain->executions[pass]->storages[storage] : NULL;
}

static gboolean
bind_link (TpChain *chain, TpCode *code, int unit, TpLink *link, GError **error)
{
  const TpUnit its = get_unit (chain, link);
  g_autoptr (TpArray) operands = tp_unit_list_operands (&its);
  g_autofree TpBuf **bufs = g_new0 (TpBuf *, operands->len + 1);

  for (guint i = 0; i < operands->len; i++)
    {
      int tensor = tp_array_index (operands, TpUnitOperand, i).tensor;

      int storage = -1;

      /* a constant has none: the device makes it */
      if (tensor >= 0
          && !tp_tensor_is_constant (&chain->graph->tensors[tensor]))
        storage = tp_execution_find_storage (chain->executions[link->pass],
                                             tensor, 0);
      if (storage >= 0)
        bufs[i] = chain->bufs[link->pass][storage];
    }
  link->launch = chain->device->ops->bind (chain->device, code, unit, bufs,
                                           error);
  link->schedule = code->schedules[unit];
  return link->launch != NULL;
}

gboolean
tp_chain_compile (TpChain *chain, const int *links, int n_links, GError **error)
{
  g_autofree TpUnit *units = g_new0 (TpUnit, n_links + 1);
  TpCode *code;

  for (int i = 0; i < n_links; i++)
    units[i] = get_unit (chain, &chain->links[links[i]]);
  code = chain->device->ops->compile (chain->device, units, n_links, error);
  if (code == NULL)
    return FALSE;
  g_ptr_array_add (chain->codes, code);
  for (int i = 0; i < n_links; i++)
    if (!bind_link (chain, code, i, &chain->links[links[i]], error))
      return FALSE;
  return TRUE;
}
