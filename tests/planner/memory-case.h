/* memory-case.h: graphs whose tensors and weights differ in size, for tests of
 * memory limits. */
#ifndef TP_TESTS_MEMORY_CASE_H
#define TP_TESTS_MEMORY_CASE_H

#define TP_MEMORY_CASE_CUTS 16000 /* so many, and no sweeps */

#include "random-graph.h"

/* From GTest's random numbers: ops with weights, chains that may be fused, views;
 * the second device is mostly faster. */
TpTestCase *tp_memory_case_new (int n_ops);
/* On more devices, to 4: the others are mostly faster than the first. */
TpTestCase *tp_memory_case_new_for (int n_devices, int n_ops);

/* Two devices, of which one is the host, from which up to @most ops are sent weights
 * in every run, by as many ops more. */
TpTestCase *tp_memory_case_new_streamed (int n_ops, int most);

/* Likewise, with ops that are to be on one device, some of them for a state. */
TpTestCase *tp_memory_case_new_together (int n_devices, int n_ops);

/* Likewise, without these; some groups are what a graph claims, maybe with several
 * results. */
TpTestCase *tp_memory_case_new_claimed (int n_devices, int n_ops);

/* Arena and weights on all devices, by the layout of sessions; groups are in
 * effect where they save. */
void tp_memory_case_count (const TpTestCase *test, const guint8 *devices,
                           gint64 *out_bytes);

/* Whether all that is within @limits (nullable); 0: there is none. */
gboolean tp_memory_case_fits (const TpTestCase *test, const guint8 *devices,
                              const gint64 *limits);

/* tp_place_with (), or NULL where nothing fits. */
TpPlan *tp_memory_case_place (const TpTestCase *test, const gint64 *limits,
                              int n_cuts);

/* Within half of what the cheapest plan takes on the second device; NULL: that is not
 * to be met, or does not bind. */
TpPlan *tp_memory_case_place_tight (const TpTestCase *test, int n_cuts,
                                    gint64 *out_limits);

/* Of what @write saves in a folder, whose paths it appends, @script ("check_memory.py")
 * takes the files whose names begin with "good" and no other; there are more than @n.
 * Skips the test where there is no Python. */
typedef void (*TpMemoryCaseWrite) (const char *folder, GPtrArray *paths,
                                   gconstpointer data);
void tp_memory_case_check_second (const char *script, TpMemoryCaseWrite write,
                                  gconstpointer data, guint n);

#endif
