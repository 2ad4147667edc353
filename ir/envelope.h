/* envelope.h: the cheapest plan as a function of how long one thing takes. */
#ifndef TP_IR_ENVELOPE_H
#define TP_IR_ENVELOPE_H

#include <glib.h>

#define TP_SCALE_COPIES (-1)  /* all copies */

/* What takes x times as long as its figures say, from @low to @high times. */
typedef struct
{
  int device;                 /* whose kernels; or TP_SCALE_COPIES */
  double low, high;           /* from 1e-6 to 1e6, rising */
} TpScale;

/* A placement that is the cheapest for all x of an interval: there it costs
 * fixed_ns + x * scaled_ns. */
typedef struct
{
  double from, to;
  gint64 fixed_ns, scaled_ns;
  guint8 *devices;            /* [node] */
  int n_copies;
} TpPiece;

typedef struct
{
  int n_pieces;
  TpPiece *pieces;            /* x rises; no two beside each other cost the same
                               * everywhere */
  int n_plans;                /* that were made to find them */
  gboolean is_proved;         /* each to be the cheapest where it ends, and so
                               * in between; else the best that was found */
} TpEnvelope;

void tp_envelope_free (TpEnvelope *envelope);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (TpEnvelope, tp_envelope_free)

#endif
