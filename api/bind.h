/* bind.h: does a plan stand on what it should stand on?
 *
 * tp_check () believes figures, groups and flags, and shows that no plan is
 * cheaper for those. Here they are made again from the graph and the names of
 * the devices, or looked up again, and compared. */
#ifndef TP_API_BIND_H
#define TP_API_BIND_H

#include "ir/plan.h"

/* Of a plan that tp_check () took: figures of simulated devices and those that
 * the graph gives, groups offered, flags, memory. What was measured is
 * believed; see tp_bind_check_table (). @reasons gets char *, one for each
 * fault. */
gboolean tp_bind_check (const TpPlan *plan, const TpGraph *graph,
                        GPtrArray *reasons);

/* tp_check () and, of a plan that it takes, tp_bind_check (): on a large graph side by
 * side, where there are two processors. The reasons are those of one after the
 * other. */
gboolean tp_bind_check_all (const TpPlan *plan, const TpGraph *graph,
                            GPtrArray *reasons);

/* tp_bind_check () of @plan, and meanwhile tp_check () of @unproved: of @plan, or of an
 * equal one whose kernels have other numbers; NULL: of none. */
gboolean tp_bind_check_beside (const TpPlan *plan, const TpPlan *unproved,
                               const TpGraph *graph, GPtrArray *reasons);

/* Every figure again, from the cost table @path. FALSE with @error: there is no
 * such table, or the plan does not say how its figures were looked up. */
gboolean tp_bind_check_table (const TpPlan *plan, const TpGraph *graph,
                              const char *path, GPtrArray *reasons,
                              GError **error);

/* Whether the kernels of @plan are those that @costs, just looked up, are
 * of. */
gboolean tp_bind_has_schedules (const TpPlan *plan, const TpGraph *graph,
                                const TpCosts *costs);

#endif
