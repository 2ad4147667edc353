/* check-mix.c: see check-mix.h. */
#include "config.h"

#include "planner/check/check-mix.h"

#include "ir/guard.h"
#include "planner/check/check-ends.h"
#include "planner/check/check-loads.h"
#include "planner/check/check-room.h"
#include "planner/check/check.h"

#include <string.h>

#define MAX_RUNS (1 << 20)

__extension__ typedef __int128 Wide;

typedef struct
{
  const TpMix *mix;
  GPtrArray *reasons;
  TpChecker *checkers;        /* [part] */
} Check;

static void
check_clear (Check *check)
{
  for (int i = 0; check->checkers != NULL && i < check->mix->n_parts; i++)
    {
      tp_check_clear (&check->checkers[i]);
      g_clear_pointer (&check->checkers[i].reasons, g_ptr_array_unref);
    }
  g_free (check->checkers);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Check, check_clear)

static void G_GNUC_PRINTF (2, 3)
fail (const Check *check, const char *format, ...)
{
  va_list args;

  va_start (args, format);
  g_ptr_array_add (check->reasons, g_strdup_vprintf (format, args));
  va_end (args);
}

/* Those of a part that are new, with its name. */
static void
take_reasons (const Check *check, int part)
{
  GPtrArray *found = check->checkers[part].reasons;

  for (guint i = 0; i < found->len; i++)
    fail (check, "%s%s%s", check->mix->parts[part].name,
          *check->mix->parts[part].name == 0 ? "" : ": ",
          (const char *) found->pdata[i]);
  g_ptr_array_set_size (found, 0);
}

/* ---- plans ---------------------------------------------------------------- */

static void
check_plans (Check *check)
{
  const TpMix *mix = check->mix;

  check->checkers = tp_new0 (TpChecker, mix->n_parts);
  for (int i = 0; i < mix->n_parts; i++)
    {
      TpChecker *it = &check->checkers[i];

      it->plan = mix->parts[i].plan;
      it->graph = mix->parts[i].graph;
      it->reasons = g_ptr_array_new_with_free_func (g_free);
      tp_check_fill (it);
      take_reasons (check, i);
    }
}

static gboolean
is_same_strings (char *const *first, char *const *second)
{
  if (first == NULL || second == NULL)
    return first == second;
  return g_strv_equal ((const char *const *) first,
                       (const char *const *) second);
}

static gboolean
is_same_memory (const TpCosts *costs, const TpCosts *first)
{
  for (int i = 0; i < first->n_devices; i++)
    if (g_strcmp0 (costs->pools[i], first->pools[i]) != 0)
      return FALSE;
  return TRUE;
}

/* Of one machine, whose engines are shared. */
static gboolean
is_beside (const TpPlan *plan, const TpPlan *first)
{
  return is_same_strings (plan->devices, first->devices)
         && is_same_strings (plan->origin.facts, first->origin.facts)
         && g_strcmp0 (plan->origin.machine, first->origin.machine) == 0
         && plan->origin.n_threads == first->origin.n_threads
         && plan->costs->host == first->costs->host
         && is_same_memory (plan->costs, first->costs)
         && !plan->costs->is_same_silicon == !first->costs->is_same_silicon
         && !plan->costs->has_own_processors
                == !first->costs->has_own_processors;
}

static void
check_beside (const Check *check)
{
  const TpMixPart *parts = check->mix->parts;

  for (int i = 0; i < check->mix->n_parts; i++)
    {
      for (int k = 0; k < i; k++)
        if (strcmp (parts[i].name, parts[k].name) == 0)
          fail (check, "two parts are named '%s'", parts[i].name);
      if (strcmp (parts[i].plan->objective, "throughput") != 0)
        fail (check, "%s: the plan is for objective '%s'", parts[i].name,
              parts[i].plan->objective);
      if (!is_beside (parts[i].plan, parts[0].plan))
        fail (check, "%s: the plan is for other devices, or another machine, "
                     "than that of %s",
              parts[i].name, parts[0].name);
    }
}

/* ---- rates and memory ----------------------------------------------------- */

static gint64
find_divisor (gint64 a, gint64 b)
{
  return b == 0 ? a : find_divisor (b, a % b);
}

