/* mix.c: plans of several graphs for one machine. Each is planned as if it had the
 * machine alone; what the planner then makes of all of them is checked, written and run
 * together. */
#include "config.h"

#include "api/mix.h"

#include "api/bind.h"
#include "api/graph.h"
#include "api/load.h"
#include "api/objects.h"
#include "api/optimize.h"
#include "api/plan.h"
#include "api/road.h"
#include "api/session.h"
#include "format/file-save.h"
#include "format/gzip.h"
#include "format/mix-json.h"
#include "format/mix-load.h"
#include "ir/guard.h"
#include "ir/pools.h"
#include "planner/check/check-mix.h"
#include "planner/mix.h"

#include <string.h>

#define TO_PLAN "to plan these models"

/* ---- wrapping ------------------------------------------------------------- */

/* Of limits that are for all. NULL: there are none. */
static TpLedger *
new_ledger (const TpMix *mix)
{
  return mix->memory_limits == NULL
             ? NULL
             : tp_ledger_new (mix->parts[0].plan->costs, mix->memory_limits,
                              mix->memory_reserves);
}

/* @wrap->mix is complete; @asked: (nullable): has the graphs, which are taken. */
static void
wrap_parts (TplanMix *wrap, const TpMixAsked *asked)
{
  TpMix *mix = wrap->mix;
  g_autoptr (TpLedger) ledger = new_ledger (mix);

  wrap->plans = g_new0 (TplanPlan *, mix->n_parts);
  wrap->parts = g_new0 (TplanMixPart, mix->n_parts);
  wrap->engines = tp_engines_new (3 * mix->parts[0].plan->n_devices);
  for (int i = 0; i < mix->n_parts; i++)
    {
      TpMixPart *part = &mix->parts[i];
      TplanGraph *graph
          = asked != NULL
                ? g_steal_pointer (&asked[i].plan->graph)
                : tp_api_wrap_graph_of (tp_graph_ref (part->graph), part->plan);

      wrap->plans[i] = tp_api_wrap_plan (tp_plan_ref (part->plan), graph);
      wrap->plans[i]->ledger = ledger == NULL ? NULL : tp_ledger_ref (ledger);
      wrap->parts[i] = (TplanMixPart){ part->name, part->rate.n_runs,
                                       part->rate.span_ns, wrap->plans[i] };
    }
}

void
tplan_mix_free (TplanMix *mix)
{
  if (mix == NULL)
    return;
  for (int i = 0; mix->plans != NULL && i < mix->mix->n_parts; i++)
    tplan_plan_free (mix->plans[i]);
  g_free (mix->plans);
  g_free (mix->parts);
  tp_engines_unref (mix->engines);
  tp_mix_free (mix->mix);
  g_free (mix);
}

/* ---- planning ------------------------------------------------------------- */

static gboolean
check_name (const TpMixAsked *asked, int index, GError **error)
{
  for (int i = 0; i < index; i++)
    if (strcmp (asked[i].name, asked[index].name) == 0)
      {
        g_set_error (error, TPLAN_ERROR, TPLAN_ERROR_USAGE,
                     "two graphs are named '%s': give each a name of its own",
                     asked[i].name);
        return FALSE;
      }
  return TRUE;
}

static gboolean
read_rate (const TpMixAsked *asked, TpMixRate *out, GError **error)
{
  if (tp_mix_rate_parse (asked->rate, out))
    return TRUE;
  g_set_error (error, TPLAN_ERROR, TPLAN_ERROR_USAGE,
               "rate '%s' of '%s' is none " TP_MIX_RATE_FORM, asked->rate,
               asked->name);
  return FALSE;
}

/* Names and rates. */
static TpMix *
new_mix (const TpMixAsked *asked, int n, GError **error)
{
  g_autoptr (TpMix) mix = NULL;

  if (n < 1 || n > TP_MIX_MOST_PARTS)
    {
      g_set_error (error, TPLAN_ERROR, TPLAN_ERROR_USAGE,
                   "%d graphs: 1 to %d can be planned together", n,
                   TP_MIX_MOST_PARTS);
      return NULL;
    }
  mix = tp_mix_new (n);
  for (int i = 0; i < n; i++)
    {
      mix->parts[i].name = g_strdup (asked[i].name);
      if (!check_name (asked, i, error)
          || !read_rate (&asked[i], &mix->parts[i].rate, error))
        return NULL;
    }
  return tp_mix_count_runs (mix, error) ? g_steal_pointer (&mix) : NULL;
}

gboolean
tp_api_check_asked (const TpMixAsked *asked, int n, GError **error)
{
  g_autoptr (TpMix) mix = new_mix (asked, n, error);

  return mix != NULL;
}

typedef struct
{
  TpMixAsked *asked;
  int n;
  const TpMemoryTexts *memory;
  TplanMix *wrap;
  GError **error;
  gboolean is_done;
} PlaceCall;

static gboolean
has_limit (const gint64 *limits, int n)
{
  for (int i = 0; i < n; i++)
    if (limits[i] > 0)
      return TRUE;
  return FALSE;
}

