/* family.c: what is the same for all families. */
#include "config.h"

#include "schedule/family.h"

#define USUAL_LOCAL_SIZE 64     /* a wave on some GPUs, two on others */

TpArray *
tp_family_enumerate (const TpFamily *family, gconstpointer analysis, int step,
                     const TpChoice *partial)
{
  TpArray *choices = tp_array_new (sizeof (TpChoice));

  family->enumerate (analysis, step, partial, choices);
  return choices;
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
      double cost
          = family->cost == NULL ? 0.0 : family->cost (analysis, step, it);

      if (i > 0 && cost >= best)
        continue;
      *choice = *it;
      best = cost;
    }
  return choices->len > 0;
}

gboolean
tp_family_choose (const TpFamily *family, gconstpointer analysis,
                  TpChoice *out_choice)
{
  *out_choice = (TpChoice) { .form = &family->form };
  for (int step = 0; step < family->n_steps; step++)
    if (!choose_step (family, analysis, step, out_choice))
      return FALSE;
  return TRUE;
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

void
tp_family_list_local_sizes (const TpChoice *choice, int at,
                            const TpTarget *target, TpArray *out_choices)
{
  int usual = tp_family_get_local_size (target);

  for (int n = usual; n <= MIN (4 * usual, target->local_size); n *= 2)
    tp_family_append (choice, at, n, out_choices);
  if (usual >= 4)
    tp_family_append (choice, at, usual / 2, out_choices);
}

const char *
tp_family_find_local_fault (const TpTarget *target, gint64 local_size)
{
  return local_size > target->local_size
             ? "groups of more work-items than the device likes"
             : NULL;
}
