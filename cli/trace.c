/* trace.c: predicted and measured times, side by side. */
#include "config.h"

#include "cli/trace.h"

#include "format/json.h"

#define HOST_THREAD 99 /* of copies to the caller; plans have fewer devices */

static void
add_name (GString *out, const char *what, int process, int thread,
          const char *name)
{
  g_string_append_printf (
      out, "  {\"ph\": \"M\", \"name\": \"%s\", \"pid\": %d, \"tid\": %d, "
           "\"args\": {\"name\": ",
      what, process, thread);
  tp_json_append_string (out, name);
  g_string_append (out, "}},\n");
}

static void
add_step (GString *out, const TpGraph *graph, const TpSessionStep *step,
          int process, gint64 *begin_ns)
{
  gint64 time_ns = process == 1 ? step->predicted_ns : step->measured_ns;
  const char *name = step->node >= 0 ? graph->nodes[step->node].name
                                     : graph->tensors[step->tensor].name;
  int thread = step->device == TP_COSTS_HOST ? HOST_THREAD : step->device;
  const char *kind
      = step->node >= 0 ? graph->nodes[step->node].type : "transfer";

  g_string_append (out, "  {\"ph\": \"X\", \"name\": ");
  tp_json_append_string (out, name);
  g_string_append (out, ", \"cat\": ");
  tp_json_append_string (out, kind);
  /* The format counts in microseconds. */
  g_string_append_printf (
      out,
      ", \"pid\": %d, \"tid\": %d, \"ts\": %" G_GINT64_FORMAT
      ".%03d, \"dur\": %" G_GINT64_FORMAT ".%03d, \"args\": "
      "{\"predicted_ns\": %" G_GINT64_FORMAT
      ", \"measured_ns\": %" G_GINT64_FORMAT "}},\n",
      process, thread, *begin_ns / 1000, (int) (*begin_ns % 1000),
      time_ns / 1000, (int) (time_ns % 1000), step->predicted_ns,
      step->measured_ns);
  *begin_ns += time_ns;
}

char *
tp_trace_to_json (const TpPlan *plan, const TpGraph *graph,
                  const TpSession *session)
{
  static const char *const processes[] = { NULL, "predicted", "measured" };
  GString *out = g_string_new ("{\"traceEvents\": [\n");
  int n;
  const TpSessionStep *steps = tp_session_get_steps (session, &n);

  for (int process = 1; process <= 2; process++)
    {
      g_autofree char *name = g_strconcat (
          processes[process], plan->is_simulated ? " (simulated)" : "", NULL);
      gint64 begin_ns = 0;

      add_name (out, "process_name", process, 0, name);
      for (int i = 0; i < plan->n_devices; i++)
        add_name (out, "thread_name", process, i, plan->devices[i]);
      if (tp_plan_get_host (plan) == TP_COSTS_HOST)
        add_name (out, "thread_name", process, HOST_THREAD, TP_PLAN_HOST);
      for (int i = 0; i < n; i++)
        add_step (out, graph, &steps[i], process, &begin_ns);
    }
  g_string_truncate (out, out->len - 2); /* the last comma */
  g_string_append (out, "\n], \"displayTimeUnit\": \"ns\"}\n");
  return g_string_free (out, FALSE);
}
