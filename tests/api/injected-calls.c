/* injected-calls.c: see injected-calls.h. */
#include "config.h"

#include "injected-calls.h"

#include <glib/gstdio.h>
#include <string.h>

static gboolean
load_from (const char *path, GError **error)
{
  TplanGraph *graph = tplan_graph_load (path, NULL, error);

  tplan_graph_free (graph);
  return graph != NULL;
}

static gboolean
load_json (Fixture *fixture, GError **error)
{
  return load_from (fixture->json, error);
}

static gboolean
load_onnx (Fixture *fixture, GError **error)
{
  return load_from (fixture->onnx, error);
}

static gboolean
load_functions (Fixture *fixture, GError **error)
{
  return load_from (fixture->functions, error);
}

/* Half of them have no value. */
static gboolean
load_dims (Fixture *fixture, GError **error)
{
  const TplanLoadOptions options = { .assumes_dims = TRUE };
  TplanGraph *graph = tplan_graph_load_full (fixture->dims, &options, error);

  tplan_graph_free (graph);
  return graph != NULL;
}

static gboolean
load_folded (Fixture *fixture, GError **error)
{
  return load_from (fixture->folded, error);
}

static gboolean
load_tensors (Fixture *fixture, GError **error)
{
  return load_from (fixture->tensors, error);
}

static gboolean
optimize_within (Fixture *fixture, const TplanGraph *graph,
                 const char *const *limits, GError **error)
{
  const TplanOptimizeOptions options = { .memory_limits = limits };
  TplanPlan *plan = tplan_graph_optimize_full (graph, fixture->costs, &options,
                                               error);

  tplan_plan_free (plan);
  return plan != NULL;
}

static gboolean
optimize (Fixture *fixture, GError **error)
{
  return optimize_within (fixture, fixture->graph, NULL, error);
}

/* The weights, of 16 bytes an op, are not to be on one device. */
static gboolean
optimize_tight (Fixture *fixture, GError **error)
{
  g_autofree char *limit
      = g_strdup_printf ("sim:laptop-cpu=%d", 16 * N_TIGHT);
  const char *const limits[] = { limit, NULL };

  return optimize_within (fixture, fixture->tight, limits, error);
}

static gboolean
save_plan (Fixture *fixture, GError **error)
{
  gboolean is_done = tplan_plan_save (fixture->plan, fixture->again, error);

  if (is_done)
    g_remove (fixture->again);
  return is_done;
}

static gboolean
load_plan_from (const char *path, GError **error)
{
  TplanPlan *plan = tplan_plan_load (path, NULL, error);

  tplan_plan_free (plan);
  return plan != NULL;
}

static gboolean
load_plan (Fixture *fixture, GError **error)
{
  return load_plan_from (fixture->saved, error);
}

static gboolean
load_plan_of_dims (Fixture *fixture, GError **error)
{
  return load_plan_from (fixture->saved_dims, error);
}

static gboolean
check_plan (Fixture *fixture, GError **error)
{
  return tplan_plan_check (fixture->plan, error);
}

static gboolean
make_session (Fixture *fixture, GError **error)
{
  TplanSession *session = tplan_session_new (fixture->ref_plan, 1, error);

  tplan_session_free (session);
  return session != NULL;
}

/* What is compiled, and what is found: the children's allocations count as well. */
gboolean
injected_make_on_cpu (Fixture *fixture, const char *cache, GError **error)
{
  const TplanSessionOptions options = { .n_threads = 1, .cache = cache };
  TplanSession *session;

  if (fixture->cpu_plan == NULL)
    {
      g_set_error_literal (error, TPLAN_ERROR, TPLAN_ERROR_DEVICE,
                           "device 'cpu' is absent");
      return FALSE;
    }
  session = tplan_session_new_full (fixture->cpu_plan, &options, error);
  tplan_session_free (session);
  return session != NULL;
}

