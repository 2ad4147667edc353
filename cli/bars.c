/* bars.c: see bars.h. */
#include "config.h"

#include "cli/bars.h"

/* Of the caller. */
#define HOST_ROW(plan) (3 * (plan)->n_devices)

/* ---- rows ------------------------------------------------------------------ */

static int
get_row_to (const TpBars *bars, int device)
{
  return device == TP_COSTS_HOST ? HOST_ROW (bars->plan)
                                 : bars->plan->n_devices + device;
}

static int
get_row_from (const TpBars *bars, int device)
{
  return device == TP_COSTS_HOST ? HOST_ROW (bars->plan)
                                 : 2 * bars->plan->n_devices + device;
}

static gboolean
is_away (const TpBars *bars, int device)
{
  return device != TP_COSTS_HOST && device != tp_plan_get_host (bars->plan);
}

/* Copies between host memory and a device are the engine's of that device. */
static int
get_row (const TpBars *bars, const TpSessionStep *step)
{
  if (step->node >= 0)
    return step->device;
  return is_away (bars, step->from) ? get_row_from (bars, step->from)
                                    : get_row_to (bars, step->device);
}

char *
tp_bars_name_row (const TpBars *bars, int row)
{
  const TpPlan *plan = bars->plan;
  int device = row % plan->n_devices;

  if (row == HOST_ROW (plan))
    return tp_plan_get_host (plan) == TP_COSTS_HOST ? g_strdup (TP_PLAN_HOST)
                                                    : NULL;
  if (row < plan->n_devices)
    return g_strdup (plan->devices[device]);
  if (!bars->is_scheduled || !is_away (bars, device))
    return NULL;
  return g_strconcat (row < 2 * plan->n_devices ? "to " : "from ",
                      plan->devices[device], NULL);
}

/* ---- engines at once --------------------------------------------------------- */

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

static void
add_bar (TpBars *bars, TpBarsKind kind, const TpBar *bar)
{
  if (bar->time_ns > 0 || !bars->is_scheduled)
    g_array_append_vals (bars->bars[kind], bar, 1);
}

static void
add_planned (TpBars *bars, const TpSessionStep *step)
{
  const TpPlan *plan = bars->plan;
  TpBar first = { step, get_row (bars, step), step->planned_ns,
                  step->predicted_ns };
  TpBar second = { step, get_row_to (bars, step->device),
                   step->planned_feed_ns, step->predicted_ns };

  if (step->planned_ns >= 0 && step->planned_feed_ns >= 0 && plan->costs != NULL)
    {
      first.time_ns = get_fetch_ns (plan, step);
      second.time_ns -= first.time_ns;
      add_bar (bars, TP_BARS_PREDICTED, &first);
      add_bar (bars, TP_BARS_PREDICTED, &second);
    }
  else if (step->planned_ns >= 0)
    add_bar (bars, TP_BARS_PREDICTED, &first);
  else if (step->planned_feed_ns >= 0)
    add_bar (bars, TP_BARS_PREDICTED, &second);
}

static void
add_measured (TpBars *bars, const TpSessionStep *step)
{
  const TpBar first = { step, get_row (bars, step), step->begin_ns,
                        step->measured_ns - step->feed_ns };
  const TpBar second = { step, get_row_to (bars, step->device),
                         step->feed_begin_ns, step->feed_ns };

  add_bar (bars, TP_BARS_MEASURED, &first);
  if (step->feed_begin_ns >= 0)
    add_bar (bars, TP_BARS_MEASURED, &second);
}

/* ---- one after the other ----------------------------------------------------- */

/* From *@now_ns on. */
static void
add_next (TpBars *bars, const TpSessionStep *step, TpBarsKind kind,
          gint64 *now_ns)
{
  const TpBar bar = { step,
                      step->device == TP_COSTS_HOST ? HOST_ROW (bars->plan)
                                                    : step->device,
                      *now_ns,
                      kind == TP_BARS_PREDICTED ? step->predicted_ns
                                                : step->measured_ns };

  *now_ns += bar.time_ns;
  add_bar (bars, kind, &bar);
}

/* ---- both -------------------------------------------------------------------- */

void
tp_bars_init (TpBars *bars, const TpPlan *plan, const TpSession *session)
{
  int n_steps;
  const TpSessionStep *steps = tp_session_get_steps (session, &n_steps);
  gint64 now_ns[TP_N_BARS] = { 0 };

  *bars = (TpBars){ .plan = plan, .n_rows = HOST_ROW (plan) + 1 };
  for (int i = 0; i < n_steps; i++)
    bars->is_scheduled |= steps[i].begin_ns >= 0;
  for (int kind = 0; kind < TP_N_BARS; kind++)
    bars->bars[kind] = g_array_new (FALSE, FALSE, sizeof (TpBar));
  for (int i = 0; i < n_steps; i++)
    if (bars->is_scheduled)
      {
        add_planned (bars, &steps[i]);
        add_measured (bars, &steps[i]);
      }
    else
      for (int kind = 0; kind < TP_N_BARS; kind++)
        add_next (bars, &steps[i], kind, &now_ns[kind]);
}

void
tp_bars_clear (TpBars *bars)
{
  for (int kind = 0; kind < TP_N_BARS; kind++)
    g_clear_pointer (&bars->bars[kind], g_array_unref);
}
