/* report.c: gathers what view/report.js draws. */
#include "config.h"

#include "cli/report.h"

#include "api/plan.h"
#include "cli/output.h"
#include "cli/report-machine.h"
#include "cli/report-plan.h"
#include "cli/report-runs.h"
#include "ir/room.h"
#include "view/report.h"

#include <stdio.h>
#include <string.h>

typedef struct
{
  TpCli *cli;
  const GPtrArray *plans;     /* TplanPlan */
  const TpReportOptions *options;
  GPtrArray *lines;           /* char *: verdicts */
  json_t *data;               /* of each plan */
  json_t *sweeps;
} Report;

char *
tp_report_name (const char *plan)
{
  g_autofree char *stem = g_strdup (plan);

  if (g_str_has_suffix (stem, ".json"))
    stem[strlen (stem) - strlen (".json")] = '\0';
  if (g_str_has_suffix (stem, ".plan"))
    stem[strlen (stem) - strlen (".plan")] = '\0';
  return g_strconcat (stem, ".report.html", NULL);
}

gboolean
tp_report_is_page (const char *path)
{
  char head[2048] = { 0 };
  FILE *file = fopen (path, "rbe");
  gsize n = file == NULL ? 0 : fread (head, 1, sizeof head - 1, file);

  if (file != NULL)
    fclose (file);
  return n > 0 && strstr (head, TP_REPORT_MARK) != NULL;
}

static char *
name_plan (const Report *self, guint i)
{
  const TplanPlan *plan = self->plans->pdata[i];

  if (self->options->names != NULL)
    return g_strdup (self->options->names[i]);
  return (guint) self->cli->n_args == self->plans->len && self->plans->len > 1
             ? g_path_get_basename (self->cli->args[i])
             : g_strdup (tp_api_get_plan (plan)->graph_name);
}

static gboolean
add_plan (Report *self, guint i, GError **error)
{
  TplanPlan *plan = self->plans->pdata[i];
  g_autofree char *name = name_plan (self, i);
  g_autofree char *verdict = NULL;
  json_t *data;

  if (!tp_api_find_margins (plan, error))
    return FALSE;
  data = tp_report_plan_to_json (plan, error);
  if (data == NULL)
    return FALSE;
  json_array_append_new (self->data, data);
  json_object_set_new (data, "name", tp_cli_clean_string (name));
  json_object_set_new (data, "machine",
                       tp_report_machine_to_json (self->cli, plan));
  verdict = tp_report_format_verdict (plan);
  g_ptr_array_add (self->lines, g_strdup_printf ("%s: %s", name, verdict));
  return !self->options->is_measured
         || tp_report_measure (self->cli, plan, data, error);
}

/* To every plan that it is of. */
static gboolean
add_run (Report *self, const char *path, GError **error)
{
  json_t *run = tp_report_read (path, "tplan-run/1", "run", error);
  gboolean is_known = FALSE;
  gsize i;
  json_t *plan;

  if (run == NULL)
    return FALSE;
  json_array_foreach (self->data, i, plan)
    is_known |= tp_report_add_run (plan, run);
  json_decref (run);
  if (!is_known)
    g_set_error (error, TPLAN_ERROR, TPLAN_ERROR_INPUT,
                 "%s: it is a run of none of these plans: its graph or its "
                 "predicted time is another; `tplan report --measure` runs them",
                 path);
  return is_known;
}

static gboolean
add_sweep (Report *self, const char *path, GError **error)
{
  json_t *sweep = tp_report_read (path, "tplan-sweep/1", "sweep", error);

  if (sweep == NULL)
    return FALSE;
  json_array_append_new (self->sweeps, tp_report_sweep_to_json (sweep));
  json_decref (sweep);
  return TRUE;
}

static gboolean
gather (Report *self, GError **error)
{
  char **runs = self->options->runs, **sweeps = self->options->sweeps;

  for (guint i = 0; i < self->plans->len; i++)
    if (!add_plan (self, i, error))
      return FALSE;
  for (int i = 0; runs != NULL && runs[i] != NULL; i++)
    if (!add_run (self, runs[i], error))
      return FALSE;
  for (int i = 0; sweeps != NULL && sweeps[i] != NULL; i++)
    if (!add_sweep (self, sweeps[i], error))
      return FALSE;
  if (self->options->sweep != NULL)
    json_array_append_new (self->sweeps,
                           tp_report_sweep_to_json (self->options->sweep));
  return TRUE;
}

static GBytes *
make_page (Report *self, GError **error)
{
  const TpPlan *first = tp_api_get_plan (self->plans->pdata[0]);
  g_autofree char *title
      = self->plans->len > 1
            ? g_strdup_printf ("%u plans", self->plans->len)
            : g_strdup_printf ("%s: where its ops run, and why",
                               first->graph_name);
  json_t *all = json_pack (
      "{s:s, s:I, s:O, s:O}", "format", "tplan-report/1", "made_at",
      (json_int_t) (g_get_real_time () / G_USEC_PER_SEC), "plans", self->data,
      "sweeps", self->sweeps);
  g_autofree char *json = tp_cli_dump_json (all, JSON_COMPACT);
  gsize size = json == NULL ? json_dumpb (all, NULL, 0, JSON_COMPACT) : 0;
  char *page;

  json_decref (all);
  if (json == NULL)
    {
      tp_room_set_error (size, "to make this page", error);
      return NULL;
    }
  g_ptr_array_add (self->lines, NULL);
  page = tp_report_page_new (title, (const char *const *) self->lines->pdata,
                             json);
  return g_bytes_new_take (page, strlen (page));
}

GBytes *
tp_report_make (TpCli *cli, const GPtrArray *plans,
                const TpReportOptions *options, GError **error)
{
  g_autoptr (GPtrArray) lines = g_ptr_array_new_with_free_func (g_free);
  Report self = { cli, plans, options, lines, json_array (), json_array () };
  GBytes *page = gather (&self, error) ? make_page (&self, error) : NULL;

  json_decref (self.data);
  json_decref (self.sweeps);
  return page;
}
