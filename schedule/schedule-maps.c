/* schedule-maps.c: the family "maps": copies and maps that do not read what
 * another of them writes, nor store where an index says, over what one did, such as the parts of a Concat, in as few kernels as
 * are sensible: many small copies cost mostly their compilation. */
#include "config.h"

#include "ir/guard.h"
#include "schedule/nest-canon.h"
#include "schedule/schedule-items.h"
#include "schedule/schedule-window.h"
#include "schedule/window-analyze.h"

#define MAX_MAPS 16

/* The values of a choice. */
enum
{
  N,                          /* nests per kernel */
};

static const TpParam params[] = {
  { "n", 1, 1, MAX_MAPS, 0 },
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
      if (nests[i]->n_stages > 0 || nests[i]->store.index >= 0)
        return FALSE;
      for (int j = 0; j < n; j++)
        if (reads_operand (nests[j], nests[i]->store.operand))
          return FALSE;
    }
  return n > 1;
}

static void
maps_free (gpointer analysis)
{
  MapsAnalysis *a = analysis;

  if (a == NULL)
    return;
  for (int i = 0; i < a->n; i++)
    tp_nest_free (a->nests[i]);
  g_free (a->nests);
  g_free (a);
}

G_DEFINE_AUTOPTR_CLEANUP_FUNC (MapsAnalysis, maps_free)

static gpointer
maps_analyze (const TpBuild *build, TpNest *const *nests, int n)
{
  g_autoptr (MapsAnalysis) a = NULL;

  if (!are_independent (nests, n))
    return NULL;
  a = g_new0 (MapsAnalysis, 1);
  a->nests = tp_new0 (TpNest *, n);
  a->n = n;
  for (int i = 0; i < n; i++)
    a->nests[i] = tp_nest_copy (nests[i]);
  return g_steal_pointer (&a);
}

/* ---- choices ----------------------------------------------------------- */

static void
maps_enumerate (gconstpointer analysis, int step, const TpChoice *partial,
                TpArray *out)
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
  g_autoptr (TpWindowAnalysis) analysis = NULL;
  TpChoice choice;

  if (tp_target_is_gpu (build->target))
    {
      tp_schedule_items_plan (window, build, *nest,
                              tp_family_get_local_size (build->target));
      return;
    }
  analysis = tp_window_analysis_new (build, *nest);
  if (!tp_family_choose (&tp_schedule_window, analysis, &choice))
    g_assert_not_reached ();  /* it fits every nest */
  tp_schedule_window_plan (window, build, analysis, &choice);
}

typedef struct
{
  int n;
  TpWindowPlan *plans;
} Windows;

static void
windows_clear (Windows *windows)
{
  for (int i = 0; i < windows->n; i++)
    tp_window_plan_clear (&windows->plans[i]);
  g_free (windows->plans);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Windows, windows_clear)

static void
emit_some (TpBuild *build, TpNest *const *nests, int n)
{
  g_auto (Windows) windows = { 0, NULL };

  windows.plans = tp_new0 (TpWindowPlan, n);
  windows.n = n;
  for (int i = 0; i < n; i++)
    plan_window (&windows.plans[i], build, &nests[i]);
  tp_window_plan_emit_shared (windows.plans, n, build);
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
  .takes_doubles = TRUE,
  .takes_iota = TRUE,
  .n_steps = 1,
  .is_for = maps_is_for,
  .analyze = maps_analyze,
  .free = maps_free,
  .enumerate = maps_enumerate,
  .find_fault = maps_find_fault,
  .emit = maps_emit,
};