/* In a round all run as their rates have it, and no shorter round would do. */
static void
check_runs (const Check *check)
{
  const TpMixPart *parts = check->mix->parts;
  gint64 divisor = 0;

  for (int i = 0; i < check->mix->n_parts; i++)
    {
      TpMixRate rate = parts[i].rate;
      gint64 n = parts[i].n_runs;

      if (!tp_mix_rate_is_good (rate) || n < 1 || n > MAX_RUNS)
        fail (check, "%s: no such rate, or no such runs in a round",
              parts[i].name);
      else if ((Wide) n * rate.span_ns * parts[0].rate.n_runs
               != (Wide) parts[0].n_runs * parts[0].rate.span_ns * rate.n_runs)
        fail (check, "%s: its runs in a round are not those of its rate",
              parts[i].name);
      else
        divisor = find_divisor (n, divisor);
    }
  if (divisor > 1)
    fail (check, "a round has %" G_GINT64_FORMAT " rounds in it", divisor);
}

static void
check_kept (const Check *check)
{
  const TpMixPart *first = &check->mix->parts[0];

  if ((Wide) check->mix->proof->load_ns * first->rate.n_runs
      > (Wide) first->n_runs * first->rate.span_ns)
    fail (check, "the busiest engine carries more than a round has time for");
}

static void
check_memory (const Check *check)
{
  const TpMix *mix = check->mix;
  const TpCosts *costs = mix->parts[0].plan->costs;
  g_autofree Wide *bytes = tp_new0 (Wide, costs->n_devices + 1);

  if (mix->memory_limits == NULL)
    return;
  for (int i = 0; i < tp_checker_count_limits (costs); i++)
    if (mix->memory_limits[i] < 0)
      fail (check, "a limit of memory, number %d, is below 0", i);
  for (int d = 0; d < costs->n_devices; d++)
    for (int i = 0; i < mix->n_parts; i++)
      bytes[d] += (Wide) mix->parts[i].plan->peak_bytes[d]
                  + mix->parts[i].plan->weight_bytes[d];
  if (!tp_checker_is_within (costs, mix->memory_limits, bytes))
    fail (check, "all plans together take more memory than their limits");
}

/* ---- all ------------------------------------------------------------------ */

static void
check_loads (const Check *check)
{
  const TpMix *mix = check->mix;
  g_autofree TpCheckerLoadPart *parts
      = tp_new0 (TpCheckerLoadPart, mix->n_parts);
  const TpCheckerLoads loads = { mix->n_parts, parts, mix->proof };

  for (int i = 0; i < mix->n_parts; i++)
    parts[i] = (TpCheckerLoadPart){ &check->checkers[i],
                                    mix->parts[i].n_runs };
  tp_checker_check_loads (&loads);
  if (mix->proof->room != NULL && mix->proof->room->ends == NULL)
    fail (check, "what fits: a proof of one plan");
  else if (mix->proof->room != NULL)
    tp_checker_check_ends (&loads, mix->memory_limits);
  for (int i = 0; i < mix->n_parts; i++)
    take_reasons (check, i);
}

static gboolean
has_form (const TpMix *mix, GPtrArray *reasons)
{
  gboolean is_good = mix->n_parts > 0 && mix->proof != NULL;

  for (int i = 0; is_good && i < mix->n_parts; i++)
    is_good = mix->parts[i].plan != NULL && mix->parts[i].graph != NULL
              && mix->parts[i].name != NULL;
  if (is_good && mix->proof->n_engines != 3 * mix->parts[0].plan->n_devices)
    is_good = FALSE;
  if (!is_good)
    g_ptr_array_add (reasons, g_strdup ("plans are missing, or what engines "
                                        "carry"));
  return is_good;
}

gboolean
tp_check_mix (const TpMix *mix, GPtrArray *reasons)
{
  guint n_before = reasons->len;
  g_auto (Check) check = { mix, reasons, NULL };

  if (!has_form (mix, reasons))
    return FALSE;
  check_plans (&check);
  if (reasons->len > n_before)
    return FALSE;
  check_beside (&check);
  if (reasons->len > n_before)
    return FALSE;
  check_runs (&check);
  check_memory (&check);
  if (reasons->len > n_before)
    return FALSE;
  check_kept (&check);
  check_loads (&check);
  return reasons->len == n_before;
}
