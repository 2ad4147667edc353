/* nest.h: loop nests: what a kernel computes, with no word on how.
 *
 * A nest runs over axes, spatial ones and reduce ones. It has stages, each
 * a reduction of an expression over all reduce axes, and a result expression
 * that is stored. Later expressions may use the values of earlier stages.
 *
 *   matmul    stage 0: sum (load a * load b)         store: stage 0
 *   + relu                                           store: max (stage 0, 0)
 *   softmax   stage 0: max (x)
 *             stage 1: sum (exp (x - stage 0))
 *             store over the reduce axes too: exp (x - stage 0) / stage 1
 *
 * All indices are affine: offset + sum stride[axis] * axis, in elements, so a
 * layout is nothing but strides. A guard makes a load conditional (padding).
 * Fusion composes nests; it is an argument to a schedule, not a new kernel. */
#ifndef TP_IR_NEST_H
#define TP_IR_NEST_H

#include "ir/types.h"

#define TP_NEST_MAX_AXES 12
#define TP_NEST_MAX_GUARDS 6

typedef struct
{
  gint64 extent;
  gboolean is_reduce;
} TpAxis;

/* Holds when 0 <= offset + sum coef[axis] * axis < extent. */
typedef struct
{
  gint64 coef[TP_NEST_MAX_AXES];
  gint64 offset;
  gint64 extent;
} TpGuard;

typedef struct
{
  int operand;                /* index into TpLowered.operands */
  gint64 stride[TP_NEST_MAX_AXES];
  gint64 offset;
  int n_guards;               /* loads only; all must hold, else @fill */
  TpGuard guards[TP_NEST_MAX_GUARDS];
  double fill;
} TpAccess;

typedef enum
{
  TP_EXPR_CONST,   /* value */
  TP_EXPR_LOAD,    /* index: load */
  TP_EXPR_STAGE,   /* index: stage, earlier than the user */
  TP_EXPR_INSIDE,  /* index: load; 1.0 where its guards hold, else 0.0 */
  TP_EXPR_ADD,
  TP_EXPR_SUB,
  TP_EXPR_MUL,
  TP_EXPR_DIV,
  TP_EXPR_MIN,
  TP_EXPR_MAX,
  TP_EXPR_POW,
  TP_EXPR_NEG,
  TP_EXPR_ABS,
  TP_EXPR_EXP,
  TP_EXPR_LOG,
  TP_EXPR_TANH,
  TP_EXPR_ERF,
  TP_EXPR_SIGMOID,
  TP_EXPR_SQRT,
  TP_EXPR_FLOOR,
  TP_EXPR_LESS,    /* 1.0 or 0.0 */
  TP_EXPR_EQUAL,
  TP_EXPR_SELECT,  /* a != 0 ? b : c */
  TP_N_EXPR_OPS
} TpExprOp;

/* a, b, c are earlier expressions of the same nest. MIN and MAX give the second
 * operand when the first is NaN or equal, as the hardware does. */
typedef struct
{
  TpExprOp op;
  int a, b, c;
  int index;
  double value;
} TpExpr;

typedef enum
{
  TP_COMBINE_SUM,
  TP_COMBINE_MAX,
  TP_COMBINE_MIN,
  TP_COMBINE_PROD,
} TpCombiner;

typedef struct
{
  TpCombiner combiner;
  int expr;
} TpStage;

typedef struct
{
  int n_axes;
  TpAxis axes[TP_NEST_MAX_AXES];
  int n_loads;
  TpAccess *loads;
  int n_exprs;
  TpExpr *exprs;
  int n_stages;
  TpStage *stages;
  int result;                 /* expression stored */
  TpAccess store;             /* a reduce axis with a non-zero stride here: the
                               * result is computed for each of its points */
} TpNest;

typedef struct
{
  int tensor;                 /* in the graph; -1 in nests made by hand */
  TpDtype dtype;
  gint64 n_elements;          /* of storage */
  gboolean is_constant;
  gboolean is_output;
} TpOperand;

/* What some nodes compute: nests run one after the other. */
typedef struct
{
  int n_operands;
  TpOperand *operands;
  int n_nests;
  TpNest **nests;
} TpLowered;

typedef struct
{
  gint64 flops;               /* every arithmetic expression counts 1 */
  gint64 read_bytes;          /* each operand once */
  gint64 written_bytes;
  gint64 constant_bytes;      /* part of read_bytes that is constant */
  gint64 n_points;            /* spatial points: how parallel it is */
} TpWork;

int tp_expr_arity (TpExprOp op);             /* 0 for leaves */
const char *tp_expr_get_name (TpExprOp op);  /* "mul", ... */
/* The value of an operation on values; leaves have none. */
double tp_expr_apply (TpExprOp op, double a, double b, double c);

TpNest *tp_nest_new (void);
void tp_nest_free (TpNest *nest);
TpNest *tp_nest_copy (const TpNest *nest);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (TpNest, tp_nest_free)

int tp_nest_add_axis (TpNest *nest, gint64 extent, gboolean is_reduce);
/* Returns the load with zero strides, to be filled in; valid until the next. */
TpAccess *tp_nest_add_load (TpNest *nest, int operand);
int tp_nest_add_stage (TpNest *nest, TpCombiner combiner, int expr);
/* Builders of expressions return the new index; equal ones are shared. */
int tp_nest_const (TpNest *nest, double value);
int tp_nest_load (TpNest *nest, int load);
int tp_nest_inside (TpNest *nest, int load);
int tp_nest_stage (TpNest *nest, int stage);
int tp_nest_unary (TpNest *nest, TpExprOp op, int a);
int tp_nest_binary (TpNest *nest, TpExprOp op, int a, int b);
int tp_nest_select (TpNest *nest, int a, int b, int c);

/* Sets @used[i] for @expr and all it is made of; leaves the others alone. */
void tp_nest_mark_used (const TpNest *nest, int expr, gboolean *used);
/* Whether the result is stored for each point of the reduce axes (softmax). */
gboolean tp_nest_covers_reduce (const TpNest *nest);

TpLowered *tp_lowered_new (void);
void tp_lowered_free (TpLowered *lowered);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (TpLowered, tp_lowered_free)
int tp_lowered_add_operand (TpLowered *lowered, const TpOperand *operand);
void tp_lowered_take_nest (TpLowered *lowered, TpNest *nest);

/* Every index within its operand, expressions in order, stages in order. */
gboolean tp_lowered_check (const TpLowered *lowered, GError **error);

/* Composes: @consumer is a map (no reduce axis) whose load of @operand reads
 * what @producer stores (all of it, or a part when an op has several nests).
 * Returns one nest that writes @consumer's output and never @operand; NULL when
 * they do not line up. Both number their operands by the same TpLowered. */
TpNest *tp_nest_fuse (const TpNest *producer, const TpNest *consumer,
                      int operand);

/* The other way round: @producer, a map, is computed where @consumer (of any
 * kind) loads @operand. Where guards of that load fail its fill is taken, as
 * before. NULL when they do not line up. */
TpNest *tp_nest_fuse_prologue (const TpNest *producer, const TpNest *consumer,
                               int operand);

/* Canonical text: equal text, equal computation. Part of the cost table's key. */
char *tp_lowered_to_text (const TpLowered *lowered);
void tp_lowered_count_work (const TpLowered *lowered, TpWork *out_work);

/* Runs nests in double by plain loops over buffers of doubles, one per operand:
 * the oracle for schedules and emitters. */
void tp_lowered_eval (const TpLowered *lowered, double *const *operands);

#endif
