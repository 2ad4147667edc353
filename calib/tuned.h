/* tuned.h: what tuning has found, or would try: of each kernel its schedules, by the
 * model's rank and by their times. */
#ifndef TP_CALIB_TUNED_H
#define TP_CALIB_TUNED_H

#include "calib/keys.h"

typedef struct
{
  char *schedule;             /* (owned) */
  int rank;                   /* by the model, from 1; 0: it would not try it */
  double regret;              /* how much slower the model takes it to be than what it
                               * departs from, in parts of that; of rank 0: NaN */
  gboolean is_used;
  TpStats stats;              /* n = 0: it was not timed */
} TpTunedChoice;

/* How many times as fast as the model's first choice. */
typedef struct
{
  double ratio;               /* NaN: not known */
  double half;                /* half of its 95 % interval, in parts of it */
} TpGain;

typedef struct
{
  char *label, *digest;       /* (owned) as in its entries */
  char *family;               /* (owned) of schedules, that the model's first is of;
                               * of several nests "reduce+items"; "": it has none */
  int n_places;               /* where the model has it */
  gboolean is_tuned;
  gint64 n_choices;           /* that there are, as tp_program_count_choices () has
                               * them; 0: not counted */
  TpPointers *choices;        /* (owned) TpTunedChoice, by rank; 0 comes last */
  TpGain gain;                /* of the one that is used */
  double correlation;         /* Spearman's, of ranks and times; NaN: fewer than
                               * three have both */
} TpTunedKernel;

typedef struct
{
  char *device;               /* (owned) */
  TpPointers *kernels;        /* (owned) TpTunedKernel, in the order of the graph */
  TpGain gain;                /* geometric mean of theirs */
  double correlation;         /* mean of theirs; NaN: none has any */
} TpTuned;

/* What is asked for. */
typedef struct
{
  const char *device;
  int n_threads;
  gboolean is_all;            /* kernels that were not tuned, too, and of all what
                               * would be timed */
  gboolean is_relaxed;        /* schedules with larger errors are used and would be
                               * timed, too: calib/accuracy.h */
  const char *kernel;         /* (nullable): of those alone whose label matches this
                               * glob, or whose digest begins so, with 8 digits or
                               * more; all is asked of them */
} TpTunedScope;

/* Of the kernels that a model runs fused on a device, those that were tuned. @keys:
 * with what they were lowered to, by which the model ranks anew. Opens the device
 * where there are any. */
TpTuned *tp_tuned_read (TpCostDb *db, const TpKeys *keys,
                        const TpTunedScope *scope, GError **error);
void tp_tuned_free (TpTuned *tuned);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (TpTuned, tp_tuned_free)

/* Sorts the choices, and sets all gains and correlations by them. Pure. */
void tp_tuned_judge (TpTuned *tuned);

#endif
