/* links.h: which kernels are run, in which order, to time a graph. */
#ifndef TP_CALIB_LINKS_H
#define TP_CALIB_LINKS_H

#include "calib/keys.h"
#include "ir/array.h"

/* Ways to run a graph. */
enum
{
  TP_PASS_FUSED,              /* nodes in the largest group that each is in */
  TP_PASS_NODES,              /* one by one */
  TP_PASS_CHAINS,             /* in the smallest group; then in the largest that
                               * holds no more than one, and two, within another */
  TP_PASS_SECOND = TP_PASS_CHAINS + 3, /* in the largest of those that the rules make
                               * when they are read again (planner/fuse.h) */
  TP_PASS_SECOND_CHAINS,      /* likewise in the smallest of these, and so on */
  TP_N_PASSES = TP_PASS_SECOND_CHAINS + 3
};

/* Keys (int): every node once, alone or in a group as @pass has it, in the
 * order of the graph; none where the rules make nothing when they are read again, and
 * @pass is of that. Without what @device cannot run or is in @failed (a set of
 * digests). */
TpArray *tp_links_list (const TpKeys *keys, const char *device,
                        GHashTable *failed, int pass);
/* When little of it is wanted, keeps only that and what feeds it. What
 * @is_covered is not wanted here. */
void tp_links_thin (TpArray *links, const gboolean *is_wanted,
                    const gboolean *is_covered);

#endif
