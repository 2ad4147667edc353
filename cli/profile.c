/* profile.c: see profile.h. */
#include "config.h"

#include "cli/profile.h"

#include "api/plan.h"
#include "cli/output.h"
#include "cli/text.h"

#include <stdlib.h>
#include <string.h>

#define NAME_CHARACTERS 32    /* so that a line fits in 100 columns */
#define TYPE_CHARACTERS 18

/* One step, with what it is sorted by. */
typedef struct
{
  const TpSessionStep *step;
  const char *name, *type, *place;
  double share;               /* of all steps measured */
} Line;

static int
compare_time (const void *a, const void *b)
{
  const Line *x = a, *y = b;

  return (x->step->measured_ns < y->step->measured_ns)
         - (x->step->measured_ns > y->step->measured_ns);
}

static gint64
find_miss (const Line *line)
{
  return ABS (line->step->measured_ns - line->step->predicted_ns);
}

static int
compare_miss (const void *a, const void *b)
{
  gint64 x = find_miss (a), y = find_miss (b);

  return (x < y) - (x > y);
}

static int
compare_name (const void *a, const void *b)
{
  return strcmp (((const Line *) a)->name, ((const Line *) b)->name);
}

static const struct
{
  const char *name;
  int (*compare) (const void *a, const void *b);
} orders[] = {
  { "time", compare_time },   /* what is done where none is asked for */
  { "miss", compare_miss },
  { "name", compare_name },
};

static int
find_order (const char *name)
{
  for (gsize i = 0; name != NULL && i < G_N_ELEMENTS (orders); i++)
    if (strcmp (name, orders[i].name) == 0)
      return (int) i;
  return name == NULL ? 0 : -1;
}

gboolean
tp_profile_check_options (const TpProfileOptions *options, GError **error)
{
  if (find_order (options->sort) >= 0 && options->n_top >= 0)
    return TRUE;
  if (options->n_top < 0)
    g_set_error (error, TPLAN_ERROR, TPLAN_ERROR_USAGE,
                 "--top takes how many lines to show, or 0 for all");
  else
    g_set_error (error, TPLAN_ERROR, TPLAN_ERROR_USAGE,
                 "sort '%s' is none of time, miss, name", options->sort);
  return FALSE;
}

/* Of all steps, sorted; g_free (). */
static Line *
make_lines (const TpAccount *account, const TpProfileOptions *options)
{
  const TpGraph *graph = account->data->graph;
  const TpPlan *plan = tp_api_get_plan (account->plan);
  Line *lines = g_new0 (Line, account->n_steps + 1);
  double all_ns = 0;

  for (int i = 0; i < account->n_steps; i++)
    all_ns += (double) account->steps[i].measured_ns;
  for (int i = 0; i < account->n_steps; i++)
    {
      const TpSessionStep *step = &account->steps[i];
      gboolean is_op = step->node >= 0;

      lines[i] = (Line){
        .step = step,
        .name = is_op ? graph->nodes[step->node].name
                      : graph->tensors[step->tensor].name,
        .type = is_op ? graph->nodes[step->node].type : "copy",
        .place = step->device == TP_COSTS_HOST ? TP_PLAN_HOST
                                               : plan->devices[step->device],
        .share = all_ns > 0 ? (double) step->measured_ns / all_ns : 0,
      };
    }
  if (account->n_steps > 0)
    qsort (lines, account->n_steps, sizeof *lines,
           orders[find_order (options->sort)].compare);
  return lines;
}

static int
count_lines (const TpAccount *account, const TpProfileOptions *options)
{
  return options->n_top == 0 ? account->n_steps
                             : MIN (options->n_top, account->n_steps);
}

static void
add_line (TpTable *table, const Line *line)
{
  gint64 predicted_ns = line->step->predicted_ns;

  tp_table_add (
      table, tp_cli_shorten (line->name, NAME_CHARACTERS),
      tp_cli_shorten (line->type, TYPE_CHARACTERS),
      tp_cli_shorten (line->place, TYPE_CHARACTERS),
      tp_cli_format_time (line->step->measured_ns),
      tp_cli_format_time (predicted_ns),
      predicted_ns > 0
          ? g_strdup_printf ("%+.0f %%",
                             100.0 * ((double) line->step->measured_ns
                                          / (double) predicted_ns - 1))
          : NULL,
      g_strdup_printf ("%.1f %%", 100 * line->share));
}

void
tp_profile_print (const TpAccount *account, const TpCli *cli,
                  const TpProfileOptions *options)
{
  static const char *const headers[]
      = { "OP",   "TYPE",   "DEVICE", ">MEASURED", ">PREDICTED", ">OFF",
          ">SHARE", NULL };
  g_autoptr (TpTable) table = tp_table_new (headers);
  g_autofree Line *lines = make_lines (account, options);
  int n = count_lines (account, options);

  for (int i = 0; i < n; i++)
    add_line (table, &lines[i]);
  tp_table_print (table, cli);
  if (n < account->n_steps)
    tp_cli_note (cli, "%d of %d steps: --top 0 shows all", n,
                 account->n_steps);
}

json_t *
tp_profile_to_json (const TpAccount *account, const TpProfileOptions *options)
{
  g_autofree Line *lines = make_lines (account, options);
  int n = count_lines (account, options);
  json_t *list = json_array ();

  for (int i = 0; i < n; i++)
    json_array_append_new (
        list, json_pack ("{s:o, s:o, s:o, s:I, s:I, s:f}", "name",
                         tp_cli_string (lines[i].name), "type",
                         tp_cli_string (lines[i].type), "device",
                         tp_cli_string (lines[i].place), "measured_ns",
                         (json_int_t) lines[i].step->measured_ns,
                         "predicted_ns",
                         (json_int_t) lines[i].step->predicted_ns, "share",
                         lines[i].share));
  return list;
}
