/* random-kernel.c: a generator of valid kernels: values are drawn from pools by
 * kind and lanes; a region's values leave the pools with it. INDEX values that
 * may be any number and those that serve as addresses are in pools apart. */
#include "config.h"

#include "kernel/kernel-ops.h"
#include "random-kernel.h"

#include <math.h>

#define N_INPUT 256
#define N_LOCAL 96
#define N_SLICES (3 * RANDOM_KERNEL_N)

/* Behind the kinds: INDEX of one lane, small and not negative. */
#define POOL_ADDRESS (TP_KIND_MASK + 1)
#define N_POOLS (POOL_ADDRESS + 1)

static const TpKernelBuffer buffers[] = {
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
  { TP_SPACE_LOCAL, TPLAN_DTYPE_FLOAT32, N_LOCAL, TRUE },
  { TP_SPACE_LOCAL, TPLAN_DTYPE_INT64, N_LOCAL, TRUE },
  { TP_SPACE_LOCAL, TPLAN_DTYPE_UINT8, N_LOCAL, TRUE },
  { TP_SPACE_LOCAL, TPLAN_DTYPE_FLOAT16, N_LOCAL, TRUE },
  { TP_SPACE_LOCAL, TPLAN_DTYPE_BFLOAT16, N_LOCAL, TRUE },
};
#define FIRST_WRITTEN 11
#define FIRST_LOCAL 22
#define N_BUFFERS ((int)G_N_ELEMENTS (buffers))

static const int widths[] = { 1, 4, 8, 16 };

typedef struct
{
  TpKernel *kernel;
  GArray *pools[N_POOLS][4]; /* TpValue, by kind and width */
  int depth;
  TpValue slice; /* first output element of the group */
} Generator;

static int
draw (int n)
{
  return g_test_rand_int_range (0, n);
}

static void
put (Generator *gen, TpValue value)
{
  const TpInstr *instr = &gen->kernel->instrs[value];
  int width = instr->lanes == 1 ? 0 : instr->lanes / 8 + 1;

  g_array_append_val (gen->pools[instr->kind][width], value);
}

static void
put_address (Generator *gen, TpValue value)
{
  g_array_append_val (gen->pools[POOL_ADDRESS][0], value);
  put (gen, value);
}

static TpValue
pick (Generator *gen, int kind, int width)
{
  GArray *pool = gen->pools[kind][width];

  return g_array_index (pool, TpValue, draw (pool->len));
}

static TpValue
constant (Generator *gen, int width)
{
  static const float specials[] = { 0, -0.0f, 1, INFINITY, NAN, 1e-42f, 3e38f };
  int lanes = widths[width];

  if (draw (4) == 0)
    return tp_k_f32 (gen->kernel, lanes,
                     specials[draw (G_N_ELEMENTS (specials))]);
  return tp_k_f32 (gen->kernel, lanes, (float)g_test_rand_double_range (-4, 4));
}

/* In [0, n - lanes], from any index; masks may let it stick out. */
static TpValue
bounded (Generator *gen, int n)
{
  TpKernel *kernel = gen->kernel;

  return tp_k_binary (kernel, TP_I_IMOD, pick (gen, POOL_ADDRESS, 0),
                      tp_k_index (kernel, n));
}

/* The first element a group may write of @buffer, plus @at. */
static TpValue
in_slice (Generator *gen, int buffer, TpValue at)
{
  return buffers[buffer].n_elements == N_SLICES
             ? tp_k_binary (gen->kernel, TP_I_IADD, gen->slice, at)
             : at;
}

static int
count_elements (int buffer)
{
  gint64 n = buffers[buffer].n_elements;

  return n == N_SLICES ? RANDOM_KERNEL_N : (int)n;
}

static TpValue
tame (Generator *gen, TpValue value)
{
  TpKernel *kernel = gen->kernel;
  int lanes = kernel->instrs[value].lanes;

  value = tp_k_binary (kernel, TP_I_FMIN, value, tp_k_f32 (kernel, lanes, 9));
  return tp_k_binary (kernel, TP_I_FMAX, value, tp_k_f32 (kernel, lanes, -9));
}

/* --- one value ---------------------------------------------------------- */

