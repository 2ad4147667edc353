/* links.h: which kernels are run, in which order, to time a graph. */
#ifndef TP_CALIB_LINKS_H
#define TP_CALIB_LINKS_H

#include "calib/keys.h"
#include "ir/array.h"

/* Keys (int): every node once, alone or (if @is_fused) in its group, in the
 * order of the graph. Without what @device cannot run or is in @failed (a set of
 * digests). */
TpArray *tp_links_list (const TpKeys *keys, const char *device,
                        GHashTable *failed, gboolean is_fused);
/* When little of it is wanted, keeps only that and what feeds it. What
 * @is_covered is not wanted here. */
void tp_links_thin (TpArray *links, const gboolean *is_wanted,
                    const gboolean *is_covered);

#endif
