/* random-values.c: see random-values.h. INDEX values that may be any number and those
 * that serve as addresses are in pools apart. */
#include "config.h"

#include "random-values.h"

#include "kernel/kernel-ops.h"

#include <math.h>

const TpKernelBuffer random_buffers[N_BUFFERS] = {
  { TP_SPACE_GLOBAL, TPLAN_DTYPE_FLOAT32, N_INPUT, FALSE },
  { TP_SPACE_GLOBAL, TPLAN_DTYPE_INT64, N_INPUT, FALSE },
  { TP_SPACE_GLOBAL, TPLAN_DTYPE_INT32, N_INPUT, FALSE },
  { TP_SPACE_GLOBAL, TPLAN_DTYPE_UINT8, N_INPUT, FALSE },
  { TP_SPACE_GLOBAL, TPLAN_DTYPE_BOOL, N_INPUT, FALSE },
  { TP_SPACE_GLOBAL, TPLAN_DTYPE_FLOAT16, N_INPUT, FALSE },
  { TP_SPACE_GLOBAL, TPLAN_DTYPE_BFLOAT16, N_INPUT, FALSE },
  { TP_SPACE_GLOBAL, TPLAN_DTYPE_INT8, N_INPUT, FALSE },
  { TP_SPACE_GLOBAL, TPLAN_DTYPE_INT16, N_INPUT, FALSE },
  { TP_SPACE_GLOBAL, TPLAN_DTYPE_UINT16, N_INPUT, FALSE },
  { TP_SPACE_GLOBAL, TPLAN_DTYPE_UINT32, N_INPUT, FALSE },
  { TP_SPACE_GLOBAL, TPLAN_DTYPE_FLOAT64, N_INPUT, FALSE },
  { TP_SPACE_GLOBAL, TPLAN_DTYPE_FLOAT32, N_SLICES, TRUE },
  { TP_SPACE_GLOBAL, TPLAN_DTYPE_INT64, N_SLICES, TRUE },
  { TP_SPACE_GLOBAL, TPLAN_DTYPE_INT32, N_SLICES, TRUE },
  { TP_SPACE_GLOBAL, TPLAN_DTYPE_UINT8, N_SLICES, TRUE },
  { TP_SPACE_GLOBAL, TPLAN_DTYPE_BOOL, N_SLICES, TRUE },
  { TP_SPACE_GLOBAL, TPLAN_DTYPE_FLOAT16, N_SLICES, TRUE },
  { TP_SPACE_GLOBAL, TPLAN_DTYPE_BFLOAT16, N_SLICES, TRUE },
  { TP_SPACE_GLOBAL, TPLAN_DTYPE_INT8, N_SLICES, TRUE },
  { TP_SPACE_GLOBAL, TPLAN_DTYPE_INT16, N_SLICES, TRUE },
  { TP_SPACE_GLOBAL, TPLAN_DTYPE_UINT16, N_SLICES, TRUE },
  { TP_SPACE_GLOBAL, TPLAN_DTYPE_UINT32, N_SLICES, TRUE },
  { TP_SPACE_GLOBAL, TPLAN_DTYPE_FLOAT64, N_SLICES, TRUE },
  { TP_SPACE_LOCAL, TPLAN_DTYPE_FLOAT32, N_LOCAL, TRUE },
  { TP_SPACE_LOCAL, TPLAN_DTYPE_INT64, N_LOCAL, TRUE },
  { TP_SPACE_LOCAL, TPLAN_DTYPE_UINT8, N_LOCAL, TRUE },
  { TP_SPACE_LOCAL, TPLAN_DTYPE_FLOAT16, N_LOCAL, TRUE },
  { TP_SPACE_LOCAL, TPLAN_DTYPE_BFLOAT16, N_LOCAL, TRUE },
  { TP_SPACE_LOCAL, TPLAN_DTYPE_FLOAT64, N_LOCAL, TRUE },
};
const int random_widths[4] = { 1, 4, 8, 16 };

int
random_draw (int n)
{
  return g_test_rand_int_range (0, n);
}

void
random_put (RandomValues *gen, TpValue value)
{
  const TpInstr *instr = &gen->kernel->instrs[value];
  int width = instr->lanes == 1 ? 0 : instr->lanes / 8 + 1;

  g_array_append_val (gen->pools[instr->kind][width], value);
}

void
random_put_address (RandomValues *gen, TpValue value)
{
  g_array_append_val (gen->pools[POOL_ADDRESS][0], value);
  random_put (gen, value);
}

TpValue
random_pick (RandomValues *gen, int kind, int width)
{
  GArray *pool = gen->pools[kind][width];

  return g_array_index (pool, TpValue, random_draw (pool->len));
}

