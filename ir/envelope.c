/* envelope.c: see envelope.h. */
#include "config.h"

#include "ir/envelope.h"

void
tp_envelope_free (TpEnvelope *envelope)
{
  if (envelope == NULL)
    return;
  for (int i = 0; i < envelope->n_pieces; i++)
    g_free (envelope->pieces[i].devices);
  g_free (envelope->pieces);
  g_free (envelope);
}

double
tp_piece_get_cost (const TpPiece *piece, double x)
{
  return (double) piece->fixed + x * (double) piece->scaled;
}
