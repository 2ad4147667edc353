/* cost-tune.c: what tuning has found of models, or would try: the schedules, how the
 * model ranks them, and what is won. */
#include "config.h"

#include "cli/cost-tune.h"

#include <math.h>

#include "api/tuned.h"
#include "calib/tuned-sums.h"
#include "cli/accuracy.h"
#include "cli/csv.h"
#include "cli/hint-plan.h"
#include "cli/hint-words.h"
#include "cli/options.h"
#include "cli/output.h"
#include "cli/planning.h"
#include "cli/text.h"
#include "cli/values.h"

typedef struct
{
  TpCli *cli;
  const char *model;
  TpTunedAsked asked;
  TpTable *table;
  TpPointers *tuned;          /* (unowned) TpTuned, of all models */
  json_t *devices, *kernels, *choices;
  gboolean has_any;           /* there is something to show */
} Showing;

/* ---- as text ------------------------------------------------------------- */

/* "1.04 +-0.02"; NULL: not known. */
static char *
format_gain (const TpGain *gain)
{
  if (isnan (gain->ratio))
    return NULL;
  return g_strdup_printf ("%.3f +-%.3f", gain->ratio,
                          gain->ratio * gain->half);
}

static char *
format_correlation (double correlation)
{
  return isnan (correlation) ? NULL : g_strdup_printf ("%.2f", correlation);
}

/* NULL: it was not timed. */
static char *
format_time (const TpTunedChoice *choice, gint64 time_ns)
{
  return choice->stats.n > 0 ? tp_cli_format_time (time_ns) : NULL;
}

/* "1 of 5184"; "-": the model would not try it. */
static char *
format_rank (const TpTunedKernel *kernel, const TpTunedChoice *choice)
{
  if (choice->rank == 0)
    return g_strdup ("-");
  if (choice->rank > 1 || kernel->n_choices == 0)
    return g_strdup_printf ("%d", choice->rank);
  return g_strdup_printf ("%d of %" G_GINT64_FORMAT, choice->rank,
                          kernel->n_choices);
}

static void
add_choice_line (const Showing *self, const char *device,
                 const TpTunedKernel *kernel, const TpTunedChoice *choice)
{
  gboolean is_first = choice == kernel->choices->pdata[0];

  tp_table_add (self->table, is_first ? g_strdup (device) : NULL,
                is_first ? g_strdup (kernel->label) : NULL,
                format_rank (kernel, choice),
                format_time (choice, choice->stats.median_ns),
                format_time (choice, choice->stats.half_ns),
                g_strdup_printf ("%d", choice->stats.n),
                choice->is_used ? format_gain (&kernel->gain) : NULL,
                g_strdup_printf ("%s%s", choice->is_used ? "* " : "  ",
                                 choice->schedule));
}

static guint
count_tuned (const TpTuned *tuned)
{
  guint n = 0;

  for (guint i = 0; i < tuned->kernels->len; i++)
    n += ((const TpTunedKernel *) tuned->kernels->pdata[i])->is_tuned;
  return n;
}

static int
count_timed (const TpTunedKernel *kernel)
{
  int n = 0;

  for (guint i = 0; i < kernel->choices->len; i++)
    n += ((const TpTunedChoice *) kernel->choices->pdata[i])->stats.n > 0;
  return n;
}

/* What tuning has before it. */
static void
print_untuned (const Showing *self, const TpTuned *tuned)
{
  guint n = tuned->kernels->len - count_tuned (tuned);
  gint64 n_choices = 0;
  guint n_candidates = 0;

  for (guint i = 0; i < tuned->kernels->len; i++)
    {
      const TpTunedKernel *it = tuned->kernels->pdata[i];

      n_choices += it->is_tuned ? 0 : it->n_choices;
      n_candidates += it->is_tuned ? 0 : it->choices->len;
    }
  if (n > 0)
    tp_cli_note (self->cli,
                 "%s: %u kernel%s not tuned on %s: of %" G_GINT64_FORMAT
                 " schedules %u are worth timing, of those kernels that make "
                 "more than a per cent of the model", self->model, n,
                 n == 1 ? "" : "s", tuned->device, n_choices, n_candidates);
}

static void
print_summary (const Showing *self, const TpTuned *tuned)
{
  guint n_tuned = count_tuned (tuned);
  g_autofree char *gain = format_gain (&tuned->gain);
  g_autofree char *correlation = format_correlation (tuned->correlation);
  g_autofree char *quoted = tp_hint_quote (self->model);

  print_untuned (self, tuned);
  if (n_tuned == 0)
    {
      tp_cli_note (self->cli,
                   "note: %s: no kernel%s was tuned on %s: `tplan calibrate "
                   "--level tune %s` does that", self->model,
                   self->asked.kernel != NULL ? " of these" : "", tuned->device,
                   quoted);
      return;
    }
  tp_cli_note (self->cli,
               "%s: %u kernel%s tuned on %s: the schedules in use are %s times "
               "as fast as the model's first (geometric mean); its ranks "
               "correlate with times by %s", self->model, n_tuned,
               n_tuned == 1 ? "" : "s", tuned->device, gain != NULL ? gain : "?",
               correlation != NULL ? correlation : "?");
}