static TpKind
draw_real (void)
{
  return random_draw (3) == 0 ? TP_KIND_F64 : TP_KIND_F32;
}

static TpValue
number (RandomValues *gen, TpKind kind, int lanes, double value)
{
  return kind == TP_KIND_F64 ? tp_k_f64 (gen->kernel, lanes, value)
                             : tp_k_f32 (gen->kernel, lanes, (float)value);
}

TpValue
random_constant (RandomValues *gen, TpKind kind, int width)
{
  static const double specials[]
      = { 0, -0.0, 1, INFINITY, NAN, 1e-42, 3e38, 1e-310, 1e300 };

  return number (gen, kind, random_widths[width],
                 random_draw (4) == 0 ? specials[random_draw (G_N_ELEMENTS (specials))]
                               : g_test_rand_double_range (-4, 4));
}

/* In [0, n - lanes], from any index; masks may let it stick out. */
TpValue
random_bounded (RandomValues *gen, int n)
{
  TpKernel *kernel = gen->kernel;

  return tp_k_binary (kernel, TP_I_IMOD, random_pick (gen, POOL_ADDRESS, 0),
                      tp_k_index (kernel, n));
}

/* The first element a group may write of @buffer, plus @at. */
static TpValue
in_slice (RandomValues *gen, int buffer, TpValue at)
{
  return random_buffers[buffer].n_elements == N_SLICES
             ? tp_k_binary (gen->kernel, TP_I_IADD, gen->slice, at)
             : at;
}

static int
count_elements (int buffer)
{
  gint64 n = random_buffers[buffer].n_elements;

  return n == N_SLICES ? RANDOM_KERNEL_N : (int)n;
}

static TpValue
tame (RandomValues *gen, TpValue value)
{
  TpKernel *kernel = gen->kernel;
  int lanes = kernel->instrs[value].lanes;
  TpKind kind = kernel->instrs[value].kind;

  value = tp_k_binary (kernel, TP_I_FMIN, value, number (gen, kind, lanes, 9));
  return tp_k_binary (kernel, TP_I_FMAX, value, number (gen, kind, lanes, -9));
}

/* --- one value ---------------------------------------------------------- */

/* An address made of any number: by a clamp, or from the end when negative. */
static TpValue
tame_index (RandomValues *gen)
{
  TpKernel *kernel = gen->kernel;
  TpValue a = random_pick (gen, TP_KIND_INDEX, 0), end = tp_k_index (kernel, 700),
          mask;

  if (random_draw (2))
    {
      a = tp_k_binary (kernel, TP_I_IMAX, a, tp_k_index (kernel, 0));
      return tp_k_binary (kernel, TP_I_IMIN, a, end);
    }
  a = tp_k_binary (kernel, TP_I_IMOD, a, end);
  mask = tp_k_binary (kernel, TP_I_ILESS, a, tp_k_index (kernel, 0));
  return tp_k_select (kernel, mask, tp_k_binary (kernel, TP_I_IADD, a, end), a);
}

TpValue
random_add_address (RandomValues *gen)
{
  static const TpInstrOp ops[] = { TP_I_IADD, TP_I_IMIN, TP_I_IMAX };
  TpKernel *kernel = gen->kernel;
  TpValue a = random_pick (gen, POOL_ADDRESS, 0), b = random_pick (gen, POOL_ADDRESS, 0);

  switch (random_draw (5))
    {
    case 4:
      return tame_index (gen);
    case 0:
      return tp_k_binary (kernel, TP_I_IDIV, a,
                          tp_k_index (kernel, 1 + random_draw (9)));
    case 1:
      a = tp_k_binary (kernel, TP_I_IMUL, a, tp_k_index (kernel, random_draw (40)));
      break;
    case 2:
      a = tp_k_binary (
          kernel, TP_I_ISUB, tp_k_index (kernel, 1009),
          tp_k_binary (kernel, TP_I_IMOD, a, tp_k_index (kernel, 1009)));
      break;
    default:
      a = tp_k_binary (kernel, ops[random_draw (3)], a, b);
      break;
    }
  return tp_k_binary (kernel, TP_I_IMOD, a, tp_k_index (kernel, 1013));
}

static TpValue
add_load4 (RandomValues *gen, int width)
{
  static const int bytes[] = { 3, 7, FIRST_WRITTEN + 3, FIRST_WRITTEN + 7,
                               FIRST_LOCAL + 2 };
  int buffer = bytes[random_draw (G_N_ELEMENTS (bytes))], lanes = random_widths[width];
  TpValue at = random_bounded (gen, count_elements (buffer) - 4 * lanes + 1);

  return tp_k_load4 (gen->kernel, buffer, in_slice (gen, buffer, at), lanes);
}

