/* kernel-ops.c: the table of instructions of the kernel IR. */
#include "config.h"

#include "kernel/kernel-ops.h"

#include "ir/array.h"

#include "ir/guard.h"

#define PURE(name, operands, result)                                           \
  {                                                                            \
    name, operands, result, TRUE, TRUE                                         \
  }
#define MIXED(name, operands, result)                                          \
  {                                                                            \
    name, operands, result, TRUE, FALSE                                        \
  }
#define EFFECT(name, operands, result)                                         \
  {                                                                            \
    name, operands, result, FALSE, FALSE                                       \
  }

static const TpInstrInfo infos[] = {
  [TP_I_CONST_INDEX] = PURE ("const", "", 'X'),
  [TP_I_CONST_I32] = PURE ("const", "", 'I'),
  [TP_I_CONST_F32] = PURE ("const", "", 'F'),
  [TP_I_CONST_F64] = PURE ("const", "", 'E'),
  [TP_I_GROUP] = PURE ("group", "", 'X'),
  [TP_I_ITEM] = PURE ("item", "", 'X'),
  [TP_I_ITERATION] = PURE ("iteration", "", 'X'),
  [TP_I_IOTA] = PURE ("iota", "", 'I'),
  [TP_I_IADD] = PURE ("iadd", "NN", 'N'),
  [TP_I_ISUB] = PURE ("isub", "NN", 'N'),
  [TP_I_IMUL] = PURE ("imul", "NN", 'N'),
  [TP_I_IDIV] = PURE ("idiv", "NN", 'N'),
  [TP_I_IMOD] = PURE ("imod", "NN", 'N'),
  [TP_I_IMIN] = PURE ("imin", "NN", 'N'),
  [TP_I_IMAX] = PURE ("imax", "NN", 'N'),
  [TP_I_ISHL] = PURE ("ishl", "II", 'I'),
  [TP_I_ISHR] = PURE ("ishr", "II", 'I'),
  [TP_I_IAND] = PURE ("iand", "NN", 'N'),
  [TP_I_IXOR] = PURE ("ixor", "NN", 'N'),
  [TP_I_DOT4] = PURE ("dot4", "III", 'I'),
  [TP_I_ILESS] = PURE ("iless", "NN", 'M'),
  [TP_I_IEQUAL] = PURE ("iequal", "NN", 'M'),
  [TP_I_INDEX_TO_I32] = PURE ("index_to_i32", "X", 'I'),
  [TP_I_I32_TO_INDEX] = PURE ("i32_to_index", "I", 'X'),
  [TP_I_FADD] = PURE ("fadd", "RR", 'R'),
  [TP_I_FSUB] = PURE ("fsub", "RR", 'R'),
  [TP_I_FMUL] = PURE ("fmul", "RR", 'R'),
  [TP_I_FDIV] = PURE ("fdiv", "RR", 'R'),
  [TP_I_FMIN] = PURE ("fmin", "RR", 'R'),
  [TP_I_FMAX] = PURE ("fmax", "RR", 'R'),
  [TP_I_FMA] = PURE ("fma", "RRR", 'R'),
  [TP_I_FNEG] = PURE ("fneg", "R", 'R'),
  [TP_I_FABS] = PURE ("fabs", "R", 'R'),
  [TP_I_FSQRT] = PURE ("fsqrt", "R", 'R'),
  [TP_I_FFLOOR] = PURE ("ffloor", "R", 'R'),
  [TP_I_FROUND] = PURE ("fround", "R", 'R'),
  [TP_I_FLESS] = PURE ("fless", "RR", 'M'),
  [TP_I_FEQUAL] = PURE ("fequal", "RR", 'M'),
  [TP_I_FEXP] = PURE ("fexp", "E", 'E'),
  [TP_I_FLOG] = PURE ("flog", "E", 'E'),
  [TP_I_FTANH] = PURE ("ftanh", "E", 'E'),
  [TP_I_FERF] = PURE ("ferf", "E", 'E'),
  [TP_I_FSIN] = PURE ("fsin", "E", 'E'),
  [TP_I_FCOS] = PURE ("fcos", "E", 'E'),
  [TP_I_FPOW] = PURE ("fpow", "EE", 'E'),
  [TP_I_F32_TO_I32] = PURE ("f32_to_i32", "F", 'I'),
  [TP_I_I32_TO_F32] = PURE ("i32_to_f32", "I", 'F'),
  [TP_I_REAL_TO_INDEX] = PURE ("real_to_index", "R", 'X'),
  [TP_I_INDEX_TO_F32] = PURE ("index_to_f32", "X", 'F'),
  [TP_I_INDEX_TO_F64] = PURE ("index_to_f64", "X", 'E'),
  [TP_I_F64_TO_F32] = PURE ("f64_to_f32", "E", 'F'),
  [TP_I_F32_TO_F64] = PURE ("f32_to_f64", "F", 'E'),
  [TP_I_AS_I32] = PURE ("as_i32", "F", 'I'),
  [TP_I_AS_F32] = PURE ("as_f32", "I", 'F'),
  [TP_I_AS_INDEX] = PURE ("as_index", "E", 'X'),
  [TP_I_MAND] = PURE ("mand", "MM", 'M'),
  [TP_I_MOR] = PURE ("mor", "MM", 'M'),
  [TP_I_MNOT] = PURE ("mnot", "M", 'M'),
  [TP_I_SELECT] = PURE ("select", "MTT", 'T'),
  [TP_I_SPLAT] = MIXED ("splat", "T", 'T'),
  [TP_I_EXTRACT] = MIXED ("extract", "T", 'T'),
  [TP_I_INSERT] = MIXED ("insert", "TT", 'T'),
  [TP_I_ZIP] = MIXED ("zip", "DD", 'D'),
  [TP_I_UNZIP] = MIXED ("unzip", "DD", 'D'),
  [TP_I_LANE_SUM] = MIXED ("lane_sum", "D", 'D'),
  [TP_I_LANE_MAX] = MIXED ("lane_max", "D", 'D'),
  [TP_I_LANE_MIN] = MIXED ("lane_min", "D", 'D'),
  [TP_I_LOAD] = EFFECT ("load", "X", 'D'),
  [TP_I_LOAD4] = EFFECT ("load4", "X", 'I'),
  [TP_I_STORE] = EFFECT ("store", "XD", 'V'),
  [TP_I_MMA] = EFFECT ("mma", "XXF", 'F'),
  [TP_I_BARRIER] = EFFECT ("barrier", "", 'V'),
  [TP_I_FOR] = EFFECT ("for", "XX", 'X'),
  [TP_I_CARRY] = EFFECT ("carry", "T", 'T'),
  [TP_I_END_FOR] = EFFECT ("end_for", "", 'V'),
  [TP_I_YIELD] = EFFECT ("yield", "TT", 'T'),
  [TP_I_IF] = EFFECT ("if", "M", 'V'),
  [TP_I_END_IF] = EFFECT ("end_if", "", 'V'),
};

