/* check-answers.h: what ops answer for of tensors, groups and bytes, and what all
 * placements cost at least because of that. */
#ifndef TP_PLANNER_CHECK_ANSWERS_H
#define TP_PLANNER_CHECK_ANSWERS_H

#include "ir/array.h"
#include "ir/share-proof.h"
#include "planner/check/check-private.h"
#include "planner/check/check-room.h"

/* The ops of a term, whose rows follow one another. */
typedef struct
{
  int *ops;                   /* leads, ascending, but for the maker */
  int n;
  gint64 row;
} TpCheckerMembers;

typedef struct
{
  TpChecker *checker;         /* (unowned) */
  gint64 unit;                /* amounts are in 1 / @unit of a nanosecond */
  int k;                      /* devices */
  const TpArray *rows;        /* (unowned) (nullable) TpMemoryPrice */
  int *leads;                 /* [op] */
  int *ops;                   /* members: of tensors, of groups, of bytes */
  gint64 n_rows;              /* of those */
  TpCheckerMembers *tensors, *groups; /* [tensor], [group] */
  int n_bytes;
  TpCheckerMembers *bytes;    /* [price * n_tensors + tensor] */
  TpMemoryPrice *prices;      /* likewise: of all of them, where */
  gint64 *amounts;            /* [row * k + device] */
  guint *may, *sets;          /* [op]: devices, by pins and kernels; those that are
                               * asked about */
  TpCheckerBytes *levels;     /* [op * k + device] */
} TpCheckerAnswers;

/* Amounts of 0. @prices: (nullable): on what is held; they name devices and ops that
 * there are. */
void tp_checker_answers_init (TpCheckerAnswers *self, TpChecker *checker,
                              const TpArray *prices);
void tp_checker_answers_clear (TpCheckerAnswers *self);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (TpCheckerAnswers, tp_checker_answers_clear)

/* The rows of @bound, called @name, into @out, as amounts. FALSE: they are not in order,
 * or of nothing there is, and that was said. */
gboolean tp_checker_answers_read (const TpCheckerAnswers *self,
                                  const TpShareBound *bound, const char *name,
                                  gint64 *out);
/* What no placement with ops where sets say costs less than, in units. */
TpCheckerBytes tp_checker_answers_sum (const TpCheckerAnswers *self);

#endif
