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
 * Indices are affine: offset + sum stride[axis] * axis, in elements, so a
 * layout is nothing but strides. An access may add index_stride times the value of
 * an integer expression (Gather, CacheUpdate). A guard makes a load conditional (padding).
 * Fusion composes nests; it is an argument to a schedule, not a new kernel.
 *
 * An expression is of one of three classes, as TpDtypeCompute has them: single
 * (float32 on devices), double (float64), or integer (int64, exact); arithmetic
 * and comparisons keep to one. What memory holds is the dtype of the access:
 * float32, float16 and bfloat16 are single, float64 is double, bool and what has
 * int in its name are integer. A store converts nothing: singles are rounded,
 * integers wrap to the width, bool takes x != 0. What is fused is not stored, so
 * not rounded: no value of narrow reals may depend on that. A double that becomes
 * single is rounded, wherever that is. */
#ifndef TP_NEST_NEST_H
#define TP_NEST_NEST_H

#include "ir/types.h"

typedef struct TpNest TpNest;
typedef struct TpLowered TpLowered;

#define TP_NEST_MAX_AXES 12
#define TP_NEST_MAX_GUARDS 6

typedef struct
{
  gint64 extent;
  gboolean is_reduce;
  gboolean is_rank;           /* spatial; how many come before: PLACE */
} TpAxis;

/* Holds when 0 <= offset + sum coef[axis] * axis < extent. */
typedef struct
{
  gint64 coef[TP_NEST_MAX_AXES];
  gint64 offset;
  gint64 extent;
} TpGuard;

/* Address: offset + sum stride[axis] * axis + step * iteration, and with an index
 * also index_stride * (i < 0 ? i + index_extent : i) where i is the value of
 * expression @index; outside of 0..index_extent-1 a load gives @fill, and nothing
 * is stored. Of several points that an index stores in one place any may be last. */
typedef struct
{
  int operand;                /* index into TpLowered.operands */
  TpDtype dtype;              /* the operand's */
  gint64 stride[TP_NEST_MAX_AXES];
  gint64 offset;
  gint64 step;                /* elements per iteration of the TpLowered */
  int index;                  /* an integer expression made before a load is used,
                               * without stages; a store has one only where the
                               * nest has no stages; -1: none */
  gint64 index_stride;
  gint64 index_extent;
  int n_guards;               /* loads only; all must hold, else @fill */
  TpGuard guards[TP_NEST_MAX_GUARDS];
  double fill;                /* as tp_real_to_integer() for integers */
} TpAccess;

typedef enum
{
  TP_EXPR_CONST,   /* value */
  TP_EXPR_LOAD,    /* index: load */
  TP_EXPR_STAGE,   /* index: stage, earlier than the user */
  TP_EXPR_INSIDE,  /* index: load; 1.0 where its guards hold, else 0.0: single */
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
  TP_EXPR_SIN,
  TP_EXPR_COS,
  TP_EXPR_SQRT,
  TP_EXPR_FLOOR,
  TP_EXPR_ROUND,      /* half to even */
  TP_EXPR_MOD,        /* remainder with the sign of the divisor */
  TP_EXPR_LESS,       /* 1 or 0, of the class of its operands */
  TP_EXPR_EQUAL,
  TP_EXPR_AND,        /* of the bits of integers */
  TP_EXPR_SELECT,     /* a != 0 ? b : c; a of either class */
  TP_EXPR_IS_NAN,     /* of a real: 1.0 or 0.0 of its class */
  TP_EXPR_TO_REAL,    /* of another class: single, or double where @is_double */
  TP_EXPR_TO_INTEGER, /* of a real, towards zero; on devices undefined where it
                       * does not fit */
  TP_EXPR_ORDER,      /* of a double: an integer, in the order of these */
  TP_N_EXPR_OPS
} TpExprOp;

/* a, b, c are earlier expressions of the same nest. MIN and MAX give the second
 * operand when the first is NaN or equal, as the hardware does. DIV of integers
 * truncates; DIV and MOD of them by 0 give 0; sums and products wrap. */
typedef struct
{
  TpExprOp op;
  int a, b, c;
  int index;
  gboolean is_integer;        /* class of the value */
  gboolean is_double;         /* a real of float64; neither: single */
  double value;               /* CONST of a real */
  gint64 integer;             /* CONST of an integer */
} TpExpr;

/* A value of an expression, of its class. */
typedef union
{
  double real;
  gint64 integer;
} TpScalar;

/* MAX and MIN pass over NaN; of nothing else they give an infinity. PLACE is an order
 * statistic: where along the one reduce axis that stands which has as many before it
 * as the rank axis says (0 without one), the greatest first, of equal ones the first.
 * It is an integer, and the only stage of its nest. */
