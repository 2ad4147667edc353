/* session-units.h: the devices of a plan, and its units made ready for them. */
#ifndef TP_RUNTIME_SESSION_UNITS_H
#define TP_RUNTIME_SESSION_UNITS_H

#include "runtime/device.h"
#include "runtime/session.h"

/* The first stages of tp_session_new (). */
gboolean tp_session_open_devices (TpSession *session,
                                  const TpDeviceOptions *options,
                                  GError **error);
/* Whether devices are mapped as the plan has it. */
gboolean tp_session_has_maps (const TpSession *session);
gboolean tp_session_lower_units (TpSession *session, GError **error);

#endif
