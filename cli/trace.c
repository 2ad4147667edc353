/* trace.c: predicted and measured times, side by side.
 *
 * A process each, with a row for the kernels of each device. Where a run does one
 * thing after the other, copies are in the row of the device they go to; where
 * engines work at once, each direction of the copies of a device has its own. */
#include "config.h"

#include "cli/trace.h"

#include "format/json.h"

/* Of the caller. */
#define HOST_ROW(plan) (3 * (plan)->n_devices)

typedef enum
{
  PREDICTED = 1,
  MEASURED,
} Process;

/* What is drawn of a step, all of it or half. */
typedef struct
{
  int row;
  gint64 begin_ns, time_ns;
} Bar;

typedef struct
{
  const TpPlan *plan;
  const TpGraph *graph;
  const TpSessionStep *steps;
  int n_steps;
  gboolean is_scheduled;      /* engines work at once */
  GString *out;
} Trace;

/* ---- bars ------------------------------------------------------------------ */

static int
get_row_to (const Trace *trace, int device)
{
  return device == TP_COSTS_HOST ? HOST_ROW (trace->plan)
                                 : trace->plan->n_devices + device;
}

static int
get_row_from (const Trace *trace, int device)
{
  return device == TP_COSTS_HOST ? HOST_ROW (trace->plan)
                                 : 2 * trace->plan->n_devices + device;
}

static gboolean
is_away (const Trace *trace, int device)
{
  return device != TP_COSTS_HOST && device != tp_plan_get_host (trace->plan);
}

/* Copies between host memory and a device are the engine's of that device. */
static int
get_copy_row (const Trace *trace, const TpSessionStep *step)
{
  return is_away (trace, step->from) ? get_row_from (trace, step->from)
                                     : get_row_to (trace, step->device);
}

/* The first half of a copy between two devices. */
static gint64
get_fetch_ns (const TpPlan *plan, const TpSessionStep *step)
{
  const TpSpanProof *proof = plan->span_proof;

  for (int i = 0; proof != NULL && proof->ends != NULL && i < plan->n_transfers;
       i++)
    if (proof->fetch_starts[i] == step->planned_ns
        && plan->transfers[i].from == step->from)
      return proof->fetch_ends[i] - proof->fetch_starts[i];
  return tp_costs_copy (plan->costs, step->tensor, step->from, TP_COSTS_HOST)
      .time_ns;
}

/* Returns how many. */
static int
list_planned (const Trace *trace, const TpSessionStep *step, Bar *bars)
{
  const TpPlan *plan = trace->plan;
  gint64 fetch_ns;

  if (step->planned_ns < 0 && step->planned_feed_ns < 0)
    return 0;
  if (step->planned_ns < 0)
    {
      bars[0] = (Bar){ get_row_to (trace, step->device), step->planned_feed_ns,
                       step->predicted_ns };
      return 1;
    }
  bars[0] = (Bar){ step->node >= 0 ? step->device : get_copy_row (trace, step),
                   step->planned_ns, step->predicted_ns };
  if (step->planned_feed_ns < 0 || plan->costs == NULL)
    return 1;
  fetch_ns = get_fetch_ns (plan, step);
  bars[0].time_ns = fetch_ns;
  bars[1] = (Bar){ get_row_to (trace, step->device), step->planned_feed_ns,
                   step->predicted_ns - fetch_ns };
  return 2;
}

static int
list_measured (const Trace *trace, const TpSessionStep *step, Bar *bars)
{
  bars[0] = (Bar){ step->node >= 0 ? step->device : get_copy_row (trace, step),
                   step->begin_ns, step->measured_ns - step->feed_ns };
  if (step->feed_begin_ns < 0)
    return 1;
  bars[1] = (Bar){ get_row_to (trace, step->device), step->feed_begin_ns,
                   step->feed_ns };
  return 2;
}

