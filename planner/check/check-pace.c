/* check-pace.c: see check-pace.h.
 *
 * Written from docs/planner.md, "Makespan": between two moments at which anything
 * begins or ends all that works goes on at one speed each. */
#include "config.h"

#include "planner/check/check-pace.h"

#include "ir/guard.h"
#include "planner/check/check-shares.h"

#include <stdlib.h>

#define ALONE 1000            /* what is done in a ns by who is alone */
#define MAX_ENGINES (3 * TP_CHECKER_MAX_SHARING)

__extension__ typedef __int128 Wide;

/* A moment at which something begins or ends. */
typedef struct
{
  gint64 at_ns;
  gboolean is_start;
  int busy;                   /* which */
} Moment;

/* What an engine is at. */
typedef struct
{
  int busy;                   /* which; -1: nothing */
  Wide done;                  /* of it, in thousandths of a ns alone */
  int speed;                  /* since the last moment */
} Work;

gboolean
tp_checker_check_speeds (const TpChecker *checker)
{
  int n = 3 * checker->costs->n_devices;

  if (n > MAX_ENGINES)
    return FALSE;
  for (int i = 0; i < n * n; i++)
    {
      int speed = checker->costs->speeds[i];

      if (speed < 1 || speed > ALONE || (i / n == i % n && speed != ALONE))
        return FALSE;
    }
  return TRUE;
}

static int
compare_moments (const void *a, const void *b)
{
  const Moment *first = a, *second = b;

  if (first->at_ns != second->at_ns)
    return first->at_ns < second->at_ns ? -1 : 1;
  return first->is_start - second->is_start; /* ends come first */
}

static Moment *
list_moments (const TpArray *busy)
{
  Moment *moments = tp_new (Moment, 2 * (gsize) busy->len + 1);

  for (guint i = 0; i < busy->len; i++)
    {
      const TpCheckerBusy *it = &tp_array_index (busy, TpCheckerBusy, i);

      moments[2 * i] = (Moment){ it->start, TRUE, (int) i };
      moments[2 * i + 1] = (Moment){ it->end, FALSE, (int) i };
    }
  qsort (moments, 2 * (gsize) busy->len, sizeof *moments, compare_moments);
  return moments;
}

/* What all engines do at once, each as fast as the others leave it; if that is less
 * than one does alone, as much more each as makes it that. */
static void
set_speeds (const TpChecker *checker, Work *works)
{
  int n = 3 * checker->costs->n_devices, sum = 0;

  for (int e = 0; e < n; e++)
    {
      works[e].speed = works[e].busy < 0 ? 0 : ALONE;
      for (int k = 0; k < n && works[e].speed > 0; k++)
        if (k != e && works[k].busy >= 0)
          works[e].speed
              = works[e].speed * checker->costs->speeds[e * n + k] / ALONE;
      if (works[e].busy >= 0 && works[e].speed == 0)
        works[e].speed = 1;
      sum += works[e].speed;
    }
  for (int e = 0; e < n && sum > 0 && sum < ALONE; e++)
    works[e].speed = (works[e].speed * ALONE + sum - 1) / sum;
}

static void
work (const TpChecker *checker, Work *works, gint64 time_ns)
{
  for (int e = 0; e < 3 * checker->costs->n_devices; e++)
    works[e].done += (Wide) works[e].speed * time_ns;
}

/* Less than a ns of it, alone, is left, and a ns before that was not so. */
static void
end (TpChecker *checker, const TpCheckerBusy *it, Work *of_engine)
{
  Wide left = (Wide) it->alone_ns * ALONE - of_engine->done;

  if (left >= ALONE || left + of_engine->speed < ALONE)
    tp_checker_fail (checker,
                     "what engine %d begins at %" G_GINT64_FORMAT
                     " is not done at %" G_GINT64_FORMAT ", or was before",
                     it->engine, it->start, it->end);
  of_engine->busy = -1;
}

void
tp_checker_check_pace (TpChecker *checker, const TpArray *busy)
{
  g_autofree Moment *moments = list_moments (busy);
  Work works[MAX_ENGINES];

  for (int e = 0; e < MAX_ENGINES; e++)
    works[e] = (Work){ -1, 0, 0 };
  for (guint i = 0; i < 2 * busy->len; i++)
    {
      const TpCheckerBusy *it
          = &tp_array_index (busy, TpCheckerBusy, moments[i].busy);

      if (i > 0 && moments[i].at_ns > moments[i - 1].at_ns)
        {
          set_speeds (checker, works);
          work (checker, works, moments[i].at_ns - moments[i - 1].at_ns);
        }
      if (moments[i].is_start)
        works[it->engine] = (Work){ moments[i].busy, 0, 0 };
      else
        end (checker, it, &works[it->engine]);
    }
}
