/* session-progress.h: how far a run has come, asked from another thread. */
#ifndef TP_RUNTIME_SESSION_PROGRESS_H
#define TP_RUNTIME_SESSION_PROGRESS_H

#include "runtime/session.h"

/* From now on devices that work while the caller goes on tell of each launch that
 * ends, which takes a little time. Before the first run. */
void tp_session_follow (TpSession *session);

/* Another number whenever something has ended. Thread: any, while @session is
 * there. */
guint tp_session_count_progress (const TpSession *session);
/* What has begun and not ended: "device 'opencl:0': op 'conv1'"; NULL: no run is
 * under way. Thread: as above; the caller frees. */
char *tp_session_describe_current (const TpSession *session);

#endif
