/* winograd-pack.h: filters, transformed when they are packed. */
#ifndef TP_SCHEDULE_WINOGRAD_PACK_H
#define TP_SCHEDULE_WINOGRAD_PACK_H

#include "schedule/build.h"
#include "schedule/winograd-transform.h"
#include "schedule/winograd.h"

/* Panels of @width filters, which are neighbours; elements to the next point, panel
 * and channel. */
typedef struct
{
  gint64 n_panels, width;
  gint64 point, panel, channel;
  gint64 n_elements;          /* what is not written of them is zero */
} TpWinogradPack;

/* Makes the filters of @nest, a copy, a packed copy of theirs by @form. */
void tp_winograd_pack (const TpWinograd *w, const TpWinogradForm *form,
                       const TpWinogradPack *pack, TpNest *nest,
                       TpBuild *build);

#endif