typedef enum
{
  TP_COMBINE_SUM,
  TP_COMBINE_MAX,
  TP_COMBINE_MIN,
  TP_COMBINE_PROD,
  TP_COMBINE_PLACE,
} TpCombiner;

typedef struct
{
  TpCombiner combiner;
  int expr;
  gboolean is_small;          /* of integers: no sum of some of what is summed up is
                               * above 2^24 in magnitude, so float32 has it */
} TpStage;

struct TpNest
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
};

typedef struct
{
  int tensor;                 /* in the graph; -1 in nests made by hand */
  TpDtype dtype;
  gint64 n_elements;          /* of storage */
  gboolean is_constant;
  gboolean is_output;
  gboolean is_scratch;        /* tensor -1: memory between the nests, undefined
                               * before one writes it */
  gboolean is_iota;           /* tensor -1: element i is i, of no memory; read only */
} TpOperand;

/* What some nodes compute: nests run one after the other, those from
 * @first_repeated on @n_iterations times (a recurrence: time is no axis). A nest
 * that also reads the operand it writes reads no element that it writes in the
 * same iteration, save the very one each point replaces. */
struct TpLowered
{
  int n_operands;
  TpOperand *operands;
  int n_nests;
  TpNest **nests;
  gint64 n_iterations;        /* 1: plain */
  int first_repeated;
};

typedef struct
{
  gint64 flops;               /* every arithmetic expression counts 1, integer
                               * ones too, in every iteration, for each point of
                               * the axes that it depends on */
  gint64 read_bytes;          /* each operand once; not those of scratch */
  gint64 written_bytes;
  gint64 constant_bytes;      /* part of read_bytes that is constant */
  gint64 n_points;            /* spatial points: how parallel it is */
  int n_kernels;              /* at least, of an iteration; 0: one */
  gint64 double_flops;        /* those of flops that are of float64 */
  gint64 byte_flops;          /* those of sums over what is made of integers of 8 bits,
                               * which one instruction may do four of */
} TpWork;

TpNest *tp_nest_new (void);
void tp_nest_free (TpNest *nest);
TpNest *tp_nest_copy (const TpNest *nest);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (TpNest, tp_nest_free)

int tp_nest_add_axis (TpNest *nest, gint64 extent, gboolean is_reduce);
/* Returns the load with zero strides, of float32, to be filled in (its dtype
 * before tp_nest_load()); valid until the next. */
TpAccess *tp_nest_add_load (TpNest *nest, int operand);
gboolean tp_nest_reduces (const TpNest *nest);
/* Whether it has a stage that is a PLACE. */
gboolean tp_nest_ranks (const TpNest *nest);
int tp_nest_find_rank_axis (const TpNest *nest); /* -1: none */
int tp_nest_add_stage (TpNest *nest, TpCombiner combiner, int expr);
/* Builders of expressions return the new index; equal ones are shared. A whole
 * constant takes the class of what it is combined with, and what is single that of
 * a double; all else that mixes classes is found by tp_nest_check_classes(). */
int tp_nest_const (TpNest *nest, double value); /* single */
int tp_nest_const_integer (TpNest *nest, gint64 value);
int tp_nest_load (TpNest *nest, int load);
int tp_nest_inside (TpNest *nest, int load);
int tp_nest_stage (TpNest *nest, int stage);
int tp_nest_unary (TpNest *nest, TpExprOp op, int a);
int tp_nest_binary (TpNest *nest, TpExprOp op, int a, int b);
int tp_nest_select (TpNest *nest, int a, int b, int c);
/* @expr of the class of @dtype: itself, TO_REAL or TO_INTEGER of it. A constant is
 * converted here. */
int tp_nest_convert (TpNest *nest, int expr, TpDtype dtype);

TpLowered *tp_lowered_new (void);
void tp_lowered_free (TpLowered *lowered);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (TpLowered, tp_lowered_free)
int tp_lowered_add_operand (TpLowered *lowered, const TpOperand *operand);
/* All accesses get the types of their operands, whose class is theirs already. */
void tp_lowered_set_dtypes (TpLowered *lowered);
int tp_lowered_add_scratch (TpLowered *lowered, TpDtype dtype,
                            gint64 n_elements);
/* 0 .. @n_elements - 1, as int64: what loads of it give is where they stand. */
int tp_lowered_add_iota (TpLowered *lowered, gint64 n_elements);
void tp_lowered_take_nest (TpLowered *lowered, TpNest *nest);

#endif