/* An address made of any number: by a clamp, or from the end when negative. */
static TpValue
tame_index (Generator *gen)
{
  TpKernel *kernel = gen->kernel;
  TpValue a = pick (gen, TP_KIND_INDEX, 0), end = tp_k_index (kernel, 700),
          mask;

  if (draw (2))
    {
      a = tp_k_binary (kernel, TP_I_IMAX, a, tp_k_index (kernel, 0));
      return tp_k_binary (kernel, TP_I_IMIN, a, end);
    }
  a = tp_k_binary (kernel, TP_I_IMOD, a, end);
  mask = tp_k_binary (kernel, TP_I_ILESS, a, tp_k_index (kernel, 0));
  return tp_k_select (kernel, mask, tp_k_binary (kernel, TP_I_IADD, a, end), a);
}

static TpValue
add_address (Generator *gen)
{
  static const TpInstrOp ops[] = { TP_I_IADD, TP_I_IMIN, TP_I_IMAX };
  TpKernel *kernel = gen->kernel;
  TpValue a = pick (gen, POOL_ADDRESS, 0), b = pick (gen, POOL_ADDRESS, 0);

  switch (draw (5))
    {
    case 4:
      return tame_index (gen);
    case 0:
      return tp_k_binary (kernel, TP_I_IDIV, a,
                          tp_k_index (kernel, 1 + draw (9)));
    case 1:
      a = tp_k_binary (kernel, TP_I_IMUL, a, tp_k_index (kernel, draw (40)));
      break;
    case 2:
      a = tp_k_binary (
          kernel, TP_I_ISUB, tp_k_index (kernel, 1009),
          tp_k_binary (kernel, TP_I_IMOD, a, tp_k_index (kernel, 1009)));
      break;
    default:
      a = tp_k_binary (kernel, ops[draw (3)], a, b);
      break;
    }
  return tp_k_binary (kernel, TP_I_IMOD, a, tp_k_index (kernel, 1013));
}

static TpValue
add_load4 (Generator *gen, int width)
{
  static const int bytes[] = { 3, 7, FIRST_WRITTEN + 3, FIRST_WRITTEN + 7,
                               FIRST_LOCAL + 2 };
  int buffer = bytes[draw (G_N_ELEMENTS (bytes))], lanes = widths[width];
  TpValue at = bounded (gen, count_elements (buffer) - 4 * lanes + 1);

  return tp_k_load4 (gen->kernel, buffer, in_slice (gen, buffer, at), lanes);
}

static TpValue
add_integer (Generator *gen, int width)
{
  static const TpInstrOp ops[] = { TP_I_IADD, TP_I_ISUB, TP_I_IMUL,
                                   TP_I_IMIN, TP_I_IMAX, TP_I_IAND,
                                   TP_I_IXOR };
  TpKernel *kernel = gen->kernel;
  TpValue a = pick (gen, TP_KIND_I32, width), f;

  switch (draw (8))
    {
    case 7:
      return add_load4 (gen, width);
    case 6:
      return tp_k_dot4 (kernel, a, pick (gen, TP_KIND_I32, width),
                        pick (gen, TP_KIND_I32, width));
    case 5:
      return tp_k_unary (kernel, TP_I_INDEX_TO_I32,
                         pick (gen, TP_KIND_INDEX, width));
    case 0:
      f = tame (gen, pick (gen, TP_KIND_F32, width));
      return tp_k_unary (kernel, draw (2) ? TP_I_AS_I32 : TP_I_F32_TO_I32, f);
    case 1:
      return tp_k_binary (kernel, TP_I_ISHL, a,
                          tp_k_i32 (kernel, widths[width], draw (31)));
    case 2:
      f = tp_k_unary (kernel, TP_I_INDEX_TO_I32, pick (gen, TP_KIND_INDEX, 0));
      return tp_k_splat (kernel, f, widths[width]);
    default:
      return tp_k_binary (kernel, ops[draw (G_N_ELEMENTS (ops))], a,
                          pick (gen, TP_KIND_I32, width));
    }
}