static gboolean
compile_session (Fixture *fixture, GError **error)
{
  return injected_make_on_cpu (fixture, "off", error);
}

static gboolean
load_session (Fixture *fixture, GError **error)
{
  return injected_make_on_cpu (fixture, fixture->cache, error);
}

static gboolean
run_session (Fixture *fixture, GError **error)
{
  const void *const inputs[] = { fixture->in };
  void *const outputs[] = { fixture->out };

  return tplan_session_run (fixture->session, inputs, outputs, error);
}

static gboolean
run_integers (Fixture *fixture, GError **error)
{
  static gint64 in[64 * 64], out[64 * 64];
  const void *const inputs[] = { in };
  void *const outputs[] = { out };

  return tplan_session_run (fixture->integers, inputs, outputs, error);
}

static gboolean
optimize_for_ref (Fixture *fixture, GError **error)
{
  static const char *const devices[] = { "ref", NULL };
  g_autoptr (TplanCosts) costs
      = tplan_costs_open (fixture->table, devices, 1, error);
  g_autoptr (TplanPlan) plan
      = costs == NULL ? NULL
                      : tplan_graph_optimize (fixture->graph, costs, NULL,
                                              error);

  return plan != NULL;
}

/* All of it, as a child has to open the driver itself. */
static gboolean
make_opencl_session (Fixture *fixture, GError **error)
{
  static const char *const devices[] = { "opencl:0", NULL };
  g_autoptr (TplanCosts) costs
      = tplan_costs_open (fixture->table, devices, 1, error);
  g_autoptr (TplanPlan) plan
      = costs == NULL ? NULL
                      : tplan_graph_optimize (fixture->small, costs, NULL,
                                              error);
  g_autoptr (TplanSession) session
      = plan == NULL ? NULL : tplan_session_new (plan, 1, error);

  return session != NULL;
}

/* Kernels of many kinds, the program text of OpenCL among them. */
static gboolean
make_kinds_session (Fixture *fixture, const char *device, GError **error)
{
  const char *const devices[] = { device, NULL };
  const TplanSessionOptions options = { .n_threads = 1, .cache = "off" };
  g_autoptr (TplanCosts) costs
      = tplan_costs_open (fixture->table, devices, 1, error);
  g_autoptr (TplanPlan) plan
      = costs == NULL ? NULL
                      : tplan_graph_optimize (fixture->kinds, costs, NULL,
                                              error);
  g_autoptr (TplanSession) session
      = plan == NULL ? NULL : tplan_session_new_full (plan, &options, error);

  return session != NULL;
}

static gboolean
make_kinds_on_cpu (Fixture *fixture, GError **error)
{
  return make_kinds_session (fixture, "cpu", error);
}

static gboolean
make_kinds_on_opencl (Fixture *fixture, GError **error)
{
  return make_kinds_session (fixture, "opencl:0", error);
}

#define SOON_NS (2 * G_GINT64_CONSTANT (1000000000))

/* Most are asked for before a child measures. */
static gboolean
calibrate (Fixture *fixture, GError **error)
{
  static const char *const devices[] = { "ref", NULL };
  g_autoptr (TplanCosts) costs
      = tplan_costs_open (fixture->table, devices, 1, error);

  return costs != NULL
         && tplan_costs_calibrate (costs, fixture->graph, SOON_NS,
                                   NULL, error);
}

static gboolean
open_costs (Fixture *fixture, GError **error)
{
  static const char *const devices[] = { "ref", NULL };
  TplanCosts *costs = tplan_costs_open (fixture->table, devices, 1, error);

  tplan_costs_close (costs);
  return costs != NULL;
}

