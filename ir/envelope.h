/* envelope.h: the cheapest plan as a function of one thing: how long something
 * takes, or what a device draws or is rented for. */
#ifndef TP_IR_ENVELOPE_H
#define TP_IR_ENVELOPE_H

#include <glib.h>

#define TP_SCALE_ALL (-1)     /* devices */

typedef enum
{
  TP_SCALE_KERNELS,           /* of a device, take x times as long */
  TP_SCALE_COPIES,            /* take x times as long */
  TP_SCALE_BYTES,             /* of copies, take x times as long; what copies take
                               * however small they are does not change */
  TP_SCALE_WATTS,             /* a device draws x mW while a kernel runs there */
  TP_SCALE_PRICE,             /* an hour of a device is x TP_RATE_PARTS */
} TpScaleKind;

/* What changes, and from where to where. */
typedef struct
{
  TpScaleKind kind;
  int device;                 /* whose; of copies and bytes also TP_SCALE_ALL */
  double low, high;           /* rising; of times from 1e-6 to 1e6, of rates from 0
                               * to TP_RATE_MAX */
} TpScale;

/* A placement that is the cheapest for all x of an interval: there it costs
 * fixed + x * scaled, in the unit of what is the least: ns, or as in ir/rates.h. */
typedef struct
{
  double from, to;
  gint64 fixed, scaled;
  gint64 time_ns;             /* of rates: what a run takes */
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

double tp_piece_get_cost (const TpPiece *piece, double x);

#endif
