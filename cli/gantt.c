/* gantt.c: see gantt.h. */
#include "config.h"

#include "cli/gantt.h"

#include "cli/bars.h"
#include "cli/text.h"

#include <string.h>

#define N_COLUMNS 64          /* so that a line fits in 100 columns */
#define NAME_CHARACTERS 20
#define HALF 0.5

static gint64
find_end (const TpBars *bars)
{
  gint64 end_ns = 1;

  for (int kind = 0; kind < TP_N_BARS; kind++)
    for (guint i = 0; i < bars->bars[kind]->len; i++)
      {
        const TpBar *bar = &g_array_index (bars->bars[kind], TpBar, i);

        end_ns = MAX (end_ns, bar->begin_ns + bar->time_ns);
      }
  return end_ns;
}

/* Adds to each column the part of it that @bar takes; @column_ns: of one. */
static void
add_bar (const TpBar *bar, double column_ns, double *parts)
{
  double begin = (double) bar->begin_ns / column_ns;
  double end = begin + (double) bar->time_ns / column_ns;

  for (int i = (int) begin; i < N_COLUMNS && i < end; i++)
    parts[i] += MIN (end, i + 1) - MAX (begin, i);
}

/* g_free (). */
static char *
draw (const TpBars *bars, TpBarsKind kind, int row, gint64 end_ns)
{
  double parts[N_COLUMNS] = { 0 };
  char *line = g_malloc (N_COLUMNS + 1);

  for (guint i = 0; i < bars->bars[kind]->len; i++)
    {
      const TpBar *bar = &g_array_index (bars->bars[kind], TpBar, i);

      if (bar->row == row)
        add_bar (bar, (double) end_ns / N_COLUMNS, parts);
    }
  for (int i = 0; i < N_COLUMNS; i++)
    line[i] = parts[i] >= HALF ? '#' : parts[i] > 0 ? '.' : ' ';
  line[N_COLUMNS] = '\0';
  return line;
}

static gboolean
has_work (const TpBars *bars, int row)
{
  for (int kind = 0; kind < TP_N_BARS; kind++)
    for (guint i = 0; i < bars->bars[kind]->len; i++)
      if (g_array_index (bars->bars[kind], TpBar, i).row == row
          && g_array_index (bars->bars[kind], TpBar, i).time_ns > 0)
        return TRUE;
  return FALSE;
}

static void
add_row (TpTable *table, const TpBars *bars, int row, gint64 end_ns)
{
  static const char *const kinds[] = { "predicted", "measured" };
  g_autofree char *name = tp_bars_name_row (bars, row);

  for (int kind = 0; kind < TP_N_BARS; kind++)
    {
      g_autofree char *line = draw (bars, kind, row, end_ns);

      tp_table_add (table,
                    kind == 0 ? tp_cli_shorten (name, NAME_CHARACTERS) : NULL,
                    g_strdup (kinds[kind]), g_strdup_printf ("|%s|", line));
    }
}

static void
print (const TpBars *bars, const TpCli *cli)
{
  gint64 end_ns = find_end (bars);
  g_autofree char *end = tp_cli_format_time (end_ns);
  g_autofree char *axis
      = g_strdup_printf ("0%*s", N_COLUMNS + 1, end);
  const char *const headers[] = { "ENGINE", "", axis, NULL };
  g_autoptr (TpTable) table = tp_table_new (headers);
  int n = 0;

  for (int row = 0; row < bars->n_rows; row++)
    if (has_work (bars, row))
      {
        add_row (table, bars, row, end_ns);
        n++;
      }
  if (n > 1)
    tp_table_print (table, cli);
}

void
tp_gantt_print (const TpPlan *plan, const TpSession *session, const TpCli *cli)
{
  g_auto (TpBars) bars = { 0 };

  tp_bars_init (&bars, plan, session);
  print (&bars, cli);
}