TpValue
random_add_integer (RandomValues *gen, int width)
{
  static const TpInstrOp ops[] = { TP_I_IADD, TP_I_ISUB, TP_I_IMUL,
                                   TP_I_IMIN, TP_I_IMAX, TP_I_IAND,
                                   TP_I_IXOR };
  TpKernel *kernel = gen->kernel;
  TpValue a = random_pick (gen, TP_KIND_I32, width), f;

  switch (random_draw (8))
    {
    case 7:
      return add_load4 (gen, width);
    case 6:
      return tp_k_dot4 (kernel, a, random_pick (gen, TP_KIND_I32, width),
                        random_pick (gen, TP_KIND_I32, width));
    case 5:
      return tp_k_unary (kernel, TP_I_INDEX_TO_I32,
                         random_pick (gen, TP_KIND_INDEX, width));
    case 0:
      f = tame (gen, random_pick (gen, TP_KIND_F32, width));
      return tp_k_unary (kernel, random_draw (2) ? TP_I_AS_I32 : TP_I_F32_TO_I32, f);
    case 1:
      return tp_k_binary (kernel, random_draw (2) ? TP_I_ISHL : TP_I_ISHR, a,
                          tp_k_i32 (kernel, random_widths[width], random_draw (31)));
    case 2:
      f = tp_k_unary (kernel, TP_I_INDEX_TO_I32, random_pick (gen, TP_KIND_INDEX, 0));
      return tp_k_splat (kernel, f, random_widths[width]);
    default:
      return tp_k_binary (kernel, ops[random_draw (G_N_ELEMENTS (ops))], a,
                          random_pick (gen, TP_KIND_I32, width));
    }
}

TpValue
random_add_index (RandomValues *gen, int width)
{
  static const TpInstrOp ops[] = { TP_I_IADD, TP_I_ISUB, TP_I_IMUL, TP_I_IMIN,
                                   TP_I_IMAX, TP_I_IDIV, TP_I_IMOD, TP_I_IAND,
                                   TP_I_IXOR };
  static const gint64 specials[] = { 0, 1, -1, 7, -10, 16, 255, G_MAXINT32,
                                     G_MININT32, G_MAXINT64, G_MININT64 };
  TpKernel *kernel = gen->kernel;
  TpValue a = random_pick (gen, TP_KIND_INDEX, width);
  TpValue b = random_pick (gen, TP_KIND_INDEX, width);
  gint64 special = specials[random_draw (G_N_ELEMENTS (specials))];

  switch (random_draw (8))
    {
    case 7:
      a = tame (gen, random_pick (gen, TP_KIND_F64, width));
      return tp_k_unary (kernel, TP_I_AS_INDEX, a);
    case 0:
      return tp_k_unary (kernel, TP_I_I32_TO_INDEX,
                         random_pick (gen, TP_KIND_I32, width));
    case 1:
      return tp_k_unary (kernel, TP_I_REAL_TO_INDEX,
                         random_pick (gen, draw_real (), width));
    case 2:
      return tp_k_select (kernel, random_pick (gen, TP_KIND_MASK, width), a, b);
    case 3:
      b = tp_k_splat (kernel, tp_k_index (kernel, special), random_widths[width]);
      break;
    default:
      break;
    }
  return tp_k_binary (kernel, ops[random_draw (G_N_ELEMENTS (ops))], a, b);
}

TpValue
random_add_mask (RandomValues *gen, int width)
{
  static const TpInstrOp ops[] = { TP_I_FLESS,  TP_I_FEQUAL, TP_I_ILESS,
                                   TP_I_IEQUAL, TP_I_ILESS,  TP_I_IEQUAL,
                                   TP_I_MAND,   TP_I_MOR };
  static const TpKind kinds[] = { TP_KIND_F32,  TP_KIND_F32,   TP_KIND_I32,
                                  TP_KIND_I32,  TP_KIND_INDEX, TP_KIND_INDEX,
                                  TP_KIND_MASK, TP_KIND_MASK };
  int i = random_draw (9);
  TpKind kind = i < 2 ? draw_real () : kinds[MIN (i, 7)];

  if (i == 8)
    return tp_k_unary (gen->kernel, TP_I_MNOT, random_pick (gen, TP_KIND_MASK, width));
  return tp_k_binary (gen->kernel, ops[i], random_pick (gen, kind, width),
                      random_pick (gen, kind, width));
}

