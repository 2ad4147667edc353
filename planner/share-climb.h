/* share-climb.h: lower bounds of what placements cost on several devices, raised
 * op by op. */
#ifndef TP_PLANNER_SHARE_CLIMB_H
#define TP_PLANNER_SHARE_CLIMB_H

#include "planner/share-model.h"

/* Where the ops may be, and all messages. */
typedef struct
{
  TpShareModel *model;        /* (unowned) */
  guint *sets;                /* [op]: devices it may be on */
  gint64 *levels;             /* [op * n_devices + device]: what it answers for */
  gint64 *messages;           /* [member * n_devices + device]: in its level */
  gint64 *credits;            /* [term * n_devices + device]: of the maker, in its
                               * level */
  gint64 *reach;              /* [term * n_sets + set]: most that messages of all
                               * members come to when they are within the set */
  int *n_barred;              /* likewise: members that may not be there */
  gint64 *leasts;             /* [term]: what it costs at least, messages taken off; of a
                               * maker's 0, as it has all of it */
  guint8 *is_stale;           /* [term]: that was asked before something moved */
} TpShareState;

void tp_share_state_init (TpShareState *state, TpShareModel *model);
/* @state: of the same model, or zeroed. */
void tp_share_state_copy (TpShareState *state, const TpShareState *from);
void tp_share_state_clear (TpShareState *state);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (TpShareState, tp_share_state_clear)

/* From now on @op is on @device. */
void tp_share_state_fix (TpShareState *state, int op, int device);
/* Takes @amounts, one for each device, off the term of @member and adds them to the
 * level of its op. */
void tp_share_state_add (TpShareState *state, int member,
                         const gint64 *amounts);
/* Raises the bound, or leaves it: what ops cost above their least goes to their
 * groups, where it may outweigh gains on devices that are too slow. A start for
 * sweeps: they share it out in equal parts, of which few come to a group whose ops
 * all read one tensor. */
void tp_share_state_fill_groups (TpShareState *state);
/* Raises the bound, or leaves it: @ops are gone through once, first to last and
 * then back; ascending. */
void tp_share_state_sweep (TpShareState *state, const int *ops, int n_ops);
/* No placement where the ops may be costs less. Moves to makers what is theirs, as
 * readers of the proof do. */
gint64 tp_share_state_bound (TpShareState *state);

/* After tp_share_state_bound (): by how much a placement is above the least of
 * @op, of @term. All of them together are what it costs above the bound. */
gint64 tp_share_state_op_slack (const TpShareState *state, int op, int device);
gint64 tp_share_state_term_slack (const TpShareState *state, int term,
                                  const guint8 *devices);
/* Raises @out of each op to what a placement with the op elsewhere than in
 * @devices costs more, at least, than the bound; not multiplied. */
void tp_share_state_find_margins (TpShareState *state, const guint8 *devices,
                                  gint64 *out);
/* The device at which the op's level is least; the first of several. */
int tp_share_state_choose (const TpShareState *state, int op);

#endif