const TpInstrInfo *
tp_instr_get_info (TpInstrOp op)
{
  g_assert ((guint)op < G_N_ELEMENTS (infos));
  return &infos[op];
}

TpMma
tp_instr_get_mma (const TpInstr *instr)
{
  const gint64 pitch = (1 << 24) - 1;

  return (TpMma){ { instr->buffer, (int) (instr->imm >> 48) },
                  { (int) (instr->imm >> 24 & pitch), (int) (instr->imm & pitch) } };
}

gboolean
tp_instr_is_load (const TpInstr *instr)
{
  return instr->op == TP_I_LOAD || instr->op == TP_I_LOAD4;
}

int
tp_instr_count_elements (const TpInstr *instr)
{
  return instr->op == TP_I_LOAD4 ? 4 * instr->lanes : instr->lanes;
}

const char *
tp_kind_get_name (TpKind kind)
{
  static const char *const names[] = { "void", "index", "i32",
                                       "f32",  "f64",   "mask" };

  g_assert ((guint)kind < G_N_ELEMENTS (names));
  return names[kind];
}

gboolean
tp_kind_is_real (TpKind kind)
{
  return kind == TP_KIND_F32 || kind == TP_KIND_F64;
}

TpKind
tp_kernel_buffer_get_kind (const TpKernelBuffer *buffer)
{
  static const TpKind kinds[] = { [TP_COMPUTE_FLOAT32] = TP_KIND_F32,
                                  [TP_COMPUTE_FLOAT64] = TP_KIND_F64,
                                  [TP_COMPUTE_INT64] = TP_KIND_INDEX };

  return kinds[tp_dtype_get (buffer->dtype)->compute];
}

gint64
tp_kernel_buffer_get_bytes (const TpKernelBuffer *buffer)
{
  return buffer->n_elements * (gint64)tp_dtype_get_size (buffer->dtype);
}

gboolean
tp_kernel_uses_iteration (const TpKernel *kernel)
{
  for (int i = 0; i < kernel->n_instrs; i++)
    if (kernel->instrs[i].op == TP_I_ITERATION)
      return TRUE;
  return FALSE;
}

gint64
tp_index_divide (gint64 x, gint64 y)
{
  if (y == 0)
    return 0;
  return y == -1 ? (gint64)(0 - (guint64)x) : x / y;
}

gint64
tp_index_modulo (gint64 x, gint64 y)
{
  return y == 0 || y == -1 ? 0 : x % y;
}

int *
tp_kernel_match_regions (const TpKernel *kernel)
{
  g_autofree int *match = tp_new (int, kernel->n_instrs + 1);
  g_autoptr (TpArray) open = tp_array_new (sizeof (int));

  for (int i = 0; i < kernel->n_instrs; i++)
    {
      TpInstrOp op = kernel->instrs[i].op;

      match[i] = -1;
      if (op == TP_I_FOR || op == TP_I_IF)
        tp_array_append_val (open, i);
      else if (op == TP_I_YIELD)
        {
          match[i] = kernel->instrs[i].a;
          match[match[i]] = i;
        }
      else if (op == TP_I_END_FOR || op == TP_I_END_IF)
        {
          g_assert (open->len > 0);
          match[i] = tp_array_index (open, int, open->len - 1);
          match[match[i]] = i;
          tp_array_set_size (open, open->len - 1);
        }
    }
  g_assert (open->len == 0);
  return g_steal_pointer (&match);
}