static TpValue
add_index (Generator *gen, int width)
{
  static const TpInstrOp ops[] = { TP_I_IADD, TP_I_ISUB, TP_I_IMUL, TP_I_IMIN,
                                   TP_I_IMAX, TP_I_IDIV, TP_I_IMOD, TP_I_IAND,
                                   TP_I_IXOR };
  static const gint64 specials[] = { 0, 1, -1, 7, -10, 16, 255, G_MAXINT32,
                                     G_MININT32, G_MAXINT64, G_MININT64 };
  TpKernel *kernel = gen->kernel;
  TpValue a = pick (gen, TP_KIND_INDEX, width);
  TpValue b = pick (gen, TP_KIND_INDEX, width);
  gint64 special = specials[draw (G_N_ELEMENTS (specials))];

  switch (draw (7))
    {
    case 0:
      return tp_k_unary (kernel, TP_I_I32_TO_INDEX,
                         pick (gen, TP_KIND_I32, width));
    case 1:
      return tp_k_unary (kernel, TP_I_REAL_TO_INDEX,
                         pick (gen, TP_KIND_F32, width));
    case 2:
      return tp_k_select (kernel, pick (gen, TP_KIND_MASK, width), a, b);
    case 3:
      b = tp_k_splat (kernel, tp_k_index (kernel, special), widths[width]);
      break;
    default:
      break;
    }
  return tp_k_binary (kernel, ops[draw (G_N_ELEMENTS (ops))], a, b);
}

static TpValue
add_mask (Generator *gen, int width)
{
  static const TpInstrOp ops[] = { TP_I_FLESS,  TP_I_FEQUAL, TP_I_ILESS,
                                   TP_I_IEQUAL, TP_I_ILESS,  TP_I_IEQUAL,
                                   TP_I_MAND,   TP_I_MOR };
  static const TpKind kinds[] = { TP_KIND_F32,  TP_KIND_F32,   TP_KIND_I32,
                                  TP_KIND_I32,  TP_KIND_INDEX, TP_KIND_INDEX,
                                  TP_KIND_MASK, TP_KIND_MASK };
  int i = draw (9);

  if (i == 8)
    return tp_k_unary (gen->kernel, TP_I_MNOT, pick (gen, TP_KIND_MASK, width));
  return tp_k_binary (gen->kernel, ops[i], pick (gen, kinds[i], width),
                      pick (gen, kinds[i], width));
}

static TpValue
add_lanes (Generator *gen, int width)
{
  TpKernel *kernel = gen->kernel;
  TpInstrOp ops[] = { TP_I_LANE_SUM, TP_I_LANE_MAX, TP_I_LANE_MIN };
  TpKind kind = draw (2) ? TP_KIND_F32 : TP_KIND_INDEX;
  TpValue vector = pick (gen, kind, width);
  TpValue scalar = pick (gen, kind, 0);
  int lane = draw (widths[width]);

  switch (draw (width > 0 ? 6 : 4))
    {
    case 5:
      return tp_k_unzip (kernel, pick (gen, TP_KIND_F32, width),
                         pick (gen, TP_KIND_F32, width), draw (2));
    case 4:
      return tp_k_zip (kernel, pick (gen, TP_KIND_F32, width),
                       pick (gen, TP_KIND_F32, width), draw (2));
    case 0:
      return tp_k_splat (kernel, scalar, widths[width]);
    case 1:
      return tp_k_extract (kernel, vector, lane);
    case 2:
      return tp_k_insert (kernel, vector, scalar, lane);
    default:
      return tp_k_unary (kernel, ops[draw (3)], vector);
    }
}

/* Full, or masked and then allowed to start near the end of the buffer. */
static TpValue
add_load (Generator *gen, int width)
{
  TpKernel *kernel = gen->kernel;
  int buffer = draw (N_BUFFERS), lanes = widths[width];
  int n = count_elements (buffer);
  TpValue at = bounded (gen, n - lanes + 1), mask = -1, limit;

  if (draw (3) == 0)
    mask = pick (gen, TP_KIND_MASK, width);
  else if (draw (3) == 0)
    {
      at = bounded (gen, n);
      limit = tp_k_binary (kernel, TP_I_ISUB, tp_k_index (kernel, n), at);
      limit = tp_k_unary (kernel, TP_I_INDEX_TO_I32, limit);
      mask = tp_k_binary (kernel, TP_I_ILESS, tp_k_iota (kernel, lanes),
                          tp_k_splat (kernel, limit, lanes));
    }
  return tp_k_load (kernel, buffer, in_slice (gen, buffer, at), lanes, mask);
}

static void
add_store (Generator *gen, int buffer, int width)
{
  TpKind kind = tp_kernel_buffer_get_kind (&buffers[buffer]);
  TpValue at = bounded (gen, count_elements (buffer) - widths[width] + 1);
  TpValue mask = draw (2) ? pick (gen, TP_KIND_MASK, width) : -1;

  tp_k_store (gen->kernel, buffer, in_slice (gen, buffer, at),
              pick (gen, kind, width), mask);
}