/* One thing after the other, from *@now_ns on. */
static Bar
make_next (const Trace *trace, const TpSessionStep *step, Process process,
           gint64 *now_ns)
{
  Bar bar = { step->device == TP_COSTS_HOST ? HOST_ROW (trace->plan)
                                            : step->device,
              *now_ns,
              process == PREDICTED ? step->predicted_ns : step->measured_ns };

  *now_ns += bar.time_ns;
  return bar;
}

/* ---- text ------------------------------------------------------------------ */

static void
add_name (const Trace *trace, const char *what, Process process, int row,
          const char *name)
{
  g_string_append_printf (
      trace->out, "  {\"ph\": \"M\", \"name\": \"%s\", \"pid\": %d, "
                  "\"tid\": %d, \"args\": {\"name\": ",
      what, process, row);
  tp_json_append_string (trace->out, name);
  g_string_append (trace->out, "}},\n");
}

static void
name_copies (const Trace *trace, Process process, int device)
{
  const char *name = trace->plan->devices[device];
  g_autofree char *to = g_strconcat ("to ", name, NULL);
  g_autofree char *from = g_strconcat ("from ", name, NULL);

  if (!trace->is_scheduled || !is_away (trace, device))
    return;
  add_name (trace, "thread_name", process, get_row_to (trace, device), to);
  add_name (trace, "thread_name", process, get_row_from (trace, device), from);
}

static void
name_rows (const Trace *trace, Process process)
{
  const TpPlan *plan = trace->plan;

  for (int i = 0; i < plan->n_devices; i++)
    {
      add_name (trace, "thread_name", process, i, plan->devices[i]);
      name_copies (trace, process, i);
    }
  if (tp_plan_get_host (plan) == TP_COSTS_HOST)
    add_name (trace, "thread_name", process, HOST_ROW (plan), TP_PLAN_HOST);
}

/* The format counts in microseconds. */
static void
add_bar (const Trace *trace, const TpSessionStep *step, Process process,
         const Bar *bar)
{
  const TpGraph *graph = trace->graph;
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
      process, bar->row, bar->begin_ns / 1000, (int) (bar->begin_ns % 1000),
      bar->time_ns / 1000, (int) (bar->time_ns % 1000), step->predicted_ns,
      step->measured_ns);
}

static void
add_process (const Trace *trace, Process process)
{
  gint64 now_ns = 0;

  for (int i = 0; i < trace->n_steps; i++)
    {
      const TpSessionStep *step = &trace->steps[i];
      Bar bars[2];
      int n = 1;

      if (!trace->is_scheduled)
        bars[0] = make_next (trace, step, process, &now_ns);
      else if (process == PREDICTED)
        n = list_planned (trace, step, bars);
      else
        n = list_measured (trace, step, bars);
      for (int k = 0; k < n; k++)
        if (bars[k].time_ns > 0 || !trace->is_scheduled)
          add_bar (trace, step, process, &bars[k]);
    }
}

char *
tp_trace_to_json (const TpPlan *plan, const TpGraph *graph,
                  const TpSession *session)
{
  static const char *const processes[] = { NULL, "predicted", "measured" };
  Trace trace = { .plan = plan, .graph = graph,
                  .out = g_string_new ("{\"traceEvents\": [\n") };

  trace.steps = tp_session_get_steps (session, &trace.n_steps);
  for (int i = 0; i < trace.n_steps; i++)
    trace.is_scheduled |= trace.steps[i].begin_ns >= 0;
  for (Process process = PREDICTED; process <= MEASURED; process++)
    {
      g_autofree char *name = g_strconcat (
          processes[process], plan->is_simulated ? " (simulated)" : "", NULL);

      add_name (&trace, "process_name", process, 0, name);
      name_rows (&trace, process);
      add_process (&trace, process);
    }
  g_string_truncate (trace.out, trace.out->len - 2); /* the last comma */
  g_string_append (trace.out, "\n], \"displayTimeUnit\": \"ns\"}\n");
  return g_string_free (trace.out, FALSE);
}
