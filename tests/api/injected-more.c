/* injected-more.c: calls on what is in memory, that are followed, of three devices;
 * runs that are submitted. See injected-calls.h. */
#include "config.h"

#include "injected-calls.h"
#include "injected-models.h"

#include <glib/gstdio.h>
#include <string.h>

static GBytes *
read_file (const char *path)
{
  g_autoptr (GError) error = NULL;
  char *text;
  gsize size;

  g_file_get_contents (path, &text, &size, &error);
  g_assert_no_error (error);
  return g_bytes_new_take (text, size);
}

/* ---- in memory ------------------------------------------------------------ */

void
injected_prepare_model (Fixture *fixture)
{
  fixture->bytes = read_file (fixture->json);
}

void
injected_prepare_tensors (Fixture *fixture)
{
  fixture->bytes = read_file (fixture->tensors);
  fixture->more_bytes = read_file (fixture->weights);
}

static GBytes *
give_weights (const char *name, gpointer fixture, GError **error)
{
  return g_bytes_ref (((Fixture *) fixture)->more_bytes);
}

gboolean
injected_read_model (Fixture *fixture, GError **error)
{
  const TplanLoadOptions options
      = { .load_file = fixture->more_bytes == NULL ? NULL : give_weights,
          .load_file_data = fixture };
  g_autoptr (TplanGraph) graph
      = tplan_graph_new_from_bytes (fixture->bytes, &options, error);

  return graph != NULL;
}

void
injected_prepare_plan (Fixture *fixture)
{
  fixture->bytes = read_file (fixture->saved);
  fixture->more_bytes = read_file (fixture->json);
}

gboolean
injected_read_plan (Fixture *fixture, GError **error)
{
  g_autoptr (TplanPlan) plan = tplan_plan_new_from_bytes (
      fixture->bytes, fixture->more_bytes, NULL, error);

  return plan != NULL;
}

gboolean
injected_save_packed (Fixture *fixture, GError **error)
{
  g_autofree char *path = g_strconcat (fixture->saved, ".gz", NULL);
  gboolean is_done = tplan_plan_save (fixture->plan, path, error);

  if (is_done)
    g_remove (path);
  return is_done;
}

void
injected_prepare_packed (Fixture *fixture)
{
  g_autofree char *path = g_strconcat (fixture->saved, ".gz", NULL);
  g_autoptr (GError) error = NULL;

  tplan_plan_save (fixture->plan, path, &error);
  g_assert_no_error (error);
  fixture->bytes = read_file (path);
  fixture->more_bytes = read_file (fixture->json);
  g_remove (path);
}

/* What limits make hard to prove has bounds by the thousand, and ops are pinned
 * one by one: a plan of few ops, which has more of both put in. */
#define FEW 200               /* ops */
#define MANY 1250
#define DIGEST_KEY "\n \"sha256\": \""

static void
insert (GString *plan, const char *before, const char *text)
{
  gssize at = strstr (plan->str, before) - plan->str + strlen (before);

  g_assert_nonnull (strstr (plan->str, before));
  for (int i = 0; i < MANY; i++)
    g_string_insert (plan, at, text);
}

static void
sign (GString *plan)
{
  char *last = g_strrstr (plan->str, DIGEST_KEY);
  g_autofree char *digest = NULL;

  g_assert_nonnull (last);
  digest = g_compute_checksum_for_data (
      G_CHECKSUM_SHA256, (const guchar *) plan->str, last + 1 - plan->str);
  memcpy (last + strlen (DIGEST_KEY), digest, strlen (digest));
}

void
injected_prepare_lists (Fixture *fixture)
{
  static const char *const limits[] = { "sim:laptop-cpu=7750", NULL };
  static const char *const reserves[] = { "sim:laptop-cpu=500", NULL };
  static const char *const pins[] = { "op0=sim:laptop-cpu", NULL };
  const TplanOptimizeOptions options
      = { .memory_limits = limits, .pins = pins, .memory_reserves = reserves };
  g_autofree char *path = g_build_filename (fixture->folder, "few.json", NULL);
  g_autoptr (GError) error = NULL;
  g_autoptr (TplanGraph) graph = NULL;
  g_autoptr (TplanPlan) plan = NULL;
  g_autoptr (GBytes) whole = NULL;
  g_autoptr (GString) text = NULL;

  injected_write_json (path, FEW);
  fixture->more_bytes = read_file (path);
  g_remove (path);
  graph = tplan_graph_new_from_bytes (fixture->more_bytes, NULL, &error);
  g_assert_no_error (error);
  plan = tplan_graph_optimize_full (graph, fixture->costs, &options, &error);
  g_assert_no_error (error);
  whole = tplan_plan_to_bytes (plan, &error);
  g_assert_no_error (error);
  text = g_string_new_len (g_bytes_get_data (whole, NULL),
                           g_bytes_get_size (whole));
  insert (text, "\"memory_bounds\": [",
          "{\"costs\": false, \"prices\": [], \"shares\": []},");
  insert (text, "\"pins\": [", "\"op0=sim:laptop-cpu\",");
  sign (text);
  fixture->bytes = g_string_free_to_bytes (g_steal_pointer (&text));
}

