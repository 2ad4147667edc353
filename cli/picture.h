/* picture.h: a plan in the form a file name asks for. */
#ifndef TP_CLI_PICTURE_H
#define TP_CLI_PICTURE_H

#include "ir/plan.h"
#include "view/dot.h"

typedef struct
{
  int max_nodes;              /* as tp_view_to_dot () */
  gint64 limit_ns;            /* of layout */
} TpPictureOptions;
#define TP_PICTURE_DEFAULTS { TP_VIEW_FIT, G_GINT64_CONSTANT (60000000000) }

/* Whether the suffix of @path is known: .json (or "-") .dot .svg .png. */
gboolean tp_picture_check (const char *path, GError **error);
/* Whether that is a file of the plan itself, not packed, which is written as it is
 * made: of a large plan there is more text than memory is wanted for. */
gboolean tp_picture_is_plan (const char *path);
/* @path "-": the plan as JSON. */
GBytes *tp_picture_make (const char *path, const TpPlan *plan,
                         const TpGraph *graph,
                         const TpPictureOptions *options, GError **error);

#endif
