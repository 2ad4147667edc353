/* weave.h: elements of several vectors in turns, and back, in registers. */
#ifndef TP_SCHEDULE_WEAVE_H
#define TP_SCHEDULE_WEAVE_H

#include "kernel/kernel.h"
#include "nest/nest.h"

#define TP_WEAVE_MAX 16

/* Lane i of vector v becomes element i * @n + v of all of them; @n, a power of two, is at
 * most TP_WEAVE_MAX, and at most the lanes. */
void tp_weave (TpKernel *kernel, TpValue *vectors, int n);
/* Every @n-th element of @n vectors, from @first < @n on. */
TpValue tp_weave_take (TpKernel *kernel, const TpValue *vectors, int n, int first);
/* Whether what lies @step apart is worth turning so. */
gboolean tp_weave_is_for (gint64 step);
/* Whether vectors along @vaxis, one for each point of @axis, are neighbours in what
 * @nest stores once they are woven. */
gboolean tp_weave_is_stored (const TpNest *nest, int vaxis, int axis);

#endif