static TpValue
add_float (Generator *gen, int width)
{
  static const TpInstrOp binary[] = { TP_I_FADD, TP_I_FSUB, TP_I_FMUL,
                                      TP_I_FDIV, TP_I_FMIN, TP_I_FMAX };
  static const TpInstrOp unary[] = { TP_I_FNEG, TP_I_FABS, TP_I_FSQRT,
                                     TP_I_FFLOOR, TP_I_FROUND };
  TpKernel *kernel = gen->kernel;
  TpValue a = pick (gen, TP_KIND_F32, width);
  TpValue b = pick (gen, TP_KIND_F32, width);

  switch (draw (8))
    {
    case 0:
      return constant (gen, width);
    case 1:
      return tp_k_unary (kernel, unary[draw (5)], a);
    case 2:
      return tp_k_fma (kernel, a, b, pick (gen, TP_KIND_F32, width));
    case 3:
      return tp_k_select (kernel, pick (gen, TP_KIND_MASK, width), a, b);
    case 4:
      if (draw (2))
        return tp_k_unary (kernel, TP_I_INDEX_TO_F32,
                           pick (gen, TP_KIND_INDEX, width));
      a = pick (gen, TP_KIND_I32, width);
      return draw (2) ? tp_k_unary (kernel, TP_I_I32_TO_F32, a)
                      : tame (gen, tp_k_unary (kernel, TP_I_AS_F32, a));
    default:
      return tp_k_binary (kernel, binary[draw (6)], a, b);
    }
}

/* --- regions ------------------------------------------------------------ */

static void generate (Generator *gen, int n);

static void
close_pools (Generator *gen, guint lengths[N_POOLS][4])
{
  for (int kind = 0; kind < N_POOLS; kind++)
    for (int width = 0; width < 4; width++)
      g_array_set_size (gen->pools[kind][width], lengths[kind][width]);
}

static void
open_pools (Generator *gen, guint lengths[N_POOLS][4])
{
  for (int kind = 0; kind < N_POOLS; kind++)
    for (int width = 0; width < 4; width++)
      lengths[kind][width] = gen->pools[kind][width]->len;
}

static void
add_for (Generator *gen, int n)
{
  TpKernel *kernel = gen->kernel;
  TpKind kinds[] = { TP_KIND_F32, TP_KIND_INDEX, TP_KIND_I32 };
  TpValue carries[3], finals[3], end = tp_k_index (kernel, draw (6));
  int carry_width[3], n_carries = draw (4);
  guint lengths[N_POOLS][4];

  if (draw (2))
    end = bounded (gen, 5);
  for (int i = 0; i < n_carries; i++)
    {
      carry_width[i] = draw (4);
      carries[i] = pick (gen, kinds[i], carry_width[i]);
    }
  put_address (gen, end);
  open_pools (gen, lengths);
  put_address (gen, tp_k_for (kernel,
                              draw (2) ? tp_k_index (kernel, draw (3))
                                       : bounded (gen, 3),
                              end, 1 + draw (2)));
  for (int i = 0; i < n_carries; i++)
    put (gen, tp_k_carry (kernel, carries[i]));
  generate (gen, n);
  for (int i = 0; i < n_carries; i++)
    carries[i] = pick (gen, kinds[i], carry_width[i]);
  close_pools (gen, lengths);
  tp_k_end_for (kernel, carries, n_carries, finals);
  for (int i = 0; i < n_carries; i++)
    put (gen, finals[i]);
}

static void
add_if (Generator *gen, int n)
{
  guint lengths[N_POOLS][4];

  open_pools (gen, lengths);
  tp_k_if (gen->kernel, pick (gen, TP_KIND_MASK, 0));
  generate (gen, n);
  close_pools (gen, lengths);
  tp_k_end_if (gen->kernel);
}

static void
add_one (Generator *gen)
{
  int width = draw (4);

  switch (draw (9))
    {
    case 0:
      put_address (gen, add_address (gen));
      break;
    case 8:
      put (gen, add_index (gen, width));
      break;
    case 1:
      put (gen, add_integer (gen, width));
      break;
    case 2:
      put (gen, add_mask (gen, width));
      break;
    case 3:
      put (gen, add_lanes (gen, width));
      break;
    case 4:
      put (gen, add_load (gen, width));
      break;
    case 5:
      add_store (gen, FIRST_WRITTEN + draw (N_BUFFERS - FIRST_WRITTEN), width);
      break;
    default:
      put (gen, add_float (gen, width));
      break;
    }
}

