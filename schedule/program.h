/* program.h: lowered nodes + target -> kernels, by the schedules. */
#ifndef TP_SCHEDULE_PROGRAM_H
#define TP_SCHEDULE_PROGRAM_H

#include "ir/array.h"
#include "ir/pointers.h"
#include "schedule/pack.h"
#include "schedule/step.h"
#include "kernel/target.h"

typedef struct
{
  int n_steps;
  TpStep *steps;
  gint64 n_iterations;        /* of the steps from first_repeated_step on, in
                               * order; those before run once */
  int first_repeated_step;
  int n_packs;
  TpPack *packs;
  int n_workspaces;
  gint64 *workspace_bytes;
  char *schedule;             /* the choices made: "contract lanes=16 ...; ...";
                               * stored beside every measurement */
} TpProgram;

/**
 * tp_program_new:
 * @schedule: (nullable): choices for the nests in the order they are scheduled,
 *   such as the schedule of an earlier program; the model makes those that it
 *   lacks
 *
 * Chooses a schedule for every nest of @lowered and builds its kernels. Pure:
 * the schedule of a program makes it again. Some family fits every nest, so
 * without @schedule only memory can fail.
 * TPLAN_ERROR_INPUT: @schedule cannot be read, or does not fit @lowered and
 * @target.
 */
TpProgram *tp_program_new (const TpLowered *lowered, const TpTarget *target,
                           const char *schedule, GError **error);
void tp_program_free (TpProgram *program);

/* The schedule that may turn out faster than the model's when both are measured;
 * NULL: none. What cannot be built has none. */
char *tp_program_find_rival (const TpLowered *lowered, const TpTarget *target);

/* Whether a program by @schedule has results with larger errors than float32 need
 * have: such are made only where they are given, and given only to those who asked
 * for them. FALSE also where it cannot be read. */
gboolean tp_program_is_relaxed (const char *schedule);
/* Whether it is none, but what it computes may have one. */
gboolean tp_program_may_relax (const char *schedule);
/* The fastest of them, by the model, which does not tell whether it is faster than
 * others; NULL: there is none. */
char *tp_program_find_relaxed (const TpLowered *lowered,
                               const TpTarget *target);

/* Schedules worth measuring, @most at most, each another: the model's first, then
 * its rival where there is one, with @is_relaxed the one with larger errors where there
 * is one, then what departs from any of these in the nest that is
 * the most work, as tp_family_rank () has it. @out_regrets: (nullable) of double:
 * of each, how much slower the model takes it to be than what it departs from, in
 * parts of that; a rival's is 0, as the model's own: only measuring tells them
 * apart. Pure. (owned) char *; none: it cannot be built. */
TpPointers *tp_program_list_candidates (const TpLowered *lowered,
                                        const TpTarget *target, int most,
                                        gboolean is_relaxed,
                                        TpArray *out_regrets);
/* All choices that there are for the nest that is the most work, where these depart
 * from each other: of the model's family and, where there is one, of its rival. 0: it
 * cannot be built. */
gint64 tp_program_count_choices (const TpLowered *lowered,
                                 const TpTarget *target);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (TpProgram, tp_program_free)

/* Digest of the codegen sources this library was built from: part of the cost
 * table's key, so that figures of other kernels are never used. */
const char *tp_codegen_get_id (void);

#endif
