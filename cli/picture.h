/* picture.h: a plan in the form a file name asks for. */
#ifndef TP_CLI_PICTURE_H
#define TP_CLI_PICTURE_H

#include "ir/plan.h"

typedef struct
{
  gint64 max_nodes;           /* above: runs of ops are drawn as one */
  gint64 limit_ns;            /* of layout */
} TpPictureOptions;
#define TP_PICTURE_DEFAULTS { 400, G_GINT64_CONSTANT (60000000000) }

/* Whether the suffix of @path is known: .json (or "-") .dot .svg .png. */
gboolean tp_picture_check (const char *path, GError **error);
/* @path "-": the plan as JSON. */
GBytes *tp_picture_make (const char *path, const TpPlan *plan,
                         const TpGraph *graph,
                         const TpPictureOptions *options, GError **error);

#endif
