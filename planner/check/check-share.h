/* check-share.h: lower bounds of what placements cost, from shares of terms. */
#ifndef TP_PLANNER_CHECK_SHARE_H
#define TP_PLANNER_CHECK_SHARE_H

#include "planner/check/check-held.h"

__extension__ typedef __int128 TpCheckerWide;

/* A bound taken apart, of two devices: @offset, less what is paid for memory, and of each op
 * what it answers for on either. */
typedef struct
{
  TpCheckerWide offset;
  TpCheckerWide paid;         /* at most, by what fits */
  TpCheckerWide *levels;      /* [op * 2 + device] */
} TpCheckerLevels;

/* Its price is paid where its maker is on none of the devices and any reader is. */
typedef struct
{
  guint devices;              /* a set */
  int maker;                  /* -1: none */
  TpCheckerWide price;
  const int *readers;         /* ascending */
  int n;
} TpCheckerTerm;

/* Copy of @tensor to device @to from @from, if its maker is there; of an input, from
 * the caller. FALSE: the caller has it there, whoever reads it besides. */
gboolean tp_checker_find_copy (const TpChecker *checker, int tensor, int from,
                               int to, TpCheckerTerm *out);
/* What group @index gains on @device: lost where any of it is on another. */
TpCheckerTerm tp_checker_find_gain (const TpChecker *checker, int index,
                                    int device);
/* To @levels, [op * n_devices + device]: what ops cost by themselves, and terms that have
 * one reader and no maker. */
void tp_checker_add_own (const TpChecker *checker, TpCheckerWide *levels);

/* FALSE: it claims shares that there are not, and that was said. */
gboolean tp_checker_find_levels (TpCheckerHeld *held, int bound,
                                 TpCheckerLevels *out);
/* What a placement costs, of ops that may all be where they are. */
TpCheckerWide tp_checker_sum_cost (TpCheckerHeld *held,
                                   const gint8 *devices);

#endif