/* One plan, for a dimension that is 1. */
void
injected_prepare_tiers (Fixture *fixture)
{
  g_autoptr (GBytes) plan = read_file (fixture->saved_dims);
  char *text = g_strdup_printf (
      "{\n \"format\": \"tplan-tiers/1\",\n \"parameter\": \"N1\",\n"
      " \"plans\": [\n%.*s ]\n}\n", (int) g_bytes_get_size (plan),
      (const char *) g_bytes_get_data (plan, NULL));

  fixture->bytes = g_bytes_new_take (text, strlen (text));
  fixture->more_bytes = read_file (fixture->dims);
}

gboolean
injected_read_tier (Fixture *fixture, GError **error)
{
  static const TplanDim dims[] = { { "N1", 1 }, { NULL, 0 } };
  const TplanLoadOptions options = { .dims = dims };
  g_autoptr (TplanPlan) plan = tplan_plan_new_from_bytes (
      fixture->bytes, fixture->more_bytes, &options, error);

  return plan != NULL;
}

/* Planned together, checked, written and read. */
gboolean
injected_mix (Fixture *fixture, GError **error)
{
  const TplanMixGraph graphs[] = { { "one", "3/s", fixture->graph },
                                   { "other", "2/s", fixture->graph } };
  g_autofree char *path = g_strconcat (fixture->saved, ".mix", NULL);
  g_autoptr (TplanMix) mix
      = tplan_mix_optimize (graphs, 2, fixture->costs, NULL, error);
  g_autoptr (TplanMix) again = NULL;

  if (mix == NULL || !tplan_mix_check (mix, error)
      || !tplan_mix_save (mix, path, error))
    return FALSE;
  again = tplan_mix_load (path, NULL, error);
  g_remove (path);
  return again != NULL;
}

gboolean
injected_write_plan (Fixture *fixture, GError **error)
{
  g_autoptr (GBytes) bytes = tplan_plan_to_bytes (fixture->plan, error);

  return bytes != NULL;
}

/* ---- figures -------------------------------------------------------------- */

static void
append_entry (GString *text, int number)
{
  g_string_append_printf (
      text,
      "%s{\"digest\": \"%064x\", \"dtype\": \"float32\", \"schedule\": \"s\","
      "\"family\": \"f\", \"label\": \"l\", \"state\": 0, \"reason\": \"\","
      "\"n\": 9, \"min_ns\": 1, \"median_ns\": 1, \"mad_ns\": 0,"
      "\"half_ns\": 0, \"fma_ns\": 1, \"stream_ns\": 1, \"flops\": 1,"
      "\"read_bytes\": 1, \"written_bytes\": 1, \"constant_bytes\": 0,"
      "\"n_points\": 1, \"measured_at\": 1}", number > 0 ? ", " : "", number);
}

/* As many kernels as the models have ops. */
void
injected_prepare_figures (Fixture *fixture)
{
  GString *text = g_string_new (
      "{\"format\": \"tplan-cost/3\", \"devices\": [{\"name\": \"ref\","
      "\"identity\": \"i\", \"facts\": \"f\", \"is_host\": 1,"
      "\"peak_gflops\": 1, \"bandwidth_gbps\": 1, \"launch_ns\": 1,"
      "\"sync_ns\": 1, \"full_points\": 1, \"memory_bytes\": 1,"
      "\"to_device_base_ns\": 0, \"to_device_per_byte_ns\": 0,"
      "\"to_device_residual\": 0, \"to_host_base_ns\": 0,"
      "\"to_host_per_byte_ns\": 0, \"to_host_residual\": 0,"
      "\"measured_at\": 1, \"wholes\": [], \"entries\": [");

  for (int i = 0; i < injected_n_ops; i++)
    append_entry (text, i);
  g_string_append (text, "]}]}");
  fixture->bytes = g_string_free_to_bytes (text);
}

