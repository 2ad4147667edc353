/* session-states.h: tensors that stay on a device from run to run. */
#ifndef TP_RUNTIME_SESSION_STATES_H
#define TP_RUNTIME_SESSION_STATES_H

#include "runtime/session.h"

/* What a session cannot do with the states of its graph. TPLAN_ERROR_UNSUPPORTED. */
gboolean tp_session_check_states (const TpSession *session, GError **error);
/* Finds where they are, and gives them memory, all zeros, before arenas are made and
 * once units are lowered. */
gboolean tp_session_make_states (TpSession *session, GError **error);
/* A run has ended: what is next is now. */
gboolean tp_session_advance (TpSession *session, GError **error);
/* Before buffers are freed: what two have in common is freed once. */
void tp_session_forget_states (TpSession *session);
/* Bytes on @device that are counted as two constants and are one. */
gint64 tp_session_count_shared (const TpSession *session, int device);

/* The value of @tensor, a state of the graph, between two runs: row-major. NULL sets
 * zeros, with which it begins. */
gboolean tp_session_set_state (TpSession *session, int tensor,
                               const void *value, GError **error);
gboolean tp_session_get_state (TpSession *session, int tensor, void *out_value,
                               GError **error);

#endif
