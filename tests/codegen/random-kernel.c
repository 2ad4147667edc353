/* random-kernel.c: a generator of valid kernels: values are drawn from pools by
 * kind and lanes; a region's values leave the pools with it. */
#include "config.h"

#include "random-kernel.h"

#include <math.h>
#include <string.h>

#define N_INPUT 256
#define N_LOCAL 96

static const int widths[] = { 1, 4, 8, 16 };

typedef struct
{
  TpKernel *kernel;
  GArray *pools[5][4]; /* TpValue, by kind and width */
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

static TpValue
pick (Generator *gen, TpKind kind, int width)
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

  return tp_k_binary (kernel, TP_I_IMOD, pick (gen, TP_KIND_INDEX, 0),
                      tp_k_index (kernel, n));
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

static TpValue
add_index (Generator *gen)
{
  static const TpInstrOp ops[] = { TP_I_IADD, TP_I_IMIN, TP_I_IMAX };
  TpKernel *kernel = gen->kernel;
  TpValue a = pick (gen, TP_KIND_INDEX, 0), b = pick (gen, TP_KIND_INDEX, 0);

  switch (draw (4))
    {
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
add_integer (Generator *gen, int width)
{
  static const TpInstrOp ops[] = { TP_I_IADD, TP_I_ISUB, TP_I_IMUL,
                                   TP_I_IMIN, TP_I_IMAX, TP_I_IAND };
  TpKernel *kernel = gen->kernel;
  TpValue a = pick (gen, TP_KIND_I32, width), f;

  switch (draw (5))
    {
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
      return tp_k_binary (kernel, ops[draw (6)], a,
                          pick (gen, TP_KIND_I32, width));
    }
}

static TpValue
add_mask (Generator *gen, int width)
{
  static const TpInstrOp ops[] = { TP_I_FLESS,  TP_I_FEQUAL, TP_I_ILESS,
                                   TP_I_IEQUAL, TP_I_MAND,   TP_I_MOR };
  static const TpKind kinds[] = { TP_KIND_F32, TP_KIND_F32,  TP_KIND_I32,
                                  TP_KIND_I32, TP_KIND_MASK, TP_KIND_MASK };
  int i = draw (7);

  if (i == 6)
    return tp_k_unary (gen->kernel, TP_I_MNOT, pick (gen, TP_KIND_MASK, width));
  return tp_k_binary (gen->kernel, ops[i], pick (gen, kinds[i], width),
                      pick (gen, kinds[i], width));
}

static TpValue
add_lanes (Generator *gen, int width)
{
  TpKernel *kernel = gen->kernel;
  TpInstrOp ops[] = { TP_I_LANE_SUM, TP_I_LANE_MAX, TP_I_LANE_MIN };
  TpValue vector = pick (gen, TP_KIND_F32, width);
  TpValue scalar = pick (gen, TP_KIND_F32, 0);
  int lane = draw (widths[width]);

  switch (draw (4))
    {
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
  int buffer = draw (4), lanes = widths[width];
  int n = buffer < 2 ? N_INPUT : buffer == 2 ? RANDOM_KERNEL_N : N_LOCAL;
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
  if (buffer == 2)
    at = tp_k_binary (kernel, TP_I_IADD, gen->slice, at);
  return tp_k_load (kernel, buffer, at, lanes, mask);
}

static void
add_store (Generator *gen, int width)
{
  TpKernel *kernel = gen->kernel;
  int buffer = 2 + draw (2), lanes = widths[width];
  int n = buffer == 2 ? RANDOM_KERNEL_N : N_LOCAL;
  TpValue at = bounded (gen, n - lanes + 1);
  TpValue mask = draw (2) ? pick (gen, TP_KIND_MASK, width) : -1;

  if (buffer == 2)
    at = tp_k_binary (kernel, TP_I_IADD, gen->slice, at);
  tp_k_store (kernel, buffer, at, pick (gen, TP_KIND_F32, width), mask);
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
close_pools (Generator *gen, guint lengths[5][4])
{
  for (int kind = 0; kind < 5; kind++)
    for (int width = 0; width < 4; width++)
      g_array_set_size (gen->pools[kind][width], lengths[kind][width]);
}

static void
open_pools (Generator *gen, guint lengths[5][4])
{
  for (int kind = 0; kind < 5; kind++)
    for (int width = 0; width < 4; width++)
      lengths[kind][width] = gen->pools[kind][width]->len;
}

static void
add_for (Generator *gen, int n)
{
  TpKernel *kernel = gen->kernel;
  TpKind kinds[] = { TP_KIND_F32, TP_KIND_F32, TP_KIND_I32 };
  TpValue carries[3], finals[3], end = tp_k_index (kernel, draw (6));
  int carry_width[3], n_carries = draw (4);
  guint lengths[5][4];

  if (draw (2))
    end = bounded (gen, 5);
  for (int i = 0; i < n_carries; i++)
    {
      carry_width[i] = draw (4);
      carries[i] = pick (gen, kinds[i], carry_width[i]);
    }
  put (gen, end);
  open_pools (gen, lengths);
  put (gen,
       tp_k_for (kernel,
                 draw (2) ? tp_k_index (kernel, draw (3)) : bounded (gen, 3),
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
  guint lengths[5][4];

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

  switch (draw (8))
    {
    case 0:
      put (gen, add_index (gen));
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
      add_store (gen, width);
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
prepare (Generator *gen)
{
  TpKernel *kernel = gen->kernel;
  TpValue i = tp_k_group (kernel), value;

  put (gen, i);
  put (gen, tp_k_index (kernel, 3));
  gen->slice =
      tp_k_binary (kernel, TP_I_IMUL, i, tp_k_index (kernel, RANDOM_KERNEL_N));
  value = tp_k_f32 (kernel, 16, 1.5f);
  i = tp_k_for (kernel, tp_k_index (kernel, 0), tp_k_index (kernel, N_LOCAL),
                16);
  tp_k_store (kernel, 3, i, value, -1);
  tp_k_end_for (kernel, NULL, 0, NULL);
  for (int width = 0; width < 4; width++)
    {
      put (gen, constant (gen, width));
      put (gen, tp_k_load (kernel, width % 2, tp_k_index (kernel, 16 * width),
                           widths[width], -1));
      put (gen, tp_k_i32 (kernel, widths[width], draw (9) - 4));
      put (gen, tp_k_iota (kernel, widths[width]));
      put (gen, tp_k_binary (kernel, TP_I_ILESS, pick (gen, TP_KIND_I32, width),
                             pick (gen, TP_KIND_I32, width)));
    }
}

TpKernel *
random_kernel_new (int n_instrs)
{
  Generator gen = { .kernel = tp_kernel_new ("random") };

  for (int kind = 0; kind < 5; kind++)
    for (int width = 0; width < 4; width++)
      gen.pools[kind][width] = g_array_new (FALSE, FALSE, sizeof (TpValue));
  gen.kernel->n_groups = 3;
  tp_kernel_add_buffer (gen.kernel, TP_SPACE_GLOBAL, N_INPUT, FALSE);
  tp_kernel_add_buffer (gen.kernel, TP_SPACE_GLOBAL, N_INPUT, FALSE);
  tp_kernel_add_buffer (gen.kernel, TP_SPACE_GLOBAL, 3 * RANDOM_KERNEL_N, TRUE);
  tp_kernel_add_buffer (gen.kernel, TP_SPACE_LOCAL, N_LOCAL, TRUE);
  prepare (&gen);
  generate (&gen, n_instrs);
  for (int i = 0; i < 4; i++)
    add_store (&gen, i);
  for (int kind = 0; kind < 5; kind++)
    for (int width = 0; width < 4; width++)
      g_array_unref (gen.pools[kind][width]);
  return gen.kernel;
}

/* --- buffers ------------------------------------------------------------ */

float **
random_buffers_new (const TpKernel *kernel)
{
  float **buffers = g_new0 (float *, kernel->n_buffers + 1);

  for (int i = 0; i < kernel->n_buffers; i++)
    if (kernel->buffers[i].space == TP_SPACE_GLOBAL)
      {
        buffers[i] = g_new (float, kernel->buffers[i].n_elements);
        for (gint64 j = 0; j < kernel->buffers[i].n_elements; j++)
          buffers[i][j] = (float)g_test_rand_double_range (-8, 8);
      }
  return buffers;
}

float **
random_buffers_copy (const TpKernel *kernel, float *const *buffers)
{
  float **copy = g_new0 (float *, kernel->n_buffers + 1);

  for (int i = 0; i < kernel->n_buffers; i++)
    if (buffers[i] != NULL)
      copy[i] = g_memdup2 (buffers[i],
                           kernel->buffers[i].n_elements * sizeof (float));
  return copy;
}

void
random_buffers_free (const TpKernel *kernel, float **buffers)
{
  for (int i = 0; i < kernel->n_buffers; i++)
    g_free (buffers[i]);
  g_free (buffers);
}

void
random_buffers_assert_equal (const TpKernel *kernel, float *const *x,
                             float *const *y)
{
  for (int i = 0; i < kernel->n_buffers; i++)
    for (gint64 j = 0; x[i] != NULL && j < kernel->buffers[i].n_elements; j++)
      if (memcmp (&x[i][j], &y[i][j], sizeof (float)) != 0
          && !(isnan (x[i][j]) && isnan (y[i][j])))
        {
          g_autofree char *text = tp_kernel_to_text (kernel);

          g_test_message ("%s", text);
          g_error ("buffer %d, element %" G_GINT64_FORMAT ": %a and %a", i, j,
                   x[i][j], y[i][j]);
        }
}
