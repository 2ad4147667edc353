/* session-loans.h: inputs read and outputs written where the caller has them.
 *
 * The bytes of an input, or of an output, have a place in an arena, and a run
 * begins and ends with copies. Where only kernels touch them that look for their
 * buffers when they run, the caller's arrays are lent for a run instead. */
#ifndef TP_RUNTIME_SESSION_LOANS_H
#define TP_RUNTIME_SESSION_LOANS_H

#include "runtime/session-actions.h"

/* Finds what can be lent; the session has its lowered units. */
void tp_session_find_loans (TpSession *session);
/* For a run that is about to begin. What is not lent, because arrays overlap or are
 * no elements, is copied by the actions of the run. */
void tp_session_lend (const TpSessionRun *run);
/* Once nothing of the run is under way. */
void tp_session_take_back (const TpSessionRun *run);

#endif
