/* api.c: the public calls of libtplan: each object wraps what the folders make,
 * with the tables its queries hand out made once. */
#include "config.h"

#include "include/tplan.h"

#include "api/devices.h"
#include "calib/calib.h"
#include "ir/plan.h"
#include "planner/planner.h"
#include "runtime/session.h"

G_STATIC_ASSERT ((int) TPLAN_DTYPE_FLOAT32 == (int) TP_DTYPE_FLOAT32);
G_STATIC_ASSERT ((int) TPLAN_DTYPE_FLOAT64 == (int) TP_DTYPE_FLOAT64);
G_STATIC_ASSERT ((int) TPLAN_DTYPE_INT64 == (int) TP_DTYPE_INT64);
G_STATIC_ASSERT ((int) TPLAN_DTYPE_INT32 == (int) TP_DTYPE_INT32);
G_STATIC_ASSERT ((int) TPLAN_DTYPE_UINT8 == (int) TP_DTYPE_UINT8);
G_STATIC_ASSERT ((int) TPLAN_DTYPE_BOOL == (int) TP_DTYPE_BOOL);
G_STATIC_ASSERT ((int) TPLAN_DTYPE_BOOL == TP_N_DTYPES - 1);

struct TplanGraph
{
  TpGraph *graph;             /* prepared */
  char *path;                 /* (nullable) as given to load */
  TpDims *dims;               /* (nullable) likewise */
  TplanTensor *inputs;
  TplanTensor *outputs;
  const char **ops;           /* (strings owned by graph) */
};

struct TplanCosts
{
  char *path;                 /* (nullable) */
  char **devices;
  int n_devices;
  int n_threads;
};

struct TplanPlan
{
  TpPlan *plan;
  TplanGraph *graph;
  TplanDevice *devices;
  TplanTransfer *transfers;
  GHashTable *places;         /* name of op -> name of device (both unowned) */
};

struct TplanSession
{
  TpSession *session;
};

const char *
tplan_get_version (void)
{
  return PACKAGE_VERSION;
}

static void
set_n (int *out_n, int n)
{
  if (out_n != NULL)
    *out_n = n;
}

/* ---- graphs ------------------------------------------------------------- */

static TplanTensor *
describe_tensors (const TpGraph *graph, int n, const int *tensors)
{
  TplanTensor *table = g_new0 (TplanTensor, n + 1);

  for (int i = 0; i < n; i++)
    {
      const TpTensor *tensor = &graph->tensors[tensors[i]];

      table[i] = (TplanTensor){ .name = tensor->name,
                                .dtype = (TplanDtype) tensor->dtype,
                                .rank = tensor->rank,
                                .dims = tensor->dims,
                                .size_bytes = tensor->size_bytes };
    }
  return table;
}

/* Takes @graph. */
static TplanGraph *
graph_wrap (TpGraph *graph, const char *path, TpDims *dims)
{
  TplanGraph *wrap = g_new0 (TplanGraph, 1);

  wrap->graph = graph;
  wrap->path = g_strdup (path);
  wrap->dims = dims == NULL ? NULL : g_hash_table_ref (dims);
  wrap->inputs = describe_tensors (graph, graph->n_inputs, graph->inputs);
  wrap->outputs = describe_tensors (graph, graph->n_outputs, graph->outputs);
  wrap->ops = g_new0 (const char *, graph->n_nodes + 1);
  for (int i = 0; i < graph->n_nodes; i++)
    wrap->ops[i] = graph->nodes[i].name;
  return wrap;
}

static TpDims *
make_dims (const TplanDim *dims)
{
  TpDims *table = g_hash_table_new_full (g_str_hash, g_str_equal, g_free,
                                         g_free);

  for (int i = 0; dims[i].name != NULL; i++)
    g_hash_table_insert (table, g_strdup (dims[i].name),
                         g_memdup2 (&dims[i].value, sizeof dims[i].value));
  return table;
}

static gboolean
make_limits (const TplanDim *wanted, TpLimits *limits, GError **error)
{
  tp_limits_init (limits);
  for (int i = 0; wanted != NULL && wanted[i].name != NULL; i++)
    if (!tp_limits_set (limits, wanted[i].name, wanted[i].value, error))
      return FALSE;
  return TRUE;
}

