/* op.h: the op table. One record per op; there is no op enum, so that nobody
 * can switch on it. Devices see nests, never ops. */
#ifndef TP_IR_OP_H
#define TP_IR_OP_H

#include "ir/graph.h"

typedef struct TpNest TpNest;
typedef struct TpLowered TpLowered;

#define TP_VARIADIC (-1)

typedef enum
{
  TP_OP_MAP,      /* elementwise with broadcasting */
  TP_OP_REDUCE,
  TP_OP_CONTRACT,
  TP_OP_WINDOW,
  TP_OP_MOVE,     /* copies elements elsewhere */
  TP_OP_VIEW,     /* same bytes, another shape: costs nothing */
  TP_OP_RECURRENT, /* steps that follow each other: never fused */
  TP_OP_OPAQUE,   /* known by its cost only */
} TpOpKind;

typedef struct
{
  const char *name;
  TpAttrKind kind;
  gboolean is_required;
} TpAttrSpec;

typedef struct
{
  TpDtype dtype;
  int rank;
  gint64 dims[TP_MAX_RANK];
} TpShape;

/* A tensor of doubles, dense row-major, for references; of integers for
 * map_integer() and reference_integer(). */
typedef struct
{
  TpDtype dtype;
  int rank;
  gint64 dims[TP_MAX_RANK];
  gint64 count;
  double *data;
  gint64 *integers;           /* NULL: its values are in @data */
} TpRefTensor;

#define TP_MOVES(i) (1u << (i))
#define TP_MOVES_ALL G_MAXUINT
#define TP_PRODUCT(...) &(const guint[]){ __VA_ARGS__, 0 }[0]
#define TP_PRODUCT_ALL G_MAXUINT
#define TP_MAX_FACTORS 8

typedef enum
{
  TP_RANKS_NONE,
  TP_RANKS_ASKED,     /* only which elements of input 0 are less than others */
  TP_RANKS_TAKEN,     /* the same, and output 0 is of such elements */
} TpRanks;

typedef enum
{
  TP_DOMAIN_ANY,      /* about normal(0, 1) */
  TP_DOMAIN_POSITIVE, /* above 0.1 */
  TP_DOMAIN_INDEX,    /* input 1 picks from input 0, along the attribute axis if
                       * the op has it */
} TpDomain;

/* What code outside of an op's file wants to know of it, besides its kind. */
typedef enum
{
  TP_OP_IDENTITY = 1 << 0,    /* output 0 is input 0; others are for training */
  TP_OP_COPIES = 1 << 1,      /* a MAP that computes nothing, like a MOVE */
  TP_OP_READS_SHAPE = 1 << 2, /* of its input, and no element of it */
  TP_OP_HOLDS_BOUNDS = 1 << 3, /* inputs from 1 on are positions, held to the
                                * extents: those past 2^53 may be rounded */
  TP_OP_CHANNELS_LAST = 1 << 4, /* faster where channels vary fastest */
  TP_OP_TURNS = 1 << 5,       /* a dimension comes out at another place: layout
                               * does not go through */
  TP_OP_ANY_STRIDES = 1 << 6, /* reads and stores them all at one speed */
  TP_OP_LAYOUT = 1 << 7,      /* of graphs whose layout is assigned */
  TP_OP_STREAMS = 1 << 8,     /* a VIEW whose bytes are not kept where it is read,
                               * but sent there in every run */
  TP_OP_JOINS = 1 << 9,       /* puts all inputs together, and does nothing else */
  TP_OP_CUTS = 1 << 10,       /* takes input 0 apart into its outputs, likewise */
  TP_OP_FITTED = 1 << 11,     /* its nests are polynomials: right to float32 */
  TP_OP_OF_BYTES = 1 << 12,   /* a CONTRACT of integers of 8 bits */
  TP_OP_DEQUANTIZES = 1 << 13, /* makes reals of integers, by a scale */
  TP_OP_SAMPLES = 1 << 14,    /* inputs from 1 on say where input 0 is looked at: they
                               * have no channels */
  TP_OP_NAMED = 1 << 15,      /* what it makes depends on the name of its node */
  TP_OP_OF_BITS = 1 << 16,    /* of the bits that memory has, whatever they mean: its
                               * reference takes and gives elements of any class */
} TpOpFlags;

struct TpOp
{
  const char *name;           /* ONNX's; in graphs and plans; never changes */
  TpOpKind kind;
  int n_inputs_min;
  int n_inputs_max;           /* TP_VARIADIC: no bound */
  int n_outputs_max;
  const TpAttrSpec *attrs;    /* NULL name ends; both readers obey them */
  TpDomain domain;            /* range of random inputs in tests */
  double tolerance;           /* largest relative error a device may show */
  TpOpFlags flags;
  const void *data;           /* in what it differs from others of its family,
                               * whose functions know the type of this */

  /* Output types and shapes. Inputs left out are NULL. A constant input's value
   * may be read (Reshape). Purely a function of its arguments. */
  gboolean (*infer) (const TpNode *node, const TpTensor *const *inputs,
                     TpShape *outputs, GError **error);

  /* Appends the nests that compute the node, reading strides from the tensors;
   * several outputs, scratch and iterations as nest.h has them. Classes that do
   * not go together are refused after it. FALSE with TPLAN_ERROR_UNSUPPORTED:
   * only `ref` can run this case. NULL for VIEW and OPAQUE. */
  gboolean (*lower) (const TpGraph *graph, const TpNode *node,
                     TpLowered *lowered, GError **error);

  /* The meaning of the op; plain C in double; never fast. Written apart from
   * lower(), so that each checks the other. */
  void (*reference) (const TpNode *node, const TpRefTensor *const *inputs,
                     TpRefTensor *outputs);

  /* Elementwise ops need no more than these two, which tp_lower_map () and
   * tp_reference_map () carry over the elements: an expression of the inputs
   * (-1: left out), and its value. NULL for all others. */
  int (*map_expr) (const TpNode *node, TpNest *nest, const int *x);
  double (*map_value) (const TpNode *node, const double *x);

  /* Its value where all inputs are integers, before it wraps to the width of
   * the output. NULL: map_value() has to do, which is exact up to 2^53. */
  gint64 (*map_integer) (const TpNode *node, const gint64 *x);

  /* The same of an op that is not elementwise, all whose inputs and outputs are
   * integers then: it wraps what it writes. NULL: reference() has to do. */
  void (*reference_integer) (const TpNode *node,
                             const TpRefTensor *const *inputs,
                             TpRefTensor *outputs);

  /* One bit for each input whose elements come out as they went in: so
   * `ref` moves any integer exactly. TP_MOVES_ALL: every input. */
  guint moves;

  /* It is a sum of sums of products of elements, each of one of the inputs that
   * these masks (of TP_MOVES) name, ended by 0, and of whole numbers that it has as
   * attributes; TP_PRODUCT_ALL: of every input. So `ref` is exact with reference()
   * alone. NULL: it is none. */
  const guint *products;

  /* How many products it sums up, of a CONTRACT whose shapes tell; G_MAXINT64: more than
   * can be counted. NULL: it may do any work. */
  gint64 (*count_products) (const TpNode *node, const TpTensor *const *inputs,
                            const TpTensor *output);
  TpRanks ranks;              /* and so of what only compares */

  /* Elementwise ops: the dimension of the output that dimension 0 of input @i
   * meets. NULL: the last dimensions meet. */
  int (*align) (const TpNode *node, int i, int rank, int out_rank);
};

#endif
