/* boxes.h: boxes of lines, and links between them, as DOT text. */
#ifndef TP_VIEW_BOXES_H
#define TP_VIEW_BOXES_H

#include <glib.h>

typedef struct
{
  const char *title;
  const char *const *lines;   /* NULL-terminated */
  int look;                   /* of a device, as in pictures of plans; -1: plain */
} TpBox;

typedef struct
{
  int from, to;               /* boxes */
  const char *const *lines;   /* NULL-terminated */
} TpBoxLink;

typedef struct
{
  const TpBox *boxes;
  int n_boxes;
  const TpBoxLink *links;
  int n_links;
} TpBoxes;

/* Text of strangers is made fit to be shown. */
char *tp_view_boxes_to_dot (const TpBoxes *boxes, GError **error);

#endif
