/* report-runs.c: see report-runs.h. */
#include "config.h"

#include "cli/report-runs.h"

#include "api/graph.h"
#include "api/plan.h"
#include "cli/account.h"
#include "cli/drivers.h"
#include "cli/output.h"
#include "cli/profile.h"
#include "cli/progress.h"
#include "cli/repeat.h"
#include "cli/run-data.h"
#include "format/file.h"
#include "format/json-read.h"
#include "ir/foreign-text.h"

#include <string.h>

#define RUNS 20
#define RUNS_LEAST 3
#define LIMIT_NS (3 * G_GINT64_CONSTANT (1000000000)) /* of more than these */
#define FILE_MAX (64 << 20)   /* bytes; a profile of 10,000 ops has 2 MB */

static json_t *
read_document (const char *path, GError **error)
{
  g_autoptr (GBytes) bytes = tp_file_load (path, TP_FILE_PLAIN, error);
  const char *text;
  gsize size;

  if (bytes == NULL)
    return NULL;
  text = g_bytes_get_data (bytes, &size);
  if (size > 0 && size <= FILE_MAX)
    return tp_json_parse (path, text, size, error);
  g_set_error (error, TPLAN_ERROR, TPLAN_ERROR_INPUT, "%s: %s", path,
               size == 0 ? "the file is empty" : "it is larger than 64 MiB");
  return NULL;
}

json_t *
tp_report_read (const char *path, const char *format, const char *verb,
                GError **error)
{
  g_autoptr (GError) local = NULL;
  json_t *document = read_document (path, &local);
  const char *said;

  if (document == NULL)
    {
      g_set_error (error, TPLAN_ERROR, local->code,
                   "%s: `tplan %s --help` says how to write one",
                   local->message, verb);
      return NULL;
    }
  said = json_string_value (json_object_get (document, "format"));
  if (g_strcmp0 (said, format) == 0)
    return document;
  json_decref (document);
  g_set_error (error, TPLAN_ERROR, TPLAN_ERROR_INPUT,
               "%s: its format is no '%s': `tplan %s --help` says how to write "
               "one",
               path, format, verb);
  return NULL;
}

/* Those of the steps of @run that are as they are written; others are left out. */
static json_t *
copy_steps (const json_t *run)
{
  json_t *list = json_array ();
  gsize i;
  json_t *step;

  json_array_foreach (json_object_get (run, "profile"), i, step)
    {
      const char *name = json_string_value (json_object_get (step, "name"));
      const char *device
          = json_string_value (json_object_get (step, "device"));
      const char *type = json_string_value (json_object_get (step, "type"));
      const json_t *time = json_object_get (step, "measured_ns");

      if (name != NULL && device != NULL && type != NULL
          && json_is_integer (time) && json_integer_value (time) >= 0)
        json_array_append_new (
            list, json_pack ("[o, o, i, I]", tp_cli_clean_string (name),
                             tp_cli_clean_string (device),
                             strcmp (type, "copy") == 0 ? 1 : 0,
                             json_integer_value (time)));
    }
  return list;
}

gboolean
tp_report_add_run (json_t *plan, const json_t *run)
{
  static const char *const numbers[]
      = { "runs", "median_ns", "p10_ns", "p90_ns" };
  const char *graph = json_string_value (json_object_get (run, "graph"));
  const json_t *own = json_object_get (plan, "graph");
  g_autofree char *clean = graph == NULL ? NULL : tp_foreign_text_clean (graph);
  json_t *data, *preempted;

  if (clean == NULL || g_strcmp0 (clean, json_string_value (own)) != 0
      || !json_equal (json_object_get (run, "predicted_ns"),
                      json_object_get (plan, "cost")))
    return FALSE;
  data = json_pack ("{s:o}", "steps", copy_steps (run));
  for (gsize i = 0; i < G_N_ELEMENTS (numbers); i++)
    if (json_is_integer (json_object_get (run, numbers[i])))
      json_object_set (data, numbers[i], json_object_get (run, numbers[i]));
  preempted = json_object_get (json_object_get (run, "account"), "preempted");
  if (json_is_real (preempted))
    json_object_set (data, "preempted", preempted);
  json_object_set_new (plan, "measured", data);
  return TRUE;
}

/* ---- sweeps --------------------------------------------------------------- */

/* {device: ns}, without what is no time. */
static json_t *
copy_times (json_t *times)
{
  json_t *copy = json_object ();
  const char *device;
  json_t *time;

  json_object_foreach (times, device, time)
    if (json_is_integer (time) && json_integer_value (time) > 0)
      json_object_set (copy, device, time);
  return copy;
}