TplanGraph *
tplan_graph_load_full (const char *path, const TplanLoadOptions *options,
                       GError **error)
{
  static const TplanLoadOptions defaults;
  g_autoptr (GHashTable) table = NULL;
  g_autoptr (TpGraph) raw = NULL;
  TpGraph *graph;
  TpLimits limits;
  TpLoadOptions load = { .limits = &limits };

  g_return_val_if_fail (path != NULL, NULL);
  options = options == NULL ? &defaults : options;
  if (!make_limits (options->limits, &limits, error))
    return NULL;
  if (options->dims != NULL && options->dims[0].name != NULL)
    table = make_dims (options->dims);
  load.dims = table;
  load.follow_links = options->follow_links;
  raw = tp_graph_read (path, &load, error);
  if (raw == NULL)
    return NULL;
  graph = tp_graph_prepare (raw, error);
  return graph == NULL ? NULL : graph_wrap (graph, path, table);
}

TplanGraph *
tplan_graph_load (const char *path, const TplanDim *dims, GError **error)
{
  const TplanLoadOptions options = { .dims = dims };

  return tplan_graph_load_full (path, &options, error);
}

void
tplan_graph_free (TplanGraph *graph)
{
  if (graph == NULL)
    return;
  tp_graph_unref (graph->graph);
  g_clear_pointer (&graph->dims, g_hash_table_unref);
  g_free (graph->path);
  g_free (graph->inputs);
  g_free (graph->outputs);
  g_free (graph->ops);
  g_free (graph);
}

const TplanTensor *
tplan_graph_get_inputs (const TplanGraph *graph, int *out_n)
{
  g_return_val_if_fail (graph != NULL, NULL);
  set_n (out_n, graph->graph->n_inputs);
  return graph->inputs;
}

const TplanTensor *
tplan_graph_get_outputs (const TplanGraph *graph, int *out_n)
{
  g_return_val_if_fail (graph != NULL, NULL);
  set_n (out_n, graph->graph->n_outputs);
  return graph->outputs;
}

const char *const *
tplan_graph_get_ops (const TplanGraph *graph, int *out_n)
{
  g_return_val_if_fail (graph != NULL, NULL);
  set_n (out_n, graph->graph->n_nodes);
  return graph->ops;
}

/* ---- costs -------------------------------------------------------------- */

static gboolean
check_devices (const char *const *devices, GError **error)
{
  if (devices[0] == NULL)
    {
      g_set_error (error, TPLAN_ERROR, TPLAN_ERROR_USAGE,
                   "no device named: name one, such as 'cpu'");
      return FALSE;
    }
  for (int i = 0; devices[i] != NULL; i++)
    for (int k = 0; k < i; k++)
      if (g_str_equal (devices[i], devices[k]))
        {
          g_set_error (error, TPLAN_ERROR, TPLAN_ERROR_USAGE,
                       "device '%s' is named twice: leave one out",
                       devices[i]);
          return FALSE;
        }
  return TRUE;
}

/* Caller frees. */
static char **
choose_devices (const char *const *devices, GError **error)
{
  if (devices == NULL)
    return tp_devices_choose (error);
  return check_devices (devices, error) ? g_strdupv ((char **) devices) : NULL;
}

TplanCosts *
tplan_costs_open (const char *path, const char *const *devices, int n_threads,
                  GError **error)
{
  g_autoptr (TplanCosts) costs = g_new0 (TplanCosts, 1);
  g_autoptr (TpCostDb) db = NULL;

  g_return_val_if_fail (n_threads >= 0, NULL);
  costs->devices = choose_devices (devices, error);
  if (costs->devices == NULL)
    return NULL;
  db = tp_cost_db_open (path, TRUE, error); /* is it one? */
  if (db == NULL)
    return NULL;
  costs->path = g_strdup (path);
  costs->n_devices = (int) g_strv_length (costs->devices);
  costs->n_threads = n_threads;
  return g_steal_pointer (&costs);
}

void
tplan_costs_close (TplanCosts *costs)
{
  if (costs == NULL)
    return;
  g_free (costs->path);
  g_strfreev (costs->devices);
  g_free (costs);
}

static TpCalibOptions
get_options (const TplanCosts *costs)
{
  return (TpCalibOptions){ .n_devices = costs->n_devices,
                           .devices = (const char *const *) costs->devices,
                           .n_threads = costs->n_threads };
}

