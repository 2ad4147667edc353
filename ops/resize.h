/* resize.h: where every output of a resized dimension looks. */
#ifndef TP_OPS_RESIZE_H
#define TP_OPS_RESIZE_H

#include "ops/op-util.h"

#define TP_RESIZE_MAX_TAPS 4

/* One dimension. */
typedef struct
{
  gint64 in, out; /* extents */
  double scale;   /* output per input: as given, or how the extents compare */
} TpResizeAxis;

/* One output position of one dimension: a weighted sum of inputs. */
typedef struct
{
  int n;
  gint64 index[TP_RESIZE_MAX_TAPS];
  double weight[TP_RESIZE_MAX_TAPS];
} TpResizePoint;

/* The data of the records of Resize and Upsample. */
typedef struct
{
  gboolean is_upsample;
} TpResizeKind;

/* What a Resize or Upsample asks for, its attributes read. */
typedef struct
{
  int mode;       /* indices into tables of names */
  int coordinate;
  int nearest;
  double cubic_a;
  gboolean excludes_outside;
} TpResize;

/* FALSE with an error: an attribute is not known, or not supported. */
gboolean tp_resize_init (TpResize *resize, const TpNode *node, GError **error);
/* The most points that have a weight: 1 (nearest), 2 or 4. */
int tp_resize_count_taps (const TpResize *resize);
/* Where output position @at looks. */
void tp_resize_get_point (const TpResize *resize, const TpResizeAxis *axis,
                          gint64 at, TpResizePoint *point);

#endif