/* The model, on a device, by family of schedules. */
static void
print_family (const Showing *self, const TpTunedSum *sum)
{
  TpGain mean = tp_tuned_mean_get_gain (&sum->mean);
  g_autofree char *gain = format_gain (&mean);
  g_autofree char *correlation
      = format_correlation (tp_tuned_mean_get_correlation (&sum->mean));
  g_autofree char *least
      = sum->worst != NULL
            ? g_strdup_printf (", least %.2f (%s)", sum->worst->correlation,
                               sum->worst->label)
            : g_strdup ("");

  tp_cli_note (self->cli,
               "%s, %s: %d kernel%s tuned, %d schedules timed; gain %s; ranks "
               "and times correlate by %s%s", sum->device, sum->family,
               sum->n_kernels, sum->n_kernels == 1 ? "" : "s", sum->n_schedules,
               gain != NULL ? gain : "?",
               correlation != NULL ? correlation : "?", least);
}

/* ---- as data ------------------------------------------------------------- */

/* null: it was not timed. */
static json_t *
make_time (const TpTunedChoice *choice, gint64 time_ns)
{
  return choice->stats.n > 0 ? json_integer (time_ns) : json_null ();
}

static void
add_choice_record (const Showing *self, const char *device,
                   const TpTunedKernel *kernel, const TpTunedChoice *choice)
{
  const TpStats *stats = &choice->stats;

  json_array_append_new (
      self->choices,
      json_pack ("{s:o, s:o, s:o, s:s, s:o, s:o, s:b, s:i, s:o, s:o, s:o, s:o}",
                 "model", tp_cli_string (self->model), "device",
                 tp_cli_string (device), "kernel",
                 tp_cli_string (kernel->label), "digest", kernel->digest,
                 "schedule", tp_cli_string (choice->schedule), "rank",
                 choice->rank > 0 ? json_integer (choice->rank) : json_null (),
                 "used", choice->is_used, "n", stats->n, "min_ns",
                 make_time (choice, stats->min_ns), "median_ns",
                 make_time (choice, stats->median_ns), "half_interval_ns",
                 make_time (choice, stats->half_ns), "regret",
                 tp_cli_real (choice->regret)));
}

static void
add_kernel_record (const Showing *self, const char *device,
                   const TpTunedKernel *kernel)
{
  json_array_append_new (
      self->kernels,
      json_pack ("{s:o, s:o, s:o, s:s, s:s, s:i, s:i, s:o, s:o, s:o, s:b, s:o}", "model",
                 tp_cli_string (self->model), "device", tp_cli_string (device),
                 "kernel", tp_cli_string (kernel->label), "digest",
                 kernel->digest, "family", kernel->family, "places", kernel->n_places, "schedules",
                 count_timed (kernel), "gain",
                 tp_cli_real (kernel->gain.ratio), "gain_half_interval",
                 tp_cli_real (kernel->gain.ratio * kernel->gain.half),
                 "correlation", tp_cli_real (kernel->correlation), "tuned",
                 kernel->is_tuned, "space",
                 kernel->n_choices > 0 ? json_integer (kernel->n_choices)
                                       : json_null ()));
}

static void
add_device_record (const Showing *self, const TpTuned *tuned)
{
  json_array_append_new (
      self->devices,
      json_pack ("{s:o, s:o, s:i, s:o, s:o, s:o, s:i}", "model",
                 tp_cli_string (self->model), "device",
                 tp_cli_string (tuned->device), "kernels",
                 (int) count_tuned (tuned), "gain",
                 tp_cli_real (tuned->gain.ratio), "gain_half_interval",
                 tp_cli_real (tuned->gain.ratio * tuned->gain.half),
                 "correlation", tp_cli_real (tuned->correlation), "untuned",
                 (int) (tuned->kernels->len - count_tuned (tuned))));
}

static json_t *
family_to_json (const TpTunedSum *sum)
{
  TpGain gain = tp_tuned_mean_get_gain (&sum->mean);

  return json_pack (
      "{s:o, s:s, s:i, s:i, s:o, s:o, s:o, s:o, s:o}", "device",
      tp_cli_string (sum->device), "family", sum->family, "kernels",
      sum->n_kernels, "schedules", sum->n_schedules, "gain",
      tp_cli_real (gain.ratio), "gain_half_interval",
      tp_cli_real (gain.ratio * gain.half), "correlation",
      tp_cli_real (tp_tuned_mean_get_correlation (&sum->mean)),
      "least_correlation",
      tp_cli_real (sum->worst != NULL ? sum->worst->correlation : NAN),
      "least_kernel",
      tp_cli_string (sum->worst != NULL ? sum->worst->label : NULL));
}

/* ---- all of it ----------------------------------------------------------- */