gboolean
tplan_costs_calibrate (TplanCosts *costs, const TplanGraph *graph,
                       gint64 time_limit_ns, const volatile gint *cancelled,
                       GError **error)
{
  g_autoptr (TpCostDb) db = NULL;
  g_autoptr (TpGroups) groups = NULL;
  TpCalibOptions options;

  g_return_val_if_fail (costs != NULL && time_limit_ns >= 0, FALSE);
  options = get_options (costs);
  options.time_limit_ns = time_limit_ns;
  options.cancelled = cancelled;
  db = tp_cost_db_open (costs->path, FALSE, error);
  if (db == NULL)
    return FALSE;
  if (graph == NULL)
    return tp_calibrate (db, NULL, NULL, &options, error);
  groups = tp_fuse_find (graph->graph, NULL);
  return tp_calibrate (db, graph->graph, groups, &options, error);
}

/* ---- plans -------------------------------------------------------------- */

static void
fill_devices (TplanPlan *wrap)
{
  const TpPlan *plan = wrap->plan;

  wrap->devices = g_new0 (TplanDevice, plan->n_devices + 1);
  for (int i = 0; i < plan->n_devices; i++)
    {
      wrap->devices[i].name = plan->devices[i];
      wrap->devices[i].peak_bytes = plan->peak_bytes[i];
    }
  wrap->places = g_hash_table_new (g_str_hash, g_str_equal);
  for (int i = 0; i < plan->n_placements; i++)
    {
      const TpPlacement *it = &plan->placements[i];

      wrap->devices[it->device].n_ops++;
      g_hash_table_insert (wrap->places, (gpointer) wrap->graph->ops[it->node],
                           plan->devices[it->device]);
    }
}

static void
fill_transfers (TplanPlan *wrap)
{
  const TpPlan *plan = wrap->plan;

  wrap->transfers = g_new0 (TplanTransfer, plan->n_transfers + 1);
  for (int i = 0; i < plan->n_transfers; i++)
    {
      const TpTransfer *it = &plan->transfers[i];

      wrap->transfers[i] = (TplanTransfer){
        .tensor = wrap->graph->graph->tensors[it->tensor].name,
        .from = plan->devices[it->from],
        .to = plan->devices[it->to],
        .size_bytes = it->size_bytes,
        .time_ns = it->time_ns,
      };
    }
}

/* Takes both. */
static TplanPlan *
plan_wrap (TpPlan *plan, TplanGraph *graph)
{
  TplanPlan *wrap = g_new0 (TplanPlan, 1);

  wrap->plan = plan;
  wrap->graph = graph;
  fill_devices (wrap);
  fill_transfers (wrap);
  return wrap;
}

void
tplan_plan_free (TplanPlan *plan)
{
  if (plan == NULL)
    return;
  g_hash_table_unref (plan->places);
  g_free (plan->devices);
  g_free (plan->transfers);
  tp_plan_unref (plan->plan);
  tplan_graph_free (plan->graph);
  g_free (plan);
}

static TpPlan *
place (TpGraph *graph, const TplanCosts *from, GError **error)
{
  g_autoptr (TpGroups) groups = tp_fuse_find (graph, NULL);
  TpCalibOptions options = get_options (from);
  g_autoptr (TpCostDb) db = tp_cost_db_open (from->path, TRUE, error);
  g_autoptr (TpCosts) costs
      = db == NULL ? NULL
                   : tp_cost_db_lookup (db, graph, groups, &options, error);

  return costs == NULL ? NULL : tp_place (graph, groups, costs, "time", error);
}

TplanPlan *
tplan_graph_optimize (const TplanGraph *graph, const TplanCosts *costs,
                      const char *const *pins, GError **error)
{
  g_autoptr (TpGraph) pinned = NULL;
  TpPlan *plan;

  g_return_val_if_fail (graph != NULL && costs != NULL, NULL);
  pinned = tp_graph_pin (graph->graph, pins, error);
  if (pinned == NULL)
    return NULL;
  plan = place (pinned, costs, error);
  if (plan == NULL)
    {
      g_prefix_error (error, "%s: ", graph->path);
      return NULL;
    }
  g_free (plan->graph_path);
  plan->graph_path = g_strdup (graph->path);
  plan->dims = graph->dims == NULL ? NULL : g_hash_table_ref (graph->dims);
  plan->pins = g_strdupv ((char **) pins);
  tp_plan_count_memory (plan, pinned);
  return plan_wrap (plan, graph_wrap (g_steal_pointer (&pinned), graph->path,
                                      graph->dims));
}

