/* road-notes.c: see road-notes.h. */
#include "config.h"

#include "api/road-notes.h"

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
