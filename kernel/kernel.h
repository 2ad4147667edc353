/* kernel.h: kernel IR: how a nest is computed, for one device.
 *
 * A kernel is a structured SSA program run once per work-group (and, where
 * local_size > 1, once per work-item of it). It is built by schedules, checked
 * by a verifier, and read by three back ends: the LLVM emitter, the OpenCL C
 * printer and the interpreter. None of them knows an op.
 *
 * Values are named by index. A value has a kind and a number of lanes (1, 4, 8
 * or 16). Control flow is loops and ifs; instructions between FOR and END_FOR
 * are the body. */
#ifndef TP_KERNEL_KERNEL_H
#define TP_KERNEL_KERNEL_H

#include "ir/types.h"

typedef int TpValue;          /* index of an instruction; -1: none */

typedef enum
{
  TP_KIND_VOID,
  TP_KIND_INDEX,  /* int64: addresses, counters and integer data */
  TP_KIND_I32,
  TP_KIND_F32,
  TP_KIND_F64,
  TP_KIND_MASK,   /* one truth value per lane */
} TpKind;

typedef enum
{
  /* leaves */
  TP_I_CONST_INDEX, /* imm */
  TP_I_CONST_I32,   /* imm, splat */
  TP_I_CONST_F32,   /* fimm, splat */
  TP_I_CONST_F64,   /* imm: its bits, splat */
  TP_I_GROUP,       /* index of the work-group: INDEX */
  TP_I_ITEM,        /* index of the work-item in its group: INDEX */
  TP_I_ITERATION,   /* how often the kernel was run before: INDEX */
  TP_I_IOTA,        /* I32 lanes 0, 1, 2, ... */
  /* INDEX and I32 arithmetic, which wraps; INDEX division truncates, x / 0 and
   * x % 0 are 0; that of I32 is of non-negatives by positives */
  TP_I_IADD,
  TP_I_ISUB,
  TP_I_IMUL,
  TP_I_IDIV,
  TP_I_IMOD,
  TP_I_IMIN,
  TP_I_IMAX,
  TP_I_ISHL,        /* I32 */
  TP_I_ISHR,        /* I32; zeros come in */
  TP_I_IAND,
  TP_I_IXOR,
  TP_I_DOT4,        /* I32: c and the products of four bytes of a, unsigned, and of
                     * b, signed; wraps */
  TP_I_ILESS,       /* MASK */
  TP_I_IEQUAL,      /* MASK */
  TP_I_INDEX_TO_I32, /* wraps */
  TP_I_I32_TO_INDEX,
  /* F32 or F64 */
  TP_I_FADD,
  TP_I_FSUB,
  TP_I_FMUL,
  TP_I_FDIV,
  TP_I_FMIN,        /* second operand when either is NaN, as x86 MINPS */
  TP_I_FMAX,
  TP_I_FMA,         /* a * b + c, rounded once */
  TP_I_FNEG,
  TP_I_FABS,
  TP_I_FSQRT,
  TP_I_FFLOOR,
  TP_I_FROUND,      /* to nearest even */
  TP_I_FLESS,       /* MASK; false on NaN */
  TP_I_FEQUAL,      /* MASK */
  /* F64: what the mathematical library of the reader has, which differs from
   * another one's in the last places */
  TP_I_FEXP,
  TP_I_FLOG,
  TP_I_FTANH,
  TP_I_FERF,
  TP_I_FSIN,
  TP_I_FCOS,
  TP_I_FPOW,
  TP_I_F32_TO_I32,  /* truncating; in range */
  TP_I_I32_TO_F32,
  TP_I_REAL_TO_INDEX, /* of F32 or F64, truncating; NaN gives 0, what is out of
                       * range the end of it */
  TP_I_INDEX_TO_F32, /* to nearest, as the next two */
  TP_I_INDEX_TO_F64,
  TP_I_F64_TO_F32,
  TP_I_F32_TO_F64,
  TP_I_AS_I32,      /* same bits */
  TP_I_AS_F32,
  TP_I_AS_INDEX,    /* of F64 */
  /* MASK */
  TP_I_MAND,
  TP_I_MOR,
  TP_I_MNOT,
  TP_I_SELECT,      /* a: MASK, b, c of one type */
  /* lanes */
  TP_I_SPLAT,       /* 1 lane -> lanes */
  TP_I_EXTRACT,     /* imm: lane */
  TP_I_INSERT,      /* a: vector, b: scalar, imm: lane */
  TP_I_ZIP,         /* vectors of data: lanes of a and of b in turns, from the lower
                     * halves, or with imm 1 from the upper ones */
  TP_I_UNZIP,       /* vectors of data: the even lanes of a, then those of b, or with
                     * imm 1 the odd ones */
  TP_I_LANE_SUM,    /* F32, F64 or INDEX lanes -> 1, pairwise tree order */
  TP_I_LANE_MAX,
  TP_I_LANE_MIN,
  /* memory: buffer number, element index a (INDEX, 1 lane). Elements of float32
   * are F32, those of float64 F64; those of bool and all integer types are INDEX: wrapped to their
   * width when stored (bool: is it not 0), extended when loaded */
  TP_I_LOAD,        /* lanes consecutive elements; mask b or -1: 0 where off;
                     * imm > 0: what lies so many elements on is wanted soon,
                     * a hint that needs not be in range */
  TP_I_LOAD4,       /* of bytes, INT8 or UINT8: lanes of I32, each of four elements,
                     * the first lowest; imm as of LOAD */
  TP_I_STORE,       /* value b, mask c or -1 */
  TP_I_MMA,         /* F32, 8 lanes: c and the product of two matrices in local memory,
                     * which the items of a wave make together: TpMma */
  TP_I_BARRIER,     /* of the work-group, over local memory */
  /* regions */
  TP_I_FOR,         /* a: first, b: end (exclusive), imm: step > 0; value: the
                     * counter. Followed by its TP_I_CARRY's */
  TP_I_CARRY,       /* a: initial value; value: the current one, inside */
  TP_I_END_FOR,     /* closes; its TP_I_YIELD's precede it */
  TP_I_YIELD,       /* a: CARRY, b: next value; value (after the loop): final */
  TP_I_IF,          /* a: MASK of 1 lane */
  TP_I_END_IF,
} TpInstrOp;

