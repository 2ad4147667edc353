/* judgement.h: what a placement that was made elsewhere costs, and what would
 * mend it. */
#ifndef TP_IR_JUDGEMENT_H
#define TP_IR_JUDGEMENT_H

#include <glib.h>

/* A run of ops, in the order in which they stand, that goes to one device. */
typedef struct
{
  int first, last;            /* nodes; those that are on @device stay there */
  int n_moved;
  int device;
  gint64 gain_ns;             /* what the placement costs less with this move
                               * alone; above 0 */
  gboolean is_kept;           /* gains still when made after those before it that
                               * do */
} TpMove;

typedef struct
{
  gint64 cost_ns;             /* copies too */
  gint64 copies_ns;
  int n_copies;
  int n_groups;               /* that run as one kernel */
  int n_moves;
  TpMove *moves;              /* the largest gain first; no two share an op */
  int max_ops;                /* of a run that was tried */
  int n_gone;                 /* ops of its file that planning folds away */
  gint64 moved_ns;            /* what it costs with those made that are kept */
} TpJudgement;

void tp_judgement_free (TpJudgement *judgement);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (TpJudgement, tp_judgement_free)

#endif