TplanPlan *
tplan_plan_load_full (const char *path, const char *graph_path,
                      const TplanLoadOptions *options, GError **error)
{
  static const TplanLoadOptions defaults;
  TpGraph *graph = NULL;
  TpPlan *plan;
  TpLimits limits;
  TpLoadOptions load = { .limits = &limits };

  g_return_val_if_fail (path != NULL, NULL);
  options = options == NULL ? &defaults : options;
  g_return_val_if_fail (options->dims == NULL, NULL);
  if (!make_limits (options->limits, &limits, error))
    return NULL;
  load.follow_links = options->follow_links;
  plan = tp_plan_read (path, graph_path, &load, &graph, error);
  if (plan == NULL)
    return NULL;
  return plan_wrap (plan, graph_wrap (graph, plan->graph_path, plan->dims));
}

TplanPlan *
tplan_plan_load (const char *path, const char *graph_path, GError **error)
{
  return tplan_plan_load_full (path, graph_path, NULL, error);
}

gboolean
tplan_plan_save (const TplanPlan *plan, const char *path, GError **error)
{
  g_return_val_if_fail (plan != NULL && path != NULL, FALSE);
  return tp_plan_save (plan->plan, plan->graph->graph, path, error);
}

gboolean
tplan_plan_check (const TplanPlan *plan, GError **error)
{
  g_autoptr (GPtrArray) reasons = g_ptr_array_new_with_free_func (g_free);
  g_autofree char *text = NULL;

  g_return_val_if_fail (plan != NULL, FALSE);
  if (tp_check (plan->plan, plan->graph->graph, reasons))
    return TRUE;
  g_ptr_array_add (reasons, NULL);
  text = g_strjoinv ("; ", (char **) reasons->pdata);
  g_set_error (error, TPLAN_ERROR, TPLAN_ERROR_INPUT,
               "the plan is not valid: %s: optimize again", text);
  return FALSE;
}

const TplanGraph *
tplan_plan_get_graph (const TplanPlan *plan)
{
  g_return_val_if_fail (plan != NULL, NULL);
  return plan->graph;
}

gint64
tplan_plan_get_cost_ns (const TplanPlan *plan)
{
  g_return_val_if_fail (plan != NULL, 0);
  return plan->plan->cost_ns;
}

gint64
tplan_plan_get_bound_ns (const TplanPlan *plan)
{
  g_return_val_if_fail (plan != NULL, 0);
  return plan->plan->bound_ns;
}

int
tplan_plan_count_estimated (const TplanPlan *plan)
{
  g_return_val_if_fail (plan != NULL, 0);
  return plan->plan->n_estimated;
}

const TplanDevice *
tplan_plan_get_devices (const TplanPlan *plan, int *out_n)
{
  g_return_val_if_fail (plan != NULL, NULL);
  set_n (out_n, plan->plan->n_devices);
  return plan->devices;
}

const char *
tplan_plan_find_device (const TplanPlan *plan, const char *op)
{
  g_return_val_if_fail (plan != NULL && op != NULL, NULL);
  return g_hash_table_lookup (plan->places, op);
}

const TplanTransfer *
tplan_plan_get_transfers (const TplanPlan *plan, int *out_n)
{
  g_return_val_if_fail (plan != NULL, NULL);
  set_n (out_n, plan->plan->n_transfers);
  return plan->transfers;
}

/* ---- running ------------------------------------------------------------ */

TplanSession *
tplan_session_new (const TplanPlan *plan, int n_threads, GError **error)
{
  TpDeviceOptions options = { .n_threads = n_threads };
  TplanSession *wrap;
  TpSession *session;

  g_return_val_if_fail (plan != NULL && n_threads >= 0, NULL);
  session = tp_session_new (plan->graph->graph, plan->plan, &options, error);
  if (session == NULL)
    return NULL;
  wrap = g_new0 (TplanSession, 1);
  wrap->session = session;
  return wrap;
}

gboolean
tplan_session_run (TplanSession *session, const void *const *inputs,
                   void *const *outputs, GError **error)
{
  g_return_val_if_fail (session != NULL, FALSE);
  g_return_val_if_fail (inputs != NULL && outputs != NULL, FALSE);
  return tp_session_run (session->session, inputs, outputs, error);
}

gint64
tplan_session_get_time_ns (const TplanSession *session)
{
  g_return_val_if_fail (session != NULL, 0);
  return tp_session_get_time_ns (session->session);
}

void
tplan_session_free (TplanSession *session)
{
  if (session == NULL)
    return;
  tp_session_free (session->session);
  g_free (session);
}
