/* build.h: a program under construction: what the families add to. */
#ifndef TP_SCHEDULE_BUILD_H
#define TP_SCHEDULE_BUILD_H

#include "schedule/choice.h"
#include "schedule/pack.h"
#include "schedule/step.h"
#include "kernel/target.h"

/* Memory that a nest may name as its operand: the operands of the TpLowered
 * first, then packs and workspaces as schedules add them. */
typedef struct
{
  TpArg arg;
  TpDtype dtype;
  gint64 n_elements;
} TpSource;

typedef struct TpBuild TpBuild;
typedef void (*TpBuildNestFunc) (TpBuild *build, TpNest *nest);
typedef void (*TpBuildNestsFunc) (TpBuild *build, TpNest *const *nests, int n);

struct TpBuild
{
  const TpLowered *lowered;
  const TpTarget *target;
  gint64 n_iterations;        /* of what is being scheduled */
  gint64 n_own_iterations;    /* that each kernel runs itself, one after the other */
  TpArray *sources;            /* TpSource */
  TpArray *steps;              /* TpStep */
  TpArray *packs;              /* TpPack */
  TpArray *workspaces;         /* gint64: bytes */
  TpArray *choices;            /* TpChoice, in the order they were made */
  const TpArray *given;        /* (nullable) TpChoice: what the first ones shall
                               * be */
  gboolean is_rival;          /* what is close goes the other way */
  gboolean is_relaxed;        /* where there is a choice with larger errors, it is
                               * made */
  int n_ranked_max;           /* choices to rank for what is most work; 0: none */
  int ranked_at;              /* which choice those are for */
  gint64 ranked_work;
  TpArray *ranked;             /* (nullable) TpRanked */
  gboolean is_counting;       /* all choices for what is ranked */
  gint64 n_choices;
  TpBuildNestFunc schedule;   /* for nests that a schedule needs done first */
  TpBuildNestsFunc schedule_several; /* for some, which a family may take together */
  GError *error;              /* the first fault of those given */
};

void tp_build_init (TpBuild *build, const TpLowered *lowered,
                    const TpTarget *target);
void tp_build_clear (TpBuild *build);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (TpBuild, tp_build_clear)
/* Whether the next choice is: nobody asks what it is better than. */
gboolean tp_build_is_given (const TpBuild *build);
/* @args: TpArg, one per global buffer of @kernel. */
void tp_build_take_step (TpBuild *build, TpKernel *kernel, const TpArray *args);

/* All return the number of the new source. */
int tp_build_add_workspace (TpBuild *build, TpDtype dtype, gint64 n_elements);
int tp_build_add_pack (TpBuild *build, int operand, gint64 n_elements,
                       TpNest *nest, const TpPackSquare *square); /* or NULL */
int tp_build_add_dots (TpBuild *build, int operand, gint64 n_elements,
                       TpNest *nest, const TpPackDots *dots);
gint64 tp_build_get_elements (const TpBuild *build, int source);
gboolean tp_build_is_constant (const TpBuild *build, int source);
/* Of no memory: element i is i. */
gboolean tp_build_is_iota (const TpBuild *build, int source);

/* Constants of reals, or of bytes, that vectors along @axis cannot read in @nest become
 * packed copies with that axis innermost. */
void tp_build_pack_constants (TpBuild *build, TpNest *nest, int axis);
/* The strides that would give @nest, without the copies. */
void tp_build_turn_constants (const TpBuild *build, TpNest *nest, int axis);

#endif
