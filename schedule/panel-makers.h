/* panel-makers.h: a contraction and the maps before it that make its w, in scratch
 * between the nests: each panel of w can be made right before it is read. */
#ifndef TP_SCHEDULE_PANEL_MAKERS_H
#define TP_SCHEDULE_PANEL_MAKERS_H

#include "schedule/contract-plan.h"
#include "schedule/emit.h"

#define TP_PANEL_MAX_MAKERS 8

/* What some nests are. */
typedef struct
{
  TpContract *c;              /* (owned) the last nest */
  int w;                      /* source: the scratch */
  int n_makers;
  TpNest *makers[TP_PANEL_MAX_MAKERS]; /* (owned) */
  int n_axes[TP_PANEL_MAX_MAKERS]; /* the axis of each that is N of the contraction */
  int tied[TP_PANEL_MAX_MAKERS][TP_NEST_MAX_AXES]; /* by axis of the contraction: that
                               * of the maker which is where it is, or -1 */
} TpPanelMakers;

/* NULL: they are none of that. */
TpPanelMakers *tp_panel_makers_new (const TpBuild *build, TpNest *const *nests,
                                    int n);
void tp_panel_makers_free (TpPanelMakers *makers); /* (nullable) */
G_DEFINE_AUTOPTR_CLEANUP_FUNC (TpPanelMakers, tp_panel_makers_free)

/* Adds the kernel of @plan, whose nest is a copy; panels are its width. */
void tp_panel_makers_emit (const TpPanelMakers *makers, TpBuild *build,
                           TpContractPlan *plan);

#endif
