/* way.h: one way along the road from a model to a plan: pin, split, stream, fuse, look
 * up or measure, place, count memory. See road.h for who takes several. */
#ifndef TP_API_WAY_H
#define TP_API_WAY_H

#include "api/road.h"
#include "ir/plan.h"

typedef struct
{
  const TplanGraph *model;
  const TplanCosts *from;
  const TpRoadOptions *options;
  TpMicroBatches micro_batches; /* (owned) */
  const char *const *streamed; /* (nullable) weights */
  const char *streamed_from;  /* (nullable): set with these */
  char **no_fuse;             /* rules left out besides those of @options; NULL */
  TpGraph *split;             /* pinned, in these micro-batches */
  TpGraph *graph;             /* the same, with those streamed */
  TpGroups *family;           /* all that may be fused */
  gboolean has_wholes;        /* of these */
  TpGroups *groups;           /* those of it that are offered */
  TpCosts *costs;
  gint64 *limits;             /* [row]: of what there is, and what is asked for */
  gboolean is_apart;          /* nothing is mapped, for limits are in the way */
  gboolean is_bound;          /* these made the plan dearer, or none fits */
  char *machine;              /* whose they are; NULL: this one's */
  char **facts;               /* as TpPlanOrigin */
} TpWay;

/* To its end; what was found on the way stays in @way. Errors are those of
 * tp_road_plan (). */
gboolean tp_way_take (TpWay *way, TpRoadTaken *out, GError **error);
void tp_way_clear (TpWay *way);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (TpWay, tp_way_clear)

TpCalibOptions tp_way_make_options (const TplanCosts *costs,
                                    const TpWatch *watch, GPtrArray *warnings);

#endif