gboolean
injected_import (Fixture *fixture, GError **error)
{
  return tplan_costs_import (fixture->costs, fixture->bytes, NULL, error);
}

void
injected_prepare_table (Fixture *fixture)
{
  g_autoptr (GError) error = NULL;

  injected_prepare_figures (fixture);
  injected_import (fixture, &error);
  g_assert_no_error (error);
}

gboolean
injected_export (Fixture *fixture, GError **error)
{
  g_autoptr (GBytes) bytes = tplan_costs_export (fixture->costs, error);

  return bytes != NULL;
}

/* ---- planning ------------------------------------------------------------- */

static gboolean
take_progress (const TplanProgress *progress, gpointer user_data)
{
  return TRUE;
}

static void
take_line (const char *text, gpointer user_data)
{
}

gboolean
injected_optimize_fully (Fixture *fixture, GError **error)
{
  static const char *const pins[] = { "*1=sim:laptop-gpu", NULL };
  static const char *const limits[] = { "sim:laptop-gpu=4G", NULL };
  static const char *const reserves[] = { "sim:laptop-gpu=1G", NULL };
  static const char *const no_fuse[] = { "pointwise", NULL };
  const TplanOptimizeOptions options
      = { .pins = pins, .memory_limits = limits, .no_fuse = no_fuse,
          .is_exact = TRUE, .trusts_estimates = TRUE,
          .watch = { take_progress, take_line, NULL, NULL },
          .memory_reserves = reserves };
  g_autoptr (TplanPlan) plan = tplan_graph_optimize_full (
      fixture->graph, fixture->costs, &options, error);

  return plan != NULL;
}

static gboolean
optimize_for (Fixture *fixture, const char *objective, GError **error)
{
  static const char *const watts[] = { "sim:laptop-gpu=70:5:3", NULL };
  static const char *const prices[]
      = { "sim:laptop-cpu=0.1/h", "sim:laptop-gpu=1/h:use", NULL };
  const TplanOptimizeOptions options
      = { .objective = objective, .watts = watts, .prices = prices };
  g_autoptr (TplanPlan) plan = tplan_graph_optimize_full (
      fixture->graph, fixture->costs, &options, error);

  return plan != NULL && tplan_plan_check (plan, error);
}

gboolean
injected_optimize_rated (Fixture *fixture, GError **error)
{
  return optimize_for (fixture, "energy", error);
}

gboolean
injected_optimize_price (Fixture *fixture, GError **error)
{
  return optimize_for (fixture, "price", error);
}

gboolean
injected_optimize_throughput (Fixture *fixture, GError **error)
{
  return optimize_for (fixture, "throughput", error);
}

gboolean
injected_optimize_makespan (Fixture *fixture, GError **error)
{
  return optimize_for (fixture, "makespan", error);
}

/* The weights, of 16 bytes an op, are not to be on one device. */
gboolean
injected_makespan_tight (Fixture *fixture, GError **error)
{
  g_autofree char *limit
      = g_strdup_printf ("sim:laptop-cpu=%d", 16 * N_TIGHT);
  const char *const limits[] = { limit, NULL };
  const TplanOptimizeOptions options
      = { .objective = "makespan", .memory_limits = limits };
  g_autoptr (TplanPlan) plan = tplan_graph_optimize_full (
      fixture->tight, fixture->costs, &options, error);

  return plan != NULL;
}

void
injected_prepare_three (Fixture *fixture)
{
  static const char *const devices[]
      = { "sim:laptop-cpu", "sim:laptop-gpu", "sim:desktop-gpu", NULL };
  g_autoptr (GError) error = NULL;

  fixture->three = tplan_costs_open (fixture->table, devices, 1, &error);
  g_assert_no_error (error);
  fixture->shares = tplan_graph_optimize (fixture->graph, fixture->three, NULL,
                                          &error);
  g_assert_no_error (error);
  fixture->bytes = tplan_plan_to_bytes (fixture->shares, &error);
  g_assert_no_error (error);
  fixture->more_bytes = read_file (fixture->json);
}

gboolean
injected_share (Fixture *fixture, GError **error)
{
  g_autoptr (TplanPlan) plan = tplan_graph_optimize (
      fixture->graph, fixture->three, NULL, error);

  return plan != NULL;
}

