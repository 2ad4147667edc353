/* schedule-maps.c: the family "maps": copies and maps that do not read what
 * another of them writes, such as the parts of a Concat, in as few kernels as
 * are sensible: many small copies cost mostly their compilation. */
#include "config.h"

#include "schedule/nest-canon.h"
#include "schedule/schedule-items.h"
#include "schedule/schedule-window.h"

#define MAX_MAPS 16

/* The values of a choice. */
enum
{
  N,                          /* nests per kernel */
};

static const TpParam params[] = {
  { "n", 1, 1, MAX_MAPS },
  { NULL },
};

typedef struct
{
  int n;
  TpNest **nests;
} MapsAnalysis;

static gboolean
maps_is_for (const TpTarget *target)
{
  return TRUE;
}

/* ---- analysis ---------------------------------------------------------- */

static gboolean
reads_operand (const TpNest *nest, int operand)
{
  g_autofree gboolean *used = tp_nest_find_used_loads (nest);

  for (int i = 0; i < nest->n_loads; i++)
    if (used[i] && nest->loads[i].operand == operand)
      return TRUE;
  return FALSE;
}

static gboolean
are_independent (TpNest *const *nests, int n)
{
  for (int i = 0; i < n; i++)
    {
      if (nests[i]->n_stages > 0)
        return FALSE;
      for (int j = 0; j < n; j++)
        if (reads_operand (nests[j], nests[i]->store.operand))
          return FALSE;
    }
  return n > 1;
}

static gpointer
maps_analyze (const TpBuild *build, TpNest *const *nests, int n)
{
  MapsAnalysis *a = NULL;

  if (!are_independent (nests, n))
    return NULL;
  a = g_new0 (MapsAnalysis, 1);
  a->n = n;
  a->nests = g_new (TpNest *, n);
  for (int i = 0; i < n; i++)
    a->nests[i] = tp_nest_copy (nests[i]);
  return a;
}

static void
maps_free (gpointer analysis)
{
  MapsAnalysis *a = analysis;

  for (int i = 0; i < a->n; i++)
    tp_nest_free (a->nests[i]);
  g_free (a->nests);
  g_free (a);
}

/* ---- choices ----------------------------------------------------------- */

static void
maps_enumerate (gconstpointer analysis, int step, const TpChoice *partial,
                GArray *out)
{
  for (int n = MAX_MAPS; n > 0; n /= 4)
    tp_family_append (partial, N, n, out);
}

static const char *
maps_find_fault (gconstpointer analysis, const TpChoice *choice)
{
  return NULL;
}

/* The best window of each nest alone. */
static void
plan_window (TpWindowPlan *window, TpBuild *build, TpNest *const *nest)
{
  const TpFamily *family = &tp_schedule_window;
  gpointer analysis;
  TpChoice choice;

  if (tp_target_is_gpu (build->target))
    {
      tp_schedule_items_plan (window, *nest,
                              tp_family_get_local_size (build->target));
      return;
    }
  analysis = family->analyze (build, nest, 1);
  if (!tp_family_choose (family, analysis, &choice))
    g_assert_not_reached ();  /* it fits every nest */
  tp_schedule_window_plan (window, build, analysis, &choice);
  family->free (analysis);
}

static void
emit_some (TpBuild *build, TpNest *const *nests, int n)
{
  g_autofree TpWindowPlan *windows = g_new0 (TpWindowPlan, n);

  for (int i = 0; i < n; i++)
    plan_window (&windows[i], build, &nests[i]);
  tp_window_plan_emit_shared (windows, n, build);
  for (int i = 0; i < n; i++)
    tp_window_plan_clear (&windows[i]);
}

static void
maps_emit (TpBuild *build, gconstpointer analysis, const TpChoice *choice)
{
  const MapsAnalysis *a = analysis;
  int most = choice->values[N];

  for (int i = 0; i < a->n; i += most)
    emit_some (build, a->nests + i, MIN (most, a->n - i));
}

const TpFamily tp_schedule_maps = {
  .form = { "maps", params },
  .n_steps = 1,
  .is_for = maps_is_for,
  .analyze = maps_analyze,
  .free = maps_free,
  .enumerate = maps_enumerate,
  .find_fault = maps_find_fault,
  .emit = maps_emit,
};