static void
place_call (gpointer data)
{
  PlaceCall *call = data;
  TpMix *mix = call->wrap->mix = new_mix (call->asked, call->n, call->error);
  g_auto (TpMemoryLimits) limits = { NULL, NULL, NULL };
  const TpCosts *costs;

  if (mix == NULL)
    return;
  for (int i = 0; i < call->n; i++)
    {
      mix->parts[i].plan = tp_plan_ref (call->asked[i].plan->plan);
      mix->parts[i].graph = tp_graph_ref (call->asked[i].plan->graph->graph);
    }
  costs = mix->parts[0].plan->costs;
  if (!tp_memory_limits_init (&limits, costs, call->memory, call->error))
    return;
  if (has_limit (limits.all, tp_pools_count_rows (costs)))
    mix->memory_limits = g_steal_pointer (&limits.all);
  mix->memory_reserves = g_steal_pointer (&limits.reserves);
  if (!tp_mix_place (mix, mix->memory_limits, call->error))
    return;
  wrap_parts (call->wrap, call->asked);
  call->is_done = TRUE;
}

static void
drop_plans (TpMixAsked *asked, int n)
{
  for (int i = 0; i < n; i++)
    g_clear_pointer (&asked[i].plan, tplan_plan_free);
}

TplanMix *
tp_api_mix_plans (TpMixAsked *asked, int n, const TpMemoryTexts *memory,
                  GError **error)
{
  g_autoptr (TplanMix) wrap = g_new0 (TplanMix, 1);
  PlaceCall call = { asked, n, memory, wrap, error, FALSE };

  tp_guard (place_call, &call, TO_PLAN, error);
  drop_plans (asked, n);
  return call.is_done ? g_steal_pointer (&wrap) : NULL;
}

static gboolean
check_objective (const TplanOptimizeOptions *options, GError **error)
{
  if (options->objective == NULL
      || strcmp (options->objective, "throughput") == 0)
    return TRUE;
  g_set_error (error, TPLAN_ERROR, TPLAN_ERROR_USAGE,
               "several graphs are planned for 'throughput', not for '%s': "
               "plan them one by one", options->objective);
  return FALSE;
}

TplanMix *
tplan_mix_optimize (const TplanMixGraph *graphs, int n_graphs,
                    const TplanCosts *costs,
                    const TplanOptimizeOptions *options, GError **error)
{
  TplanOptimizeOptions each = { 0 };
  TpMemoryTexts memory;
  g_autofree TpMixAsked *asked = NULL;

  g_return_val_if_fail (graphs != NULL && costs != NULL, NULL);
  if (options != NULL)
    each = *options;
  if (!check_objective (&each, error))
    return NULL;
  each.objective = "throughput";
  asked = g_new0 (TpMixAsked, MAX (n_graphs, 0) + 1);
  for (int i = 0; i < n_graphs; i++)
    asked[i] = (TpMixAsked){ graphs[i].name, graphs[i].rate, NULL };
  if (!tp_api_check_asked (asked, n_graphs, error))
    return NULL;
  for (int i = 0; i < n_graphs; i++)
    {
      asked[i].plan
          = tp_road_optimize (graphs[i].graph, costs, &each, TRUE, error);
      if (asked[i].plan != NULL)
        continue;
      drop_plans (asked, n_graphs);
      return NULL;
    }
  memory = (TpMemoryTexts){ .limits = each.memory_limits,
                            .reserves = each.memory_reserves };
  return tp_api_mix_plans (asked, n_graphs, &memory, error);
}

/* ---- files ---------------------------------------------------------------- */

#define IN_MEMORY "plans"     /* what messages call them */

typedef struct
{
  const TpMixSource *source;
  const TplanLoadOptions *options;
  TplanMix *wrap;
  GError **error;
  gboolean is_done;
} LoadCall;

static void
load_call (gpointer data)
{
  LoadCall *call = data;
  g_auto (TpLoad) load = { 0 };

  if (!tp_load_init (&load, call->options, call->error))
    return;
  call->wrap->mix
      = tp_mix_read_from (call->source, &load.options, call->error);
  if (call->wrap->mix == NULL)
    return;
  wrap_parts (call->wrap, NULL);
  call->is_done = TRUE;
}

static TplanMix *
read_mix (const TpMixSource *source, const TplanLoadOptions *options,
          GError **error)
{
  g_autoptr (TplanMix) wrap = g_new0 (TplanMix, 1);
  LoadCall call = { source, options, wrap, error, FALSE };

  tp_guard (load_call, &call, "to read these plans", error);
  return call.is_done ? g_steal_pointer (&wrap) : NULL;
}

TplanMix *
tplan_mix_load (const char *path, const TplanLoadOptions *options,
                GError **error)
{
  const TpMixSource source = { .path = path };

  g_return_val_if_fail (path != NULL, NULL);
  g_return_val_if_fail (tp_load_is_of_plan (options), NULL);
  return read_mix (&source, options, error);
}

