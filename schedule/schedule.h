/* schedule.h: what the schedules share: the program under construction, and
 * the emission of a nest's expressions at a point. Private to codegen. */
#ifndef TP_SCHEDULE_SCHEDULE_H
#define TP_SCHEDULE_SCHEDULE_H

#include "schedule/program.h"

/* ---- the program under construction ------------------------------------ */

/* Memory that a nest may name as its operand: the operands of the TpLowered
 * first, then packs and workspaces as schedules add them. */
typedef struct
{
  TpArg arg;
  TpDtype dtype;
  gint64 n_elements;
} TpSource;

typedef struct
{
  const TpLowered *lowered;
  const TpTarget *target;
  TpProgram *program;
  gint64 n_iterations;        /* of what is being scheduled */
  GArray *sources;            /* TpSource */
  GString *text;              /* of TpProgram.schedule */
} TpBuild;

/* Both return the number of the new source. */
int tp_build_add_workspace (TpBuild *build, TpDtype dtype, gint64 n_elements);
int tp_build_add_pack (TpBuild *build, int operand, gint64 n_elements,
                       TpNest *nest);
gint64 tp_build_get_elements (const TpBuild *build, int source);
gboolean tp_build_is_constant (const TpBuild *build, int source);
void tp_build_describe (TpBuild *build, const char *format, ...)
    G_GNUC_PRINTF (2, 3);

/* Constants of float32 that vectors along @axis cannot read in @nest become
 * packed copies with that axis innermost. */
void tp_build_pack_constants (TpBuild *build, TpNest *nest, int axis);

/* Schedules a nest by the best family; used for the nests of the
 * program and for the copies that other schedules ask for. */
void tp_schedule_nest (TpBuild *build, const TpNest *nest);

/* The families. FALSE: not for this nest; the build is unchanged. */
gboolean tp_schedule_contract (TpBuild *build, const TpNest *nest);
gboolean tp_schedule_contract_gpu (TpBuild *build, const TpNest *nest);
gboolean tp_schedule_reduce (TpBuild *build, const TpNest *nest);
gboolean tp_schedule_window (TpBuild *build, const TpNest *nest);
/* Canonical nests without stages that do not depend on each other, in as few
 * kernels as are sensible: many small copies cost mostly their compilation. */
void tp_schedule_maps (TpBuild *build, TpNest *const *nests, int n);

/* ---- nests ------------------------------------------------------------- */

/* The same computation with as few axes as possible: axes of one point and
 * guards that always hold are dropped, axes that every access walks as one are
 * merged, stages over nothing are inlined. */
TpNest *tp_nest_canonicalize (const TpNest *nest);
/* Per load: is it used by the stages or the result? Caller frees. */
gboolean *tp_nest_find_used_loads (const TpNest *nest);
/* Per load: is it used by expression @root? Caller frees. */
gboolean *tp_nest_find_loads_of (const TpNest *nest, int root);
/* Does the index of @access depend on @axis? */
gboolean tp_nest_index_walks (const TpNest *nest, const TpAccess *access,
                              int axis);
/* The value @expr, a real, takes where guards fail: FALSE when it is not a constant, or
 * when its guarded loads differ in their guards. */
gboolean tp_nest_find_outside (const TpNest *nest, int expr, double *out_value);
/* Splits @axis into (outer, inner of @extent points), which replaces it; the
 * outer becomes the last axis. @extent divides. */
int tp_nest_split_axis (TpNest *nest, int axis, gint64 extent);

/* ---- emission ---------------------------------------------------------- */

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
  GArray *args;               /* TpArg */
  int *load_buffers;          /* kernel buffer per load; -1: unused */
  int store_buffer;
  int lanes;
  int vaxis;                  /* axis the lanes run along, or -1 */
  int active;                 /* lanes in use, the first ones */
  gboolean assume_inside;     /* guards hold here, by the loop bounds */
  gboolean is_shared;         /* several nests, each with groups of its own */
  TpPosition axes[TP_NEST_MAX_AXES];
  TpValue *stages;            /* value per stage, of 1 or @lanes lanes */
  GHashTable *loaded;         /* loads of the open region */
} TpEmit;

