/* session-steps.h: what the caller sees of the actions of a run, and what the
 * plan foretold for each. */
#ifndef TP_RUNTIME_SESSION_STEPS_H
#define TP_RUNTIME_SESSION_STEPS_H

#include "runtime/session.h"

void tp_session_make_steps (TpSession *session);

#endif
