/* trace.c: predicted and measured times, side by side: a process each, with the
 * rows of bars.h. */
#include "config.h"

#include "cli/trace.h"

#include "cli/bars.h"
#include "format/json.h"

typedef struct
{
  const TpBars *bars;
  const TpGraph *graph;
  GString *out;
} Trace;

/* Processes count from 1. */
static void
add_name (const Trace *trace, const char *what, TpBarsKind kind, int row,
          const char *name)
{
  g_string_append_printf (
      trace->out, "  {\"ph\": \"M\", \"name\": \"%s\", \"pid\": %d, "
                  "\"tid\": %d, \"args\": {\"name\": ",
      what, (int) kind + 1, row);
  tp_json_append_string (trace->out, name);
  g_string_append (trace->out, "}},\n");
}

static void
name_rows (const Trace *trace, TpBarsKind kind)
{
  for (int row = 0; row < trace->bars->n_rows; row++)
    {
      g_autofree char *name = tp_bars_name_row (trace->bars, row);

      if (name != NULL)
        add_name (trace, "thread_name", kind, row, name);
    }
}

/* The format counts in microseconds. */
static void
add_bar (const Trace *trace, TpBarsKind kind, const TpBar *bar)
{
  const TpGraph *graph = trace->graph;
  const TpSessionStep *step = bar->step;
  GString *out = trace->out;

  g_string_append (out, "  {\"ph\": \"X\", \"name\": ");
  tp_json_append_string (out, step->node >= 0
                                  ? graph->nodes[step->node].name
                                  : graph->tensors[step->tensor].name);
  g_string_append (out, ", \"cat\": ");
  tp_json_append_string (
      out, step->node >= 0 ? graph->nodes[step->node].type : "transfer");
  g_string_append_printf (
      out,
      ", \"pid\": %d, \"tid\": %d, \"ts\": %" G_GINT64_FORMAT
      ".%03d, \"dur\": %" G_GINT64_FORMAT ".%03d, \"args\": "
      "{\"predicted_ns\": %" G_GINT64_FORMAT
      ", \"measured_ns\": %" G_GINT64_FORMAT "}},\n",
      (int) kind + 1, bar->row, bar->begin_ns / 1000,
      (int) (bar->begin_ns % 1000), bar->time_ns / 1000,
      (int) (bar->time_ns % 1000), step->predicted_ns, step->measured_ns);
}

static void
add_process (const Trace *trace, TpBarsKind kind)
{
  static const char *const names[] = { "predicted", "measured" };
  const TpBars *bars = trace->bars;
  const GArray *its = bars->bars[kind];
  g_autofree char *name = g_strconcat (
      names[kind], bars->plan->is_simulated ? " (simulated)" : "", NULL);

  add_name (trace, "process_name", kind, 0, name);
  name_rows (trace, kind);
  for (guint i = 0; i < its->len; i++)
    add_bar (trace, kind, &g_array_index (its, TpBar, i));
}

char *
tp_trace_to_json (const TpPlan *plan, const TpGraph *graph,
                  const TpSession *session)
{
  g_auto (TpBars) bars = { 0 };
  Trace trace = { .bars = &bars, .graph = graph,
                  .out = g_string_new ("{\"traceEvents\": [\n") };

  tp_bars_init (&bars, plan, session);
  for (int kind = 0; kind < TP_N_BARS; kind++)
    add_process (&trace, kind);
  g_string_truncate (trace.out, trace.out->len - 2); /* the last comma */
  g_string_append (trace.out, "\n], \"displayTimeUnit\": \"ns\"}\n");
  return g_string_free (trace.out, FALSE);
}
