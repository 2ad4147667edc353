/* interference.h: how much slower engines are while others work.
 *
 * Engines are numbered as in ir/load-proof.h. A speed is that of one engine while one
 * other works, in thousandths of what it does alone; docs/planner.md, "Makespan", has
 * the words. */
#ifndef TP_IR_INTERFERENCE_H
#define TP_IR_INTERFERENCE_H

#include <glib.h>

#define TP_SPEED_ALONE 1000
#define TP_SPEEDS_MAX_ENGINES 6 /* of two devices */

/**
 * tp_speeds_find:
 * @speeds: [engine * n_engines + other]: each from 1 to TP_SPEED_ALONE
 * @is_busy: [n_engines]
 * @out: [n_engines]: of those that are busy, all of them at once; 0: of the others
 *
 * The product of what each of the others leaves of it, rounded down each time. All
 * together do no less than one alone: who takes turns does better than that.
 */
void tp_speeds_find (const int *speeds, int n_engines, const gboolean *is_busy,
                     int *out);

#endif
