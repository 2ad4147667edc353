/* resize.h: where every output of a resized dimension looks. */
#ifndef TP_OPS_RESIZE_H
#define TP_OPS_RESIZE_H

#include "ops/op-util.h"

#define TP_RESIZE_MAX_TAPS 64

/* One dimension. */
typedef struct
{
  gint64 in, out; /* extents */
  double scale;   /* output per input: as given, or how the extents compare */
  double roi[2];  /* of tf_crop_and_resize: the part looked at, from 0 to 1 */
} TpResizeAxis;

/* One output position of one dimension: a weighted sum of inputs. */
typedef struct
{
  int n;
  gint64 index[TP_RESIZE_MAX_TAPS];
  double weight[TP_RESIZE_MAX_TAPS];
  gboolean is_extrapolated;   /* beyond the input: all weights are 0 */
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
  gboolean is_antialias;      /* what shrinks looks at all that it leaves out */
  double extrapolation;       /* of points beyond the input */
} TpResize;

/* FALSE with an error: an attribute is not known, or not supported. */
gboolean tp_resize_init (TpResize *resize, const TpNode *node, GError **error);
/* How many points have a weight: 1 (nearest), 2, 4, or more where @axis shrinks
 * without aliases; at most TP_RESIZE_MAX_TAPS, else -1. */
int tp_resize_count_taps (const TpResize *resize, const TpResizeAxis *axis);
gboolean tp_resize_is_nearest (const TpResize *resize);
gboolean tp_resize_needs_roi (const TpResize *resize);
/* Whether all of @axis stays as it is. */
gboolean tp_resize_is_idle (const TpResize *resize, const TpResizeAxis *axis);
/* How many outputs in a row are each element of @axis, as it is; 0: not as many of all,
 * or there are too many to tell. */
gint64 tp_resize_count_repeats (const TpResize *resize, const TpResizeAxis *axis);
/* Where output position @at looks. */
void tp_resize_get_point (const TpResize *resize, const TpResizeAxis *axis,
                          gint64 at, TpResizePoint *point);

#endif
