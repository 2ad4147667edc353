/* tiles-analyze.h: contractions as a product of two matrices. */
#ifndef TP_SCHEDULE_TILES_ANALYZE_H
#define TP_SCHEDULE_TILES_ANALYZE_H

#include "schedule/build.h"
#include "schedule/tiles.h"

/* NULL: no contraction. */
TpTiles *tp_tiles_new (const TpBuild *build, const TpNest *nest);
void tp_tiles_free (TpTiles *tiles); /* (nullable) */
G_DEFINE_AUTOPTR_CLEANUP_FUNC (TpTiles, tp_tiles_free)
/* A copy of the nest, whose constants @build packs. */
TpNest *tp_tiles_pack (const TpTiles *tiles, TpBuild *build);

#endif