TpEmit *tp_emit_new (TpBuild *build, const TpNest *nest);
GHashTable *tp_emit_new_loaded (void);
void tp_emit_free (TpEmit *emit);
/* Turns to another nest; no region may be open. */
void tp_emit_set_nest (TpEmit *emit, const TpNest *nest);
/* Claims @n_groups for what follows; returns which of them this is. Close with
 * tp_emit_end_groups(). */
TpValue tp_emit_begin_groups (TpEmit *emit, gint64 n_groups);
void tp_emit_end_groups (TpEmit *emit);
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

TpValue tp_emit_expr (TpEmit *emit, int expr);
/* The value of a load, or (@is_inside) 1.0 where its guards hold, else 0.0. */
TpValue tp_emit_load (TpEmit *emit, int load, gboolean is_inside);
void tp_emit_store (TpEmit *emit, TpValue value);
/* Address of an access at the current point. */
TpValue tp_emit_index (TpEmit *emit, const TpAccess *access);
/* Mask of the first @active lanes; -1 when all are. */
TpValue tp_emit_mask (TpEmit *emit);
gboolean tp_emit_guard_holds (const TpEmit *emit, const TpGuard *guard);
gboolean tp_emit_guard_fails (const TpEmit *emit, const TpGuard *guard);
TpValue tp_emit_guard_value (TpEmit *emit, const TpGuard *guard);

/* Regions; use these rather than tp_k_for (), so that loads are not reused
 * where they do not reach. */
TpValue tp_emit_for (TpEmit *emit, TpValue first, TpValue end, gint64 step);
TpValue tp_emit_for_const (TpEmit *emit, gint64 first, gint64 end, gint64 step);
void tp_emit_end_for (TpEmit *emit, const TpValue *next, int n,
                      TpValue *out_finals);
void tp_emit_if (TpEmit *emit, TpValue condition);
void tp_emit_end_if (TpEmit *emit);

/* Scalar INDEX arithmetic. */
TpValue tp_emit_add (TpEmit *emit, TpValue a, TpValue b);
TpValue tp_emit_add_const (TpEmit *emit, TpValue a, gint64 b);
TpValue tp_emit_mul_const (TpEmit *emit, TpValue a, gint64 b);
TpValue tp_emit_min_const (TpEmit *emit, TpValue a, gint64 b);
TpValue tp_emit_max_const (TpEmit *emit, TpValue a, gint64 b);
/* Real expressions are F32 values, integer ones INDEX. */
TpValue tp_emit_integer (TpEmit *emit, gint64 value, int lanes);
/* What a combiner starts from, of the class of @expr and as many lanes as now. */
TpValue tp_emit_identity (TpEmit *emit, TpCombiner combiner, int expr);
double tp_combiner_identity (TpCombiner combiner); /* of reals */
TpValue tp_emit_combine (TpEmit *emit, TpCombiner combiner, TpValue a,
                         TpValue b);
/* acc combined with @expr; a product is fused into a sum. */
TpValue tp_emit_accumulate (TpEmit *emit, TpCombiner combiner, TpValue acc,
                            int expr);

/* ---- grids (grid.c) ---------------------------------------------------- */

/* How the spatial points are spread over groups and loops. */
typedef struct
{
  int n;
  int order[TP_NEST_MAX_AXES];/* outer to inner; the vector axis is last */
  int vaxis;                  /* -1: none */
  int lanes;
  int unroll;                 /* vectors per step along vaxis; 1 or more */
  int tile_axis;              /* -1: none; else before vaxis */
  int tile;                   /* points of tile_axis per step; at most as many
                               * lie before tile_lo, or after tile_hi */
  gint64 tile_lo, tile_hi;    /* where guards hold for the whole window */
  gint64 group_points;        /* per group, about */
} TpGrid;

/* Emits the computation of @tile x @vectors x lanes points at the current
 * position: deltas 0..tile-1 along the tile axis, and multiples of lanes. */
typedef void (*TpBodyFunc) (TpEmit *emit, int tile, int vectors, void *data);

void tp_grid_init (TpGrid *grid, const TpNest *nest);
void tp_grid_emit (const TpGrid *grid, TpEmit *emit, TpBodyFunc body,
                   void *data);

#endif
