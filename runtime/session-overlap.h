/* session-overlap.h: a run whose engines work at once, as the schedule of its plan
 * has it. */
#ifndef TP_RUNTIME_SESSION_OVERLAP_H
#define TP_RUNTIME_SESSION_OVERLAP_H

#include "runtime/session-actions.h"

/* Whether runs of @session are to go by a schedule: its plan has one, and one run
 * is under way at a time. */
gboolean tp_session_wants_overlap (const TpSession *session);

/* The last stage of making such a session. Where there is but one engine it leaves
 * session->overlap NULL, else it starts a thread for each but those of the
 * caller. */
gboolean tp_session_overlap_init (TpSession *session, GError **error);
void tp_session_overlap_clear (TpSession *session);

/* @is_profiled: waits after each kernel, and fills in times of steps. */
gboolean tp_session_overlap_run (const TpSessionRun *run, gboolean is_profiled,
                                 GError **error);

/* The action that some engine is at; -1: none. Thread: any. */
int tp_session_overlap_get_at (const TpSession *session);

#endif
