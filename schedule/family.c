/* family.c: what is the same for all families. */
#include "config.h"

#include "schedule/family.h"

#include "ir/pointers.h"
#include "nest/nest-expr.h"

#include <stdlib.h>

#define USUAL_LOCAL_SIZE 256    /* four to eight waves, which hide each other */

static gboolean
has_iota (const TpBuild *build, const TpNest *nest)
{
  for (int i = 0; i < nest->n_loads; i++)
    if (tp_build_is_iota (build, nest->loads[i].operand))
      return TRUE;
  return FALSE;
}

gpointer
tp_family_analyze (const TpFamily *family, const TpBuild *build,
                   TpNest *const *nests, int n)
{
  if (build->n_own_iterations > 1 && !family->takes_turns)
    return NULL;
  for (int i = 0; i < n; i++)
    if (tp_nest_ranks (nests[i]) != family->ranks
        || (!family->takes_doubles && tp_nest_has_doubles (nests[i]))
        || (!family->takes_iota && has_iota (build, nests[i])))
      return NULL;
  return family->analyze (build, nests, n);
}

TpArray *
tp_family_enumerate (const TpFamily *family, gconstpointer analysis, int step,
                     const TpChoice *partial)
{
  TpArray *choices = tp_array_new (sizeof (TpChoice));

  family->enumerate (analysis, step, partial, choices);
  return choices;
}

static double
get_cost (const TpFamily *family, gconstpointer analysis, int step,
          const TpChoice *choice)
{
  return family->cost == NULL ? 0.0 : family->cost (analysis, step, choice);
}

/* Makes step @step of @choice. */
static gboolean
choose_step (const TpFamily *family, gconstpointer analysis, int step,
             TpChoice *choice)
{
  g_autoptr (TpArray) choices
      = tp_family_enumerate (family, analysis, step, choice);
  double best = 0.0;

  for (guint i = 0; i < choices->len; i++)
    {
      const TpChoice *it = &tp_array_index (choices, TpChoice, i);
      double cost = get_cost (family, analysis, step, it);

      if (i > 0 && cost >= best)
        continue;
      *choice = *it;
      best = cost;
    }
  return choices->len > 0;
}

/* Makes all steps from @step on. */
static gboolean
choose_from (const TpFamily *family, gconstpointer analysis, int step,
             TpChoice *choice)
{
  for (; step < family->n_steps; step++)
    if (!choose_step (family, analysis, step, choice))
      return FALSE;
  return TRUE;
}

gboolean
tp_family_choose (const TpFamily *family, gconstpointer analysis,
                  TpChoice *out_choice)
{
  *out_choice = (TpChoice) { .form = &family->form };
  return choose_from (family, analysis, 0, out_choice);
}

/* ---- ranking ----------------------------------------------------------- */

#define ORDER_REGRET 0.05     /* of each place, where no cost tells */

static int
compare_regrets (const void *a, const void *b)
{
  double x = ((const TpRanked *) a)->regret, y = ((const TpRanked *) b)->regret;

  return (x > y) - (x < y);
}

/* What else step @step may add to @partial, by what it costs more than @best,
 * what the model would have there. */
static TpArray *
list_others (const TpFamily *family, gconstpointer analysis, int step,
             const TpChoice *partial, const TpChoice *best)
{
  g_autoptr (TpArray) choices
      = tp_family_enumerate (family, analysis, step, partial);
  g_autoptr (TpArray) others = tp_array_new (sizeof (TpRanked));
  double least = get_cost (family, analysis, step, best);

  for (guint i = 0; i < choices->len; i++)
    {
      TpRanked it = { .choice = tp_array_index (choices, TpChoice, i) };

      if (tp_choice_equal (&it.choice, best))
        continue;
      it.regret = least > 0
                      ? get_cost (family, analysis, step, &it.choice) / least - 1
                      : ORDER_REGRET * (others->len + 1);
      tp_array_append_val (others, it);
    }
  if (others->len > 0)
    qsort (others->data, others->len, sizeof (TpRanked), compare_regrets);
  return g_steal_pointer (&others);
}

static gboolean
is_listed (const TpArray *ranked, const TpChoice *choice)
{
  for (guint i = 0; i < ranked->len; i++)
    if (tp_choice_equal (&tp_array_index (ranked, TpRanked, i).choice, choice))
      return TRUE;
  return FALSE;
}

/* One of @others more, the first that comes to something new; those seen are
 * removed. */
static void
take_next (const TpFamily *family, gconstpointer analysis, int step,
           TpArray *others, TpArray *ranked)
{
  while (others->len > 0)
    {
      TpRanked it = tp_array_index (others, TpRanked, 0);

      tp_array_remove_index (others, 0);
      if (!choose_from (family, analysis, step + 1, &it.choice)
          || is_listed (ranked, &it.choice))
        continue;
      tp_array_append_val (ranked, it);
      return;
    }
}

TpArray *
tp_family_rank (const TpFamily *family, gconstpointer analysis, int most)
{
  g_autoptr (TpArray) ranked = tp_array_new (sizeof (TpRanked));
  g_autoptr (TpPointers) others
      = tp_pointers_new ((GDestroyNotify) tp_array_unref);
  TpChoice path = { .form = &family->form };
  TpRanked first = { 0 };
  guint n_before;

  if (!tp_family_choose (family, analysis, &first.choice))
    return g_steal_pointer (&ranked);
  tp_array_append_val (ranked, first);
  for (int i = 0; i < family->n_steps; i++)
    {
      const TpChoice partial = path;

      choose_step (family, analysis, i, &path);
      tp_pointers_add (others,
                       list_others (family, analysis, i, &partial, &path));
    }
  do
    {
      n_before = ranked->len;
      for (int i = 0; i < family->n_steps && (int) ranked->len < most; i++)
        take_next (family, analysis, i, others->pdata[i], ranked);
    }
  while (ranked->len > n_before && (int) ranked->len < most);
  return g_steal_pointer (&ranked);
}

/* A step may list something twice, such as two blocks that are all of it. */
static gboolean
is_repeated (const TpArray *choices, guint at)
{
  for (guint i = 0; i < at; i++)
    if (tp_choice_equal (&tp_array_index (choices, TpChoice, i),
                         &tp_array_index (choices, TpChoice, at)))
      return TRUE;
  return FALSE;
}

/* What the steps from @step on make of @partial. */
static gint64
count_from (const TpFamily *family, gconstpointer analysis, int step,
            const TpChoice *partial)
{
  g_autoptr (TpArray) choices = NULL;
  gint64 n = 0;

  if (step == family->n_steps)
    return 1;
  choices = tp_family_enumerate (family, analysis, step, partial);
  for (guint i = 0; i < choices->len; i++)
    if (!is_repeated (choices, i))
      n += count_from (family, analysis, step + 1,
                       &tp_array_index (choices, TpChoice, i));
  return n;
}

gint64
tp_family_count (const TpFamily *family, gconstpointer analysis)
{
  const TpChoice none = { .form = &family->form };

  return count_from (family, analysis, 0, &none);
}

/* ---- for families ------------------------------------------------------ */

void
tp_family_append (const TpChoice *choice, int at, gint64 number,
                  TpArray *out_choices)
{
  TpChoice copy = *choice;

  copy.values[at] = number;
  tp_array_append_val (out_choices, copy);
}

int
tp_family_get_local_size (const TpTarget *target)
{
  return MIN (target->local_size, USUAL_LOCAL_SIZE);
}

const char *
tp_family_find_local_fault (const TpTarget *target, gint64 local_size)
{
  return local_size > target->local_size
             ? "groups of more work-items than the device likes"
             : NULL;
}