TpValue
random_add_lanes (RandomValues *gen, int width)
{
  TpKernel *kernel = gen->kernel;
  TpInstrOp ops[] = { TP_I_LANE_SUM, TP_I_LANE_MAX, TP_I_LANE_MIN };
  TpKind real = draw_real (), kind = random_draw (2) ? real : TP_KIND_INDEX;
  TpValue vector = random_pick (gen, kind, width);
  TpValue scalar = random_pick (gen, kind, 0);
  int lane = random_draw (random_widths[width]);

  switch (random_draw (width > 0 ? 6 : 4))
    {
    case 5:
      return tp_k_unzip (kernel, vector, random_pick (gen, kind, width), random_draw (2));
    case 4:
      return tp_k_zip (kernel, vector, random_pick (gen, kind, width), random_draw (2));
    case 0:
      return tp_k_splat (kernel, scalar, random_widths[width]);
    case 1:
      return tp_k_extract (kernel, vector, lane);
    case 2:
      return tp_k_insert (kernel, vector, scalar, lane);
    default:
      return tp_k_unary (kernel, ops[random_draw (3)], vector);
    }
}

/* Full, or masked and then allowed to start near the end of the buffer. */
TpValue
random_add_load (RandomValues *gen, int width)
{
  TpKernel *kernel = gen->kernel;
  int buffer = random_draw (N_BUFFERS), lanes = random_widths[width];
  int n = count_elements (buffer);
  TpValue at = random_bounded (gen, n - lanes + 1), mask = -1, limit;

  if (random_draw (3) == 0)
    mask = random_pick (gen, TP_KIND_MASK, width);
  else if (random_draw (3) == 0)
    {
      at = random_bounded (gen, n);
      limit = tp_k_binary (kernel, TP_I_ISUB, tp_k_index (kernel, n), at);
      limit = tp_k_unary (kernel, TP_I_INDEX_TO_I32, limit);
      mask = tp_k_binary (kernel, TP_I_ILESS, tp_k_iota (kernel, lanes),
                          tp_k_splat (kernel, limit, lanes));
    }
  return tp_k_load (kernel, buffer, in_slice (gen, buffer, at), lanes, mask);
}

void
random_add_store (RandomValues *gen, int buffer, int width)
{
  TpKind kind = tp_kernel_buffer_get_kind (&random_buffers[buffer]);
  TpValue at = random_bounded (gen, count_elements (buffer) - random_widths[width] + 1);
  TpValue mask = random_draw (2) ? random_pick (gen, TP_KIND_MASK, width) : -1;

  tp_k_store (gen->kernel, buffer, in_slice (gen, buffer, at),
              random_pick (gen, kind, width), mask);
}

static TpValue
convert_to_double (RandomValues *gen, int width)
{
  return random_draw (2) ? tp_k_unary (gen->kernel, TP_I_INDEX_TO_F64,
                                random_pick (gen, TP_KIND_INDEX, width))
                  : tp_k_unary (gen->kernel, TP_I_F32_TO_F64,
                                random_pick (gen, TP_KIND_F32, width));
}

static TpValue
convert_to_float (RandomValues *gen, int width)
{
  TpValue a;

  switch (random_draw (4))
    {
    case 0:
      return tp_k_unary (gen->kernel, TP_I_F64_TO_F32,
                         random_pick (gen, TP_KIND_F64, width));
    case 1:
      return tp_k_unary (gen->kernel, TP_I_INDEX_TO_F32,
                         random_pick (gen, TP_KIND_INDEX, width));
    default:
      a = random_pick (gen, TP_KIND_I32, width);
      return random_draw (2) ? tp_k_unary (gen->kernel, TP_I_I32_TO_F32, a)
                      : tame (gen, tp_k_unary (gen->kernel, TP_I_AS_F32, a));
    }
}

TpValue
random_add_float (RandomValues *gen, int width)
{
  static const TpInstrOp binary[] = { TP_I_FADD, TP_I_FSUB, TP_I_FMUL,
                                      TP_I_FDIV, TP_I_FMIN, TP_I_FMAX };
  static const TpInstrOp unary[] = { TP_I_FNEG, TP_I_FABS, TP_I_FSQRT,
                                     TP_I_FFLOOR, TP_I_FROUND };
  TpKernel *kernel = gen->kernel;
  TpKind kind = draw_real ();
  TpValue a = random_pick (gen, kind, width);
  TpValue b = random_pick (gen, kind, width);

  switch (random_draw (8))
    {
    case 0:
      return random_constant (gen, kind, width);
    case 1:
      return tp_k_unary (kernel, unary[random_draw (5)], a);
    case 2:
      return tp_k_fma (kernel, a, b, random_pick (gen, kind, width));
    case 3:
      return tp_k_select (kernel, random_pick (gen, TP_KIND_MASK, width), a, b);
    case 4:
      return kind == TP_KIND_F64 ? convert_to_double (gen, width)
                                 : convert_to_float (gen, width);
    default:
      return tp_k_binary (kernel, binary[random_draw (6)], a, b);
    }
}
