/* check-share.h: lower bounds of what placements cost, from shares of terms. */
#ifndef TP_PLANNER_CHECK_SHARE_H
#define TP_PLANNER_CHECK_SHARE_H

#include "planner/check/check-held.h"

__extension__ typedef __int128 TpCheckerWide;

/* A bound taken apart: @offset, and of each op what it answers for on either
 * device. */
typedef struct
{
  TpCheckerWide offset;
  TpCheckerWide *levels;      /* [op * 2 + device] */
} TpCheckerLevels;

/* Its price is paid where its maker is not on the device and any reader is. */
typedef struct
{
  int device, maker;          /* -1: none */
  TpCheckerWide price;
  const int *readers;         /* ascending */
  int n;
} TpCheckerTerm;

/* Copy of @tensor to @device; FALSE: the caller has it there, whoever reads it
 * besides. */
gboolean tp_checker_find_copy (const TpChecker *checker, int tensor, int device,
                               TpCheckerTerm *out);
/* What group @index gains on @device: lost where any of it is on the other. */
TpCheckerTerm tp_checker_find_gain (const TpChecker *checker, int index,
                                    int device);
/* To @levels, [op * 2 + device]: what ops cost by themselves, and terms that have
 * one reader and no maker. */
void tp_checker_add_own (const TpChecker *checker, TpCheckerWide *levels);

/* FALSE: it claims shares that there are not, and that was said. */
gboolean tp_checker_find_levels (TpCheckerHeld *held, int bound,
                                 TpCheckerLevels *out);
/* What a placement costs, of ops that may all be where they are. */
TpCheckerWide tp_checker_sum_cost (TpCheckerHeld *held,
                                   const gint8 *devices);

#endif
