/* road-notes.c: see road-notes.h. */
#include "config.h"

#include "api/road-notes.h"

#include "api/plan.h"

void
tp_road_notes_clear (TpRoadNotes *notes)
{
  g_clear_pointer (&notes->warnings, g_ptr_array_unref);
}

void
tp_road_taken_clear (TpRoadTaken *taken)
{
  g_clear_pointer (&taken->plan, tplan_plan_free);
  tp_road_notes_clear (&taken->notes);
}

gint64
tp_road_taken_get_cost (const TpRoadTaken *taken)
{
  const TpPlan *plan
      = taken->plan == NULL ? NULL : tp_api_get_plan (taken->plan);

  if (plan == NULL)
    return G_MAXINT64;
  if (plan->span_proof != NULL)
    return plan->span_proof->span_ns;
  return plan->load_proof != NULL ? plan->load_proof->load_ns : plan->cost_ns;
}
