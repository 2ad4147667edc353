/* family.h: a family of schedules: a way to compute some kind of nest.
 *
 * What a nest is to a family (the analysis) is apart from how it is to be
 * computed (the choice). A choice is made in steps, such as tile, then blocks:
 * a step lists what the steps before it leave open, so that the model can weigh
 * one step at a time and need not try every combination. */
#ifndef TP_SCHEDULE_FAMILY_H
#define TP_SCHEDULE_FAMILY_H

#include "schedule/build.h"

typedef struct
{
  TpForm form;
  int n_steps;
  gboolean ranks;             /* takes nests that rank (PLACE), and no others */
  gboolean takes_doubles;     /* else no nest that has such */
  gboolean takes_turns;       /* its kernels may run what is repeated themselves */
  gboolean takes_iota;        /* loads by tp_emit_load() alone; else none of these */
  gboolean (*is_for) (const TpTarget *target);
  /* What @nests, canonical, are to this family; NULL: nothing. Most families
   * take one nest. Borrows nothing but the target. */
  gpointer (*analyze) (const TpBuild *build, TpNest *const *nests, int n);
  void (*free) (gpointer analysis);
  /* Whether any other family is to be asked first; NULL: never. */
  gboolean (*is_last_resort) (gconstpointer analysis);
  /* Whether that is so close that only measuring can tell; NULL: never. */
  gboolean (*is_close) (gconstpointer analysis);
  /* Whether results of @choice have larger errors than float32 need have, so that
   * it is made only where that is asked for; NULL: never. */
  gboolean (*is_relaxed) (const TpChoice *choice);
  /* Appends what step @step may add to @partial. Whatever goes through all steps
   * is a choice without fault; what is listed first is best unless the model
   * knows better. */
  void (*enumerate) (gconstpointer analysis, int step, const TpChoice *partial,
                     TpArray *out_choices);
  /* By the model, of a choice as far as it is made: the less the better, among
   * the choices of one step. NULL: the order says all. */
  double (*cost) (gconstpointer analysis, int step, const TpChoice *choice);
  /* Why a choice, its numbers in range, is none for this nest; NULL: it is. */
  const char *(*find_fault) (gconstpointer analysis, const TpChoice *choice);
  /* Adds what computes the nests to @build. */
  void (*emit) (TpBuild *build, gconstpointer analysis, const TpChoice *choice);
} TpFamily;

/* What @nests are to @family, which need not be asked where they rank and it does not,
 * or the other way round, or where they are repeated by their kernel; NULL: nothing. */
gpointer tp_family_analyze (const TpFamily *family, const TpBuild *build,
                            TpNest *const *nests, int n);
/* Of the choices of @step, in order. */
TpArray *tp_family_enumerate (const TpFamily *family, gconstpointer analysis,
                             int step, const TpChoice *partial);
/* The model's: at each step the cheapest, the first of equals. FALSE: at some
 * step there is none. */
gboolean tp_family_choose (const TpFamily *family, gconstpointer analysis,
                           TpChoice *out_choice);

typedef struct
{
  TpChoice choice;
  double regret;              /* how much more it costs than the model's, in parts
                               * of that, as the model sees it; its own: 0 */
} TpRanked;

/* At most @most whole choices that are worth measuring, the model's first: each
 * departs from it in one step, by what is next best there, and goes on as the
 * model would. Steps take turns, so that none crowds out the others. (owned)
 * TpRanked */
TpArray *tp_family_rank (const TpFamily *family, gconstpointer analysis,
                         int most);

/* Different whole choices that there are. */
gint64 tp_family_count (const TpFamily *family, gconstpointer analysis);

/* Appends @choice with @number as its value @at. */
void tp_family_append (const TpChoice *choice, int at, gint64 number,
                       TpArray *out_choices);
/* Work-items per group of a GPU that do not work together. */
int tp_family_get_local_size (const TpTarget *target);
const char *tp_family_find_local_fault (const TpTarget *target,
                                        gint64 local_size);

#endif