/* The weights, of 16 bytes an op, are not to be on one device. */
gboolean
injected_share_tight (Fixture *fixture, GError **error)
{
  g_autofree char *limit
      = g_strdup_printf ("sim:laptop-cpu=%d", 16 * N_TIGHT);
  const char *const limits[] = { limit, NULL };
  const TplanOptimizeOptions options = { .memory_limits = limits };
  g_autoptr (TplanPlan) plan = tplan_graph_optimize_full (
      fixture->tight, fixture->three, &options, error);

  return plan != NULL;
}

static gboolean
share_for (Fixture *fixture, const char *objective, GError **error)
{
  static const char *const prices[]
      = { "sim:laptop-cpu=0.1/h", "sim:laptop-gpu=1/h", "sim:desktop-gpu=2/h",
          NULL };
  const TplanOptimizeOptions options
      = { .objective = objective, .prices = prices };
  g_autoptr (TplanPlan) plan = tplan_graph_optimize_full (
      fixture->graph, fixture->three, &options, error);

  return plan != NULL && tplan_plan_check (plan, error);
}

gboolean
injected_share_load (Fixture *fixture, GError **error)
{
  return share_for (fixture, "throughput", error);
}

gboolean
injected_share_span (Fixture *fixture, GError **error)
{
  return share_for (fixture, "makespan", error);
}

gboolean
injected_share_price (Fixture *fixture, GError **error)
{
  return share_for (fixture, "price", error);
}

gboolean
injected_check_shares (Fixture *fixture, GError **error)
{
  return tplan_plan_check (fixture->shares, error);
}

gboolean
injected_read_shares (Fixture *fixture, GError **error)
{
  return injected_read_plan (fixture, error);
}

/* ---- running -------------------------------------------------------------- */

/* Two runs, of which the later may be taken back. */
gboolean
injected_submit (Fixture *fixture, GError **error)
{
  static gint64 in[64 * 64], out[64 * 64];
  const void *const inputs[] = { in };
  void *const outputs[] = { out };
  g_autoptr (TplanRun) first
      = tplan_session_submit (fixture->integers, inputs, outputs, error);
  g_autoptr (TplanRun) second
      = first == NULL ? NULL
                      : tplan_session_submit (fixture->integers, inputs,
                                              outputs, error);

  if (second == NULL)
    return FALSE;
  return tplan_run_cancel (second) ? tplan_run_wait (first, error)
                                   : tplan_run_wait (second, error);
}

static gboolean
run_with (Fixture *fixture, const TplanPlan *plan,
          const TplanSessionOptions *options, GError **error)
{
  const void *const inputs[] = { fixture->in };
  void *const outputs[] = { fixture->out };
  g_autoptr (TplanSession) session
      = tplan_session_new_full (plan, options, error);

  return session != NULL
         && tplan_session_run (session, inputs, outputs, error)
         && tplan_session_get_steps (session, NULL, error) != NULL;
}

gboolean
injected_list_steps (Fixture *fixture, GError **error)
{
  const TplanSessionOptions options = { .n_threads = 1, .is_profiled = TRUE };

  return run_with (fixture, fixture->ref_plan, &options, error);
}

/* Each of the two runs has memory of its own. */
gboolean
injected_fly (Fixture *fixture, GError **error)
{
  const TplanSessionOptions options = { .n_threads = 1, .n_in_flight = 2 };
  const void *const inputs[] = { fixture->in };
  float first_out[64], second_out[64];
  void *const first_outputs[] = { first_out };
  void *const second_outputs[] = { second_out };
  g_autoptr (TplanSession) session
      = tplan_session_new_full (fixture->ref_plan, &options, error);
  g_autoptr (TplanRun) first
      = session == NULL ? NULL
                        : tplan_session_submit (session, inputs, first_outputs,
                                                error);
  g_autoptr (TplanRun) second
      = first == NULL ? NULL
                      : tplan_session_submit (session, inputs, second_outputs,
                                              error);

  return second != NULL && tplan_run_wait (first, error)
         && tplan_run_wait (second, error);
}

/* Where the plan's devices cannot have memory, the host may. */
gboolean
injected_fall_back (Fixture *fixture, GError **error)
{
  const TplanSessionOptions options
      = { .n_threads = 1, .falls_back = TRUE, .cache = "off" };

  return run_with (fixture, fixture->ref_plan, &options, error);
}
