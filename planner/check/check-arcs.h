/* check-arcs.h: the arcs that graph and costs call for, each by what its ends
 * are: the network, written a second time. */
#ifndef TP_PLANNER_CHECK_ARCS_H
#define TP_PLANNER_CHECK_ARCS_H

#include "planner/check/check-private.h"

#define TP_CHECKER_INFINITE (-1)
#define TP_CHECKER_ABSENT 0 /* no arc has capacity 0 */

typedef struct
{
  gint64 capacity;            /* TP_CHECKER_ABSENT: it is not called for */
  gint64 number;              /* of its flow: below n_numbers, and of no other arc */
} TpCheckerArc;

/* Of the copies of a tensor. */
typedef struct
{
  gint64 first;               /* number of an arc; others follow */
  gboolean is_plain;          /* one reader, and nothing else that could share
                               * the arc: no copies as vertices are needed */
} TpCheckerCopies;

/* What an op makes, where one arc each way does for its copies. */
typedef struct
{
  int tensor, reader;         /* -1: nothing of the kind */
} TpCheckerPlain;

typedef struct
{
  const TpChecker *checker;   /* (unowned) */
  TpCheckerCopies *copies;    /* [tensor] */
  TpCheckerPlain *plains;     /* [node] */
  gint64 *groups;             /* [group]: number of the first arc */
  int *members;               /* [node]: its place in its group */
  int *together;              /* [node]: its colocation; -1: none */
  gint64 *bound;              /* [node]: number of the arc to that, if it has one */
  gint64 n_numbers;
} TpCheckerArcs;

/* For two devices. */
void tp_checker_arcs_init (TpCheckerArcs *arcs, const TpChecker *checker);
void tp_checker_arcs_clear (TpCheckerArcs *arcs);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (TpCheckerArcs, tp_checker_arcs_clear)

/* FALSE: it was the last. */
typedef gboolean (*TpCheckerVisit) (gpointer data, TpCutVertex from,
                                    TpCutVertex to);
/* All that there could be, called for or not, in the order of their numbers. FALSE: it
 * was ended. */
gboolean tp_checker_arcs_walk (const TpCheckerArcs *arcs, TpCheckerVisit each,
                               gpointer data);
/* Of vertices that there are. */
TpCheckerArc tp_checker_arcs_find (const TpCheckerArcs *arcs,
                                   TpCutVertex from, TpCutVertex to);
/* How many copies that cost anything are in the capacity of an arc that there
 * is. */
int tp_checker_arcs_count_copies (const TpCheckerArcs *arcs,
                                  TpCutVertex from, TpCutVertex to);

#endif
