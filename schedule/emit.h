/* emit.h: a kernel being emitted: buffers, groups, positions and regions. */
#ifndef TP_SCHEDULE_EMIT_H
#define TP_SCHEDULE_EMIT_H

#include "ir/map.h"
#include "schedule/build.h"

/* Where an axis is: pos + delta; pos lies in [lo, hi]. */
typedef struct
{
  TpValue pos;                /* INDEX; -1: 0 */
  gint64 lo, hi;
  gint64 delta;
} TpPosition;

typedef struct
{
  TpBuild *build;
  const TpNest *nest;         /* (unowned) */
  TpKernel *kernel;
  TpArray *args;               /* TpArg */
  int *load_buffers;          /* kernel buffer per load; -1: unused */
  int store_buffer;
  TpValue iteration;          /* of those the kernel runs itself; -1: of those it is
                               * run in */
  gboolean has_iterations;    /* it does */
  int local_source;           /* of the build, but scratch of the group; or -1 */
  int local_buffer;
  int lanes;
  int vaxis;                  /* axis the lanes run along, or -1 */
  int active;                 /* lanes in use, the first ones */
  const TpGuard *const *held; /* (unowned) guards that hold here by the bounds of
                               * loops, and those equal to them */
  int n_held;
  gboolean is_shared;         /* several nests, each with groups of its own */
  TpPosition axes[TP_NEST_MAX_AXES];
  TpValue n_before;           /* points of this item's tile, the first ones, that the
                               * item before has too; -1: none */
  TpValue *stages;            /* value per stage, of 1 or @lanes lanes */
  TpValue *known;             /* (nullable) values per expression that hold here,
                               * or -1 */
  TpMap *loaded;              /* loads of the open region */
  TpArray *turns;             /* int: bounds of tp_kernel_interleave() */
  int n_turns;                /* chains of its last group, if that is open */
} TpEmit;

TpEmit *tp_emit_new (TpBuild *build, const TpNest *nest);
void tp_emit_free (TpEmit *emit);
/* For @n nests, all of them run by each group, one after the other: what they have
 * in source @local, @n_elements, is scratch of the group. */
TpEmit *tp_emit_new_joint (TpBuild *build, TpNest *const *nests, int n,
                           int local, gint64 n_elements);
/* Turns to another nest; no region may be open. */
void tp_emit_set_nest (TpEmit *emit, const TpNest *nest);
/* Claims @n_groups for what follows; returns which of them this is. Close with
 * tp_emit_end_groups(). */
TpValue tp_emit_begin_groups (TpEmit *emit, gint64 n_groups);
void tp_emit_end_groups (TpEmit *emit);
/* What follows is repeated, if the kernel is to run iterations itself: within its
 * groups, since no point wants another. */
void tp_emit_begin_iterations (TpEmit *emit);
void tp_emit_end_iterations (TpEmit *emit);
/* The lowest digit, to the base of @extent, of what group this is; @rest has the
 * others then. There are @extent times as many groups. */
TpValue tp_emit_take_digit (TpEmit *emit, TpValue *rest, gint64 extent);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (TpEmit, tp_emit_free)
/* Hands the kernel to the program as its next step; who compiles it verifies
 * it. */
void tp_emit_finish (TpEmit *emit, const char *family);

/* Puts @axis at @pos, which is known to lie in [@lo, @hi]; delta becomes 0. */
void tp_emit_set_axis (TpEmit *emit, int axis, TpValue pos, gint64 lo,
                       gint64 hi);
void tp_emit_clear_axis (TpEmit *emit, int axis);
/* Lanes along @axis; @active of @lanes in use. */
void tp_emit_set_lanes (TpEmit *emit, int axis, int lanes, int active);

/* Regions; use these rather than tp_k_for (), so that loads are not reused
 * where they do not reach. */
TpValue tp_emit_for (TpEmit *emit, TpValue first, TpValue end, gint64 step);
TpValue tp_emit_for_const (TpEmit *emit, gint64 first, gint64 end, gint64 step);
void tp_emit_end_for (TpEmit *emit, const TpValue *next, int n,
                      TpValue *out_finals);
void tp_emit_if (TpEmit *emit, TpValue condition);
void tp_emit_end_if (TpEmit *emit);

/* What follows, up to the next call, takes turns with what that call begins: @expr
 * at points that do not depend on each other. Nothing, unless it takes long and
 * there are registers for several. */
void tp_emit_begin_turn (TpEmit *emit, int expr);
void tp_emit_end_turns (TpEmit *emit);

/* An INDEX, the same in all lanes. */
TpValue tp_emit_integer (TpEmit *emit, gint64 value, int lanes);
/* Scalar INDEX arithmetic. */
TpValue tp_emit_add (TpEmit *emit, TpValue a, TpValue b);
TpValue tp_emit_add_const (TpEmit *emit, TpValue a, gint64 b);
TpValue tp_emit_mul_const (TpEmit *emit, TpValue a, gint64 b);
TpValue tp_emit_min_const (TpEmit *emit, TpValue a, gint64 b);
TpValue tp_emit_max_const (TpEmit *emit, TpValue a, gint64 b);
/* Whether @value is known; *@out is then what it is. */
gboolean tp_emit_is_const (const TpEmit *emit, TpValue value, gint64 *out);

#endif