const Case injected_cases[] = {
  { "load", load_json, 5, 0, NULL },
  { "load-onnx", load_onnx, 5, 0, NULL },
  { "load-functions", load_functions, 5, 0, NULL },
  { "load-dims", load_dims, 20, 0, NULL },
  { "load-folded", load_folded, 1, 0, NULL },
  { "load-tensors", load_tensors, 5, 0, NULL },
  { "optimize", optimize, 10, 0, NULL },
  { "optimize-tight", optimize_tight, 1600, 0, NULL }, /* seconds each */
  { "plan-save", save_plan, 1, 0, NULL },
  { "plan-load", load_plan, 20, 0, NULL },
  { "plan-load-dims", load_plan_of_dims, 40, 0, NULL },
  { "check", check_plan, 5, 0, NULL },
  { "session", make_session, 5, 0, NULL },
  { "session-cpu", compile_session, 20, 0, NULL },
  { "session-cpu-kept", load_session, 20, 0, NULL },
  { "run", run_session, 1, 0, NULL },
  { "run-integers", run_integers, 1, 0, NULL },
  { "costs", open_costs, 1, 0, NULL },
  { "optimize-ref", optimize_for_ref, 10, OURS, NULL },
  { "opencl", make_opencl_session, 1, 4 * OURS, NULL },
  { "kinds-cpu", make_kinds_on_cpu, 20, OURS, NULL },
  { "kinds-opencl", make_kinds_on_opencl, 10, OURS, NULL },
  { "calibrate", calibrate, 50, OURS, NULL },
  { "bytes", injected_read_model, 5, 0, injected_prepare_model },
  { "bytes-tensors", injected_read_model, 5, 0, injected_prepare_tensors },
  { "plan-bytes", injected_read_plan, 20, 0, injected_prepare_plan },
  { "plan-packed", injected_read_plan, 20, 0, injected_prepare_packed },
  { "plan-pack", injected_save_packed, 1, 0, NULL },
  { "plan-lists", injected_read_plan, 17, 0, injected_prepare_lists },
  { "stream", injected_stream, 60, 0, injected_prepare_heavy },
  { "plan-streamed", injected_read_plan, 20, 0, injected_prepare_streamed },
  { "split", injected_split, 60, 0, injected_prepare_heavy },
  { "plan-split", injected_read_plan, 20, 0, injected_prepare_parts },
  { "plan-tier", injected_read_tier, 40, 0, injected_prepare_tiers },
  { "mix", injected_mix, 400, 0, NULL },
  { "plan-to-bytes", injected_write_plan, 1, 0, NULL },
  { "optimize-options", injected_optimize_fully, 10, 0, NULL },
  { "optimize-rated", injected_optimize_rated, 10, 0, NULL },
  { "optimize-price", injected_optimize_price, 40, 0, NULL },
  { "optimize-throughput", injected_optimize_throughput, 160, 0, NULL },
  { "optimize-makespan", injected_optimize_makespan, 300, 0, NULL },
  { "makespan-tight", injected_makespan_tight, 8000, 0, NULL }, /* seconds each */
  { "shares", injected_share, 20, 0, injected_prepare_three },
  { "shares-tight", injected_share_tight, 20000, 0, injected_prepare_three }, /* likewise */
  { "shares-throughput", injected_share_load, 2000, 0, injected_prepare_three },
  { "shares-makespan", injected_share_span, 2000, 0, injected_prepare_three },
  { "shares-price", injected_share_price, 200, 0, injected_prepare_three },
  { "shares-check", injected_check_shares, 5, 0, injected_prepare_three },
  { "shares-load", injected_read_shares, 20, 0, injected_prepare_three },
  { "submit", injected_submit, 1, 0, NULL },
  { "flight", injected_fly, 10, 0, NULL },
  { "steps", injected_list_steps, 10, 0, NULL },
  { "fall-back", injected_fall_back, 10, 0, NULL },
  /* these change the table */
  { "import", injected_import, 2, OURS, injected_prepare_figures },
  { "export", injected_export, 2, OURS, injected_prepare_table },
  { NULL, NULL, 0, 0, NULL },
};
