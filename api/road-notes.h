/* road-notes.h: what is worth telling of a road that was taken. */
#ifndef TP_API_ROAD_NOTES_H
#define TP_API_ROAD_NOTES_H

#include "include/tplan.h"

typedef struct
{
  GPtrArray *warnings;        /* of char *, for people; NULL: none */
  int n_ops;
  int n_unmeasured;           /* ops with an estimated time on a real device, whether or not
                               * that may win them */
} TpRoadNotes;
void tp_road_notes_clear (TpRoadNotes *notes);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (TpRoadNotes, tp_road_notes_clear)

/* A plan and what is worth telling of how it was made. */
typedef struct
{
  TplanPlan *plan;            /* NULL: none was found */
  TpRoadNotes notes;
} TpRoadTaken;
void tp_road_taken_clear (TpRoadTaken *taken);
/* Of what the objective (time, makespan or throughput) wants little of, in ns;
 * G_MAXINT64: there is no plan. */
gint64 tp_road_taken_get_cost (const TpRoadTaken *taken);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (TpRoadTaken, tp_road_taken_clear)

#endif