typedef struct
{
  TpInstrOp op;
  TpKind kind;                /* of the value */
  int lanes;
  TpValue a, b, c;
  int buffer;                 /* LOAD, LOAD4, STORE, MMA */
  gint64 imm;                 /* of MMA: tp_instr_get_mma () */
  float fimm;
} TpInstr;

/* What MMA multiplies, as NVIDIA's mma.m16n8k8 has it of TF32: 16 rows by 16 columns,
 * 8 steps. Row @row of step @step is element a + step * pitches[0] + row of one buffer,
 * a column likewise from b on of the other; a and b are the same for all items of a
 * wave, which are 32 in a row, and even, as pitches are: an item reads two rows at once,
 * and two columns. Elements are to have no more digits than TF32 has (a
 * kernel rounds them before), or the rest may be left out; in which order, and with how
 * many digits, products are added up is up to the device. An item has two rows of four
 * results next to each other, as tp_mma_get_row () and tp_mma_get_column () tell. */
#define TP_MMA_SIDE 16
#define TP_MMA_DEPTH 8
#define TP_MMA_LANES 8
#define TP_MMA_WAVE 32
#define TP_MMA_WIDTH 4        /* results of a row that an item has */
#define TP_MMA_ROWS 2         /* such rows */

typedef struct
{
  int buffers[2];             /* float32, local */
  int pitches[2];             /* elements from one step to the next */
} TpMma;

/* Of lane @lane of item 0 of a wave; of item i the row is 2 * (i / 4) further down, the
 * column 4 * (i % 4) to the right. */
static inline int
tp_mma_get_row (int lane)
{
  return lane / TP_MMA_WIDTH;
}

static inline int
tp_mma_get_column (int lane)
{
  return lane % TP_MMA_WIDTH;
}

typedef enum
{
  TP_SPACE_GLOBAL,            /* an argument */
  TP_SPACE_LOCAL,             /* scratch of one work-group */
} TpSpace;

