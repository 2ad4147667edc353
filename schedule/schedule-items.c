/* schedule-items.c: the family "items": a point per work-item, which fits every
 * nest on every GPU. */
#include "config.h"

#include "schedule/schedule-items.h"

/* The values of a choice. */
enum
{
  LOCAL,                      /* items per group */
};

static const TpParam params[] = {
  { "local", 1, 2, 1 << 16, 0 },
  { NULL },
};

typedef struct
{
  const TpTarget *target;
  TpNest *nest;
} ItemsAnalysis;

static gpointer
items_analyze (const TpBuild *build, TpNest *const *nests, int n)
{
  g_autoptr (TpNest) copy = NULL;
  ItemsAnalysis *a = NULL;

  if (n != 1)
    return NULL;
  copy = tp_nest_copy (nests[0]);
  a = g_new0 (ItemsAnalysis, 1);
  a->target = build->target;
  a->nest = g_steal_pointer (&copy);
  return a;
}

static void
items_free (gpointer analysis)
{
  ItemsAnalysis *a = analysis;

  tp_nest_free (a->nest);
  g_free (a);
}

static gboolean
items_is_last_resort (gconstpointer analysis)
{
  return TRUE;
}

static void
items_enumerate (gconstpointer analysis, int step, const TpChoice *partial,
                 TpArray *out)
{
  const ItemsAnalysis *a = analysis;

  tp_family_list_local_sizes (partial, LOCAL, a->target, out);
}

static const char *
items_find_fault (gconstpointer analysis, const TpChoice *choice)
{
  const ItemsAnalysis *a = analysis;

  return tp_family_find_local_fault (a->target, choice->values[LOCAL]);
}

void
tp_schedule_items_plan (TpWindowPlan *window, const TpNest *nest,
                        int local_size)
{
  tp_window_plan_init (window, tp_nest_copy (nest));
  window->grid.local_size = local_size;
}

static void
items_emit (TpBuild *build, gconstpointer analysis, const TpChoice *choice)
{
  const ItemsAnalysis *a = analysis;
  g_auto (TpWindowPlan) window = { NULL };

  tp_schedule_items_plan (&window, a->nest, choice->values[LOCAL]);
  tp_window_plan_emit (&window, build);
}

const TpFamily tp_schedule_items = {
  .form = { "items", params },
  .n_steps = 1,
  .is_for = tp_target_is_gpu,
  .analyze = items_analyze,
  .free = items_free,
  .is_last_resort = items_is_last_resort,
  .enumerate = items_enumerate,
  .find_fault = items_find_fault,
  .emit = items_emit,
};