TplanMix *
tplan_mix_new_from_bytes (GBytes *bytes, GBytes *const *graphs, int n_graphs,
                          const TplanLoadOptions *options, GError **error)
{
  const TpMixSource source = { .path = IN_MEMORY,
                               .bytes = bytes,
                               .graphs = graphs,
                               .n_graphs = n_graphs };

  g_return_val_if_fail (bytes != NULL && n_graphs >= 0, NULL);
  g_return_val_if_fail (tp_load_is_of_plan (options), NULL);
  return read_mix (&source, options, error);
}

typedef struct
{
  const TplanMix *mix;
  const char *path;
  GError **error;
  gboolean is_done;
} MixCall;

static void
save_call (gpointer data)
{
  MixCall *call = data;
  g_autoptr (GBytes) bytes
      = tp_mix_to_bytes (call->mix->mix,
                         g_str_has_suffix (call->path, TP_GZIP_SUFFIX),
                         call->error);
  g_autoptr (TpSaver) saver
      = bytes == NULL ? NULL : tp_saver_new (call->path, call->error);

  call->is_done
      = saver != NULL
        && tp_saver_write (saver, g_bytes_get_data (bytes, NULL),
                           g_bytes_get_size (bytes), call->error)
        && tp_saver_sync (saver, call->error)
        && tp_saver_finish (saver, call->error);
}

gboolean
tplan_mix_save (const TplanMix *mix, const char *path, GError **error)
{
  MixCall call = { mix, path, error, FALSE };

  g_return_val_if_fail (mix != NULL && path != NULL, FALSE);
  tp_guard (save_call, &call, "to write these plans", error);
  return call.is_done;
}

/* ---- checking ------------------------------------------------------------- */

gboolean
tp_api_check_mix (const TplanMix *mix, GPtrArray *reasons)
{
  if (!tp_check_mix (mix->mix, reasons))
    return FALSE;
  for (int i = 0; i < mix->mix->n_parts; i++)
    if (!tp_bind_check (mix->mix->parts[i].plan, mix->mix->parts[i].graph,
                        reasons))
      return FALSE;
  return TRUE;
}

static void
check_call (gpointer data)
{
  MixCall *call = data;
  g_autoptr (GPtrArray) reasons = g_ptr_array_new_with_free_func (g_free);
  g_autofree char *text = NULL;

  call->is_done = tp_api_check_mix (call->mix, reasons);
  if (call->is_done)
    return;
  g_ptr_array_add (reasons, NULL);
  text = g_strjoinv ("; ", (char **) reasons->pdata);
  g_set_error (call->error, TPLAN_ERROR, TPLAN_ERROR_INPUT,
               "the plans are not valid: %s: optimize again", text);
}

gboolean
tplan_mix_check (const TplanMix *mix, GError **error)
{
  MixCall call = { .mix = mix, .error = error };

  g_return_val_if_fail (mix != NULL, FALSE);
  tp_guard (check_call, &call, "to check these plans", error);
  return call.is_done;
}

/* ---- asking and running --------------------------------------------------- */

const TpMix *
tp_api_get_mix (const TplanMix *mix)
{
  return mix->mix;
}

TplanPlan *
tp_api_steal_part (TplanMix *mix, int part)
{
  return g_steal_pointer (&mix->plans[part]);
}

const TplanMixPart *
tplan_mix_get_parts (const TplanMix *mix, int *out_n)
{
  g_return_val_if_fail (mix != NULL, NULL);
  tp_set_n (out_n, mix->mix->n_parts);
  return mix->parts;
}

double
tplan_mix_get_busy (const TplanMix *mix, double *out_bound)
{
  g_return_val_if_fail (mix != NULL, 0);
  if (out_bound != NULL)
    *out_bound = tp_mix_get_busy (
        mix->mix, tp_load_proof_get_bound (mix->mix->proof));
  return tp_mix_get_busy (mix->mix, mix->mix->proof->load_ns);
}

gint64
tp_api_find_alone_ns (const TplanMix *mix, int device)
{
  return tp_mix_find_alone (mix->mix, device);
}

/* Engines of sessions go by device, those of proofs by kind. */
gint64
tp_api_get_busy_ns (const TplanMix *mix, int engine)
{
  int n = mix->mix->parts[0].plan->n_devices;
  int device = engine % n, kind = engine / n;

  return tp_engines_get_busy_ns (mix->engines,
                                 device * TP_ENGINE_KINDS + kind);
}

TplanSession *
tplan_mix_new_session (const TplanMix *mix, int part,
                       const TplanSessionOptions *options, GError **error)
{
  g_return_val_if_fail (mix != NULL && options != NULL, NULL);
  g_return_val_if_fail (part >= 0 && part < mix->mix->n_parts, NULL);
  g_return_val_if_fail (options->n_threads >= 0, NULL);
  g_return_val_if_fail (options->n_in_flight >= 0, NULL);
  return tp_api_new_session (mix->plans[part], options, mix->engines, error);
}