static void
show_kernel (Showing *self, const char *device,
             const TpTunedKernel *kernel)
{
  self->has_any = TRUE;
  for (guint i = 0; i < kernel->choices->len; i++)
    if (self->cli->format == TP_FORMAT_TABLE)
      add_choice_line (self, device, kernel, kernel->choices->pdata[i]);
    else
      add_choice_record (self, device, kernel, kernel->choices->pdata[i]);
  if (self->cli->format != TP_FORMAT_TABLE)
    add_kernel_record (self, device, kernel);
}

/* Plans are no models, and these say which they are of. */
static gboolean
expect_model (const char *path, GError **error)
{
  g_autofree char *graph = NULL, *word = NULL;

  if (!tp_cli_is_plan (path))
    return TRUE;
  graph = tp_hint_find_graph (path);
  if (graph == NULL)
    g_set_error (error, TPLAN_ERROR, TPLAN_ERROR_INPUT,
                 "%s is a plan, and cost tune takes models: name its model",
                 path);
  else
    {
      word = tp_hint_quote (graph);
      g_set_error (error, TPLAN_ERROR, TPLAN_ERROR_INPUT,
                   "%s is a plan, and cost tune takes models: for its model, "
                   "`tplan cost tune %s`",
                   path, word);
    }
  return FALSE;
}

static gboolean
show_model (Showing *self, TplanCosts *costs, const GArray *dims,
            GError **error)
{
  g_autoptr (TplanGraph) graph
      = expect_model (self->model, error)
            ? tp_cli_load_model (self->cli, self->model, dims, error) : NULL;
  g_autoptr (TpPointers) all
      = graph != NULL
            ? tp_api_read_tuned (costs, graph, &self->asked, error) : NULL;

  for (guint i = 0; all != NULL && i < all->len; i++)
    {
      TpTuned *tuned = g_steal_pointer (&all->pdata[i]);

      tp_pointers_add (self->tuned, tuned);
      for (guint k = 0; k < tuned->kernels->len; k++)
        show_kernel (self, tuned->device, tuned->kernels->pdata[k]);
      add_device_record (self, tuned);
      print_summary (self, tuned);
    }
  return all != NULL;
}

static void
print (const Showing *self)
{
  g_autoptr (TpPointers) sums = tp_tuned_sums_list (self->tuned);
  json_t *families;

  if (self->cli->format == TP_FORMAT_TABLE)
    {
      if (self->has_any)
        tp_table_print (self->table, self->cli);
      for (guint i = 0; i < sums->len; i++)
        print_family (self, sums->pdata[i]);
      return;
    }
  families = json_array ();
  for (guint i = 0; i < sums->len; i++)
    json_array_append_new (families, family_to_json (sums->pdata[i]));
  tp_cli_print_data (self->cli,
                     json_pack ("{s:s, s:O, s:o, s:O, s:O}", "format",
                                "tplan-cost-tune/1", "devices", self->devices,
                                "families", families, "kernels", self->kernels,
                                "choices", self->choices),
                     "choices");
}

/* That some model has the one that was named. */
static gboolean
expect_kernel (const Showing *self, const char *model, GError **error)
{
  g_autofree char *word = tp_hint_quote (model);

  if (self->has_any || self->asked.kernel == NULL)
    return TRUE;
  g_set_error (error, TPLAN_ERROR, TPLAN_ERROR_USAGE,
               "cost tune: no kernel is named '%s', nor has such a digest: "
               "`tplan cost tune --all %s` lists them",
               self->asked.kernel, word);
  return FALSE;
}

gboolean
tp_cost_tune (TpCli *cli, const char *const *models, const TpTunedAsked *asked,
              GError **error)
{
  static const char *const headers[]
      = { "DEVICE", "KERNEL", ">RANK", ">MEDIAN", ">+-", ">N", ">GAIN",
          "  SCHEDULE", NULL };
  g_autoptr (TpTable) table = tp_table_new (headers);
  g_autoptr (GArray) dims = tp_cli_parse_dims (cli, error);
  g_autoptr (TpPointers) tuned
      = tp_pointers_new ((GDestroyNotify) tp_tuned_free);
  TplanCosts *costs = dims != NULL ? tp_cli_get_costs (cli, error) : NULL;
  Showing self
      = { .cli = cli, .asked = *asked, .table = table, .tuned = tuned };
  gboolean is_good
      = costs != NULL
        && tp_cli_parse_accuracy (tp_cli_planning.accuracy,
                                  &self.asked.is_relaxed, error);

  self.devices = json_array ();
  self.kernels = json_array ();
  self.choices = json_array ();
  for (int i = 0; is_good && models[i] != NULL; i++)
    {
      self.model = models[i];
      is_good = show_model (&self, costs, dims, error);
    }
  is_good = is_good && expect_kernel (&self, models[0], error);
  if (is_good)
    print (&self);
  json_decref (self.devices);
  json_decref (self.kernels);
  json_decref (self.choices);
  return is_good;
}