typedef struct
{
  TpSpace space;
  TpDtype dtype;
  gint64 n_elements;          /* a bound on every index */
  gboolean is_written;
} TpKernelBuffer;

typedef struct TpKernelBuilder TpKernelBuilder; /* private to kernel.c */

typedef struct
{
  char *name;                 /* C identifier */
  int n_instrs;
  TpInstr *instrs;
  int n_buffers;              /* globals first, in argument order */
  TpKernelBuffer *buffers;
  gint64 n_groups;
  int local_size;             /* work-items per group; 1 on CPUs */
  gint64 n_iterations;        /* ITERATION is below it; 1 */
  TpKernelBuilder *builder;   /* (owned) open regions, shared values */
} TpKernel;

TpKernel *tp_kernel_new (const char *name);
void tp_kernel_free (TpKernel *kernel);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (TpKernel, tp_kernel_free)
int tp_kernel_add_buffer (TpKernel *kernel, TpSpace space, TpDtype dtype,
                          gint64 n_elements, gboolean is_written);

/* Builders return the new value. Constants and pure INDEX arithmetic are folded
 * (x + 0, x * 1, const op const), and equal pure values of the same region are
 * shared. Types follow from the operands, and those of loads from the buffer. */
TpValue tp_k_index (TpKernel *kernel, gint64 value);
TpValue tp_k_i32 (TpKernel *kernel, int lanes, gint32 value);
TpValue tp_k_f32 (TpKernel *kernel, int lanes, float value);
TpValue tp_k_f64 (TpKernel *kernel, int lanes, double value);
TpValue tp_k_group (TpKernel *kernel);
TpValue tp_k_item (TpKernel *kernel);
TpValue tp_k_iteration (TpKernel *kernel);
TpValue tp_k_iota (TpKernel *kernel, int lanes);
TpValue tp_k_unary (TpKernel *kernel, TpInstrOp op, TpValue a);
TpValue tp_k_binary (TpKernel *kernel, TpInstrOp op, TpValue a, TpValue b);
TpValue tp_k_fma (TpKernel *kernel, TpValue a, TpValue b, TpValue c);
TpValue tp_k_dot4 (TpKernel *kernel, TpValue a, TpValue b, TpValue c);
TpValue tp_k_select (TpKernel *kernel, TpValue mask, TpValue b, TpValue c);
TpValue tp_k_splat (TpKernel *kernel, TpValue a, int lanes);
TpValue tp_k_extract (TpKernel *kernel, TpValue a, int lane);
TpValue tp_k_insert (TpKernel *kernel, TpValue a, TpValue scalar, int lane);
TpValue tp_k_zip (TpKernel *kernel, TpValue a, TpValue b, gboolean is_upper);
TpValue tp_k_unzip (TpKernel *kernel, TpValue a, TpValue b, gboolean is_odd);
TpValue tp_k_load (TpKernel *kernel, int buffer, TpValue index, int lanes,
                   TpValue mask);
TpValue tp_k_load4 (TpKernel *kernel, int buffer, TpValue index, int lanes);
/* Lets @load also ask for what lies @ahead elements on. */
void tp_k_set_ahead (TpKernel *kernel, TpValue load, gint64 ahead);
void tp_k_store (TpKernel *kernel, int buffer, TpValue index, TpValue value,
                 TpValue mask);
/* All items of a group come here, or none. */
TpValue tp_k_mma (TpKernel *kernel, const TpMma *mma, TpValue a, TpValue b,
                  TpValue c);
void tp_k_barrier (TpKernel *kernel);
TpValue tp_k_for (TpKernel *kernel, TpValue first, TpValue end, gint64 step);
/* Comes right after the tp_k_for() or another carry: make @initial before the
 * loop. */
TpValue tp_k_carry (TpKernel *kernel, TpValue initial);
/* Closes the loop: @next[i] follows the i-th carry; @out_finals[i] is its value
 * after the loop. */
void tp_k_end_for (TpKernel *kernel, const TpValue *next, int n,
                   TpValue *out_finals);
void tp_k_if (TpKernel *kernel, TpValue condition);
void tp_k_end_if (TpKernel *kernel);

#endif