static void
generate (Generator *gen, int n)
{
  gen->depth++;
  for (int i = 0; i < n; i++)
    if (gen->depth < 4 && draw (12) == 0)
      (draw (2) ? add_for : add_if) (gen, n / 2);
    else
      add_one (gen);
  gen->depth--;
}

/* Every pool gets a value; local memory and the slice are written, for what
 * they hold before is not defined. */
static void
write_locals (Generator *gen)
{
  TpKernel *kernel = gen->kernel;
  TpValue real = tp_k_f32 (kernel, 16, 1.5f), index = tp_k_index (kernel, 3), i;

  index = tp_k_splat (kernel, index, 16);
  i = tp_k_for (kernel, tp_k_index (kernel, 0), tp_k_index (kernel, N_LOCAL),
                16);
  for (int b = FIRST_LOCAL; b < N_BUFFERS; b++)
    tp_k_store (kernel, b, i,
                tp_dtype_is_integer (buffers[b].dtype) ? index : real, -1);
  tp_k_end_for (kernel, NULL, 0, NULL);
}

static void
prepare (Generator *gen)
{
  TpKernel *kernel = gen->kernel;
  TpValue i = tp_k_group (kernel);

  put_address (gen, i);
  put_address (gen, tp_k_index (kernel, 3));
  if (kernel->n_iterations > 1)
    put_address (gen, tp_k_iteration (kernel));
  gen->slice =
      tp_k_binary (kernel, TP_I_IMUL, i, tp_k_index (kernel, RANDOM_KERNEL_N));
  write_locals (gen);
  for (int width = 0; width < 4; width++)
    {
      put (gen, constant (gen, width));
      for (int b = 0; b < FIRST_WRITTEN; b++)
        put (gen, tp_k_load (kernel, b, tp_k_index (kernel, 16 * width),
                             widths[width], -1));
      put (gen, tp_k_i32 (kernel, widths[width], draw (9) - 4));
      put (gen, tp_k_iota (kernel, widths[width]));
      put (gen, tp_k_binary (kernel, TP_I_ILESS, pick (gen, TP_KIND_I32, width),
                             pick (gen, TP_KIND_I32, width)));
    }
}

/* Into a kernel that may have an open region. */
static void
fill_kernel (Generator *generator, int n_instrs)
{
  Generator gen = *generator;

  for (int kind = 0; kind < N_POOLS; kind++)
    for (int width = 0; width < 4; width++)
      gen.pools[kind][width] = g_array_new (FALSE, FALSE, sizeof (TpValue));
  gen.kernel->n_groups = 3;
  gen.kernel->n_iterations = 1 + draw (2);
  prepare (&gen);
  generate (&gen, n_instrs);
  for (int buffer = FIRST_WRITTEN; buffer < FIRST_LOCAL; buffer++)
    for (int width = 0; width < 4; width++)
      add_store (&gen, buffer, width);
  for (int kind = 0; kind < N_POOLS; kind++)
    for (int width = 0; width < 4; width++)
      g_array_unref (gen.pools[kind][width]);
}

static TpKernel *
new_kernel (void)
{
  TpKernel *kernel = tp_kernel_new ("random");

  for (int i = 0; i < N_BUFFERS; i++)
    tp_kernel_add_buffer (kernel, buffers[i].space, buffers[i].dtype,
                          buffers[i].n_elements, buffers[i].is_written);
  return kernel;
}

TpKernel *
random_kernel_new (int n_instrs)
{
  Generator gen = { .kernel = new_kernel () };

  fill_kernel (&gen, n_instrs);
  return gen.kernel;
}

TpKernel *
random_kernel_new_items (int n_instrs)
{
  Generator gen = { .kernel = new_kernel () };

  gen.kernel->local_size = 2;
  tp_k_if (gen.kernel, tp_k_binary (gen.kernel, TP_I_IEQUAL,
                                    tp_k_item (gen.kernel),
                                    tp_k_index (gen.kernel, 1)));
  fill_kernel (&gen, n_instrs);
  tp_k_end_if (gen.kernel);
  return gen.kernel;
}