static void
add_point (json_t *list, const json_t *point)
{
  static const char *const numbers[] = { "cost_ns", "low_ns", "high_ns" };
  json_t *copy = json_object ();

  for (gsize i = 0; i < G_N_ELEMENTS (numbers); i++)
    if (json_integer_value (json_object_get (point, numbers[i])) > 0)
      json_object_set (copy, numbers[i], json_object_get (point, numbers[i]));
  json_object_set (copy, "value", json_object_get (point, "value"));
  json_object_set_new (copy, "single_ns",
                       copy_times (json_object_get (point, "single_ns")));
  if (json_integer_value (json_object_get (copy, "value")) > 0
      && json_object_get (copy, "cost_ns") != NULL)
    json_array_append (list, copy);
  json_decref (copy);
}

json_t *
tp_report_sweep_to_json (const json_t *sweep)
{
  json_t *points = json_array (), *breaks = json_array (), *it;
  gsize i;

  json_array_foreach (json_object_get (sweep, "points"), i, it)
    add_point (points, it);
  json_array_foreach (json_object_get (sweep, "breakpoints"), i, it)
    if (json_integer_value (it) > 0)
      json_array_append (breaks, it);
  return json_pack ("{s:o, s:b, s:o, s:o}", "parameter",
                    tp_cli_clean_string (json_string_value (
                        json_object_get (sweep, "parameter"))),
                    "simulated",
                    json_is_true (json_object_get (sweep, "simulated")),
                    "points", points, "breaks", breaks);
}

/* ---- a run of our own ----------------------------------------------------- */

typedef struct
{
  TplanPlan *plan;            /* (borrowed) */
  TplanSession *session;
  TpRunData data;
  TpRepeat repeat;
  TpAccount account;
} Measured;

/* Fewer of a plan that takes long. */
static gboolean
run_repeat (Measured *self, const TpCli *cli, GError **error)
{
  const TpRepeatJob job = {
    .session = self->session,
    .data = &self->data,
    .n_runs = RUNS,
    .n_least = RUNS_LEAST,
    .n_warmup = TP_REPEAT_WARM,
    .duration_ns = LIMIT_NS,
  };

  return tp_repeat_run (&self->repeat, &job, cli, error);
}

static gboolean
measure (Measured *self, TpCli *cli, GError **error)
{
  const TplanSessionOptions options
      = { .n_threads = cli->device_options.n_threads };
  const TpGraph *graph = tp_api_get_graph (tplan_plan_get_graph (self->plan));

  tp_cli_meet_drivers (
      cli, (const char *const *) tp_api_get_plan (self->plan)->devices);
  if (!tp_run_data_init (&self->data, graph, NULL, cli->seed, error))
    return FALSE;
  tp_cli_release_interrupts (); /* see tp_bench_run () */
  self->session = tplan_session_new_full (self->plan, &options, error);
  tp_cli_catch_interrupts ();
  if (self->session == NULL || !run_repeat (self, cli, error))
    return FALSE;
  self->account = (TpAccount){
    .plan = self->plan,
    .session = self->session,
    .data = &self->data,
    .measured_ns = tp_run_times_get_quantile (&self->repeat.times, 0.5),
    .preempted = (double) self->repeat.times.n_preempted
                 / self->repeat.times.all_ns->len,
  };
  return tp_account_make (&self->account, error);
}

gboolean
tp_report_measure (TpCli *cli, TplanPlan *handle, json_t *plan,
                   GError **error)
{
  static const TpProfileOptions all = { NULL, 0 };
  Measured self = { .plan = handle };
  gboolean is_good;

  tp_repeat_init (&self.repeat);
  is_good = measure (&self, cli, error);
  if (is_good)
    {
      json_t *run = json_pack (
          "{s:O, s:O, s:i, s:I, s:o, s:o}", "graph",
          json_object_get (plan, "graph"), "predicted_ns",
          json_object_get (plan, "cost"), "runs",
          (int) self.repeat.times.all_ns->len, "median_ns",
          (json_int_t) self.account.measured_ns, "profile",
          tp_profile_to_json (&self.account, &all), "account",
          tp_account_to_json (&self.account));

      tp_run_times_add_json (&self.repeat.times, tplan_plan_get_graph (handle), run);
      tp_report_add_run (plan, run);
      json_decref (run);
    }
  tp_account_clear (&self.account);
  tplan_session_free (self.session);
  tp_run_data_clear (&self.data);
  tp_repeat_clear (&self.repeat);
  return is_good;
}
