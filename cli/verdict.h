/* verdict.h: which plan to give, of several that ran in turns. Pure. */
#ifndef TP_CLI_VERDICT_H
#define TP_CLI_VERDICT_H

#include "calib/contest.h"

typedef struct
{
  gboolean is_single;         /* all on one device */
  gboolean is_unfused;        /* made with no fusion rule */
} TpEntrant;

typedef struct
{
  int chosen;                 /* to be given */
  int rival;                  /* what the proposal is compared with: the chosen
                               * one, or if that is itself, the best single
                               * device, or the best of the others */
  TpContestRatio ratio;       /* the time of the proposal over that of it */
} TpVerdict;

/**
 * tp_verdict_find:
 * @entrants: as many as there are in @contest, @n; 0 is the proposal
 *
 * A plan planned again without fusion takes the place of the proposal where it
 * is faster outside the 95 % interval. What is on several devices has to be
 * faster, outside the interval, than the fastest that is on one; else that is
 * given. A proposal on one device stays unless another is faster outside it.
 */
TpVerdict tp_verdict_find (const TpContest *contest,
                           const TpEntrant *entrants, int n);

#endif
