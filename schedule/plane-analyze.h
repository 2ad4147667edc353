/* plane-analyze.h: is a nest a window that slides over planes in rows? */
#ifndef TP_SCHEDULE_PLANE_ANALYZE_H
#define TP_SCHEDULE_PLANE_ANALYZE_H

#include "schedule/plane.h"

/* NULL: @nest is no window over planes. */
TpPlane *tp_plane_new (const TpBuild *build, const TpNest *nest);
void tp_plane_free (TpPlane *plane); /* (nullable) */
G_DEFINE_AUTOPTR_CLEANUP_FUNC (TpPlane, tp_plane_free)
/* Units that windows of @n_out points meet. */
gint64 tp_plane_dim_span (const TpPlaneDim *dim, gint64 n_out);

#endif
