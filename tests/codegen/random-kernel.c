/* random-kernel.c: a generator of valid kernels: values are drawn from pools by
 * kind and lanes; a region's values leave the pools with it. */
#include "config.h"

#include "random-kernel.h"

#include "random-values.h"

/* --- regions ------------------------------------------------------------ */

static void generate (RandomValues *gen, int n);

static void
close_pools (RandomValues *gen, guint lengths[N_POOLS][4])
{
  for (int kind = 0; kind < N_POOLS; kind++)
    for (int width = 0; width < 4; width++)
      g_array_set_size (gen->pools[kind][width], lengths[kind][width]);
}

static void
open_pools (RandomValues *gen, guint lengths[N_POOLS][4])
{
  for (int kind = 0; kind < N_POOLS; kind++)
    for (int width = 0; width < 4; width++)
      lengths[kind][width] = gen->pools[kind][width]->len;
}

static void
add_for (RandomValues *gen, int n)
{
  TpKernel *kernel = gen->kernel;
  TpKind kinds[] = { TP_KIND_F32, TP_KIND_INDEX, TP_KIND_I32, TP_KIND_F64 };
  TpValue carries[4], finals[4], end = tp_k_index (kernel, random_draw (6));
  int carry_width[4], n_carries = random_draw (5);
  guint lengths[N_POOLS][4];

  if (random_draw (2))
    end = random_bounded (gen, 5);
  for (int i = 0; i < n_carries; i++)
    {
      carry_width[i] = random_draw (4);
      carries[i] = random_pick (gen, kinds[i], carry_width[i]);
    }
  random_put_address (gen, end);
  open_pools (gen, lengths);
  random_put_address (gen, tp_k_for (kernel,
                              random_draw (2) ? tp_k_index (kernel, random_draw (3))
                                       : random_bounded (gen, 3),
                              end, 1 + random_draw (2)));
  for (int i = 0; i < n_carries; i++)
    random_put (gen, tp_k_carry (kernel, carries[i]));
  generate (gen, n);
  for (int i = 0; i < n_carries; i++)
    carries[i] = random_pick (gen, kinds[i], carry_width[i]);
  close_pools (gen, lengths);
  tp_k_end_for (kernel, carries, n_carries, finals);
  for (int i = 0; i < n_carries; i++)
    random_put (gen, finals[i]);
}

static void
add_if (RandomValues *gen, int n)
{
  guint lengths[N_POOLS][4];

  open_pools (gen, lengths);
  tp_k_if (gen->kernel, random_pick (gen, TP_KIND_MASK, 0));
  generate (gen, n);
  close_pools (gen, lengths);
  tp_k_end_if (gen->kernel);
}

static void
add_one (RandomValues *gen)
{
  int width = random_draw (4);

  switch (random_draw (9))
    {
    case 0:
      random_put_address (gen, random_add_address (gen));
      break;
    case 8:
      random_put (gen, random_add_index (gen, width));
      break;
    case 1:
      random_put (gen, random_add_integer (gen, width));
      break;
    case 2:
      random_put (gen, random_add_mask (gen, width));
      break;
    case 3:
      random_put (gen, random_add_lanes (gen, width));
      break;
    case 4:
      random_put (gen, random_add_load (gen, width));
      break;
    case 5:
      random_add_store (gen, FIRST_WRITTEN + random_draw (N_BUFFERS - FIRST_WRITTEN), width);
      break;
    default:
      random_put (gen, random_add_float (gen, width));
      break;
    }
}

static void
generate (RandomValues *gen, int n)
{
  gen->depth++;
  for (int i = 0; i < n; i++)
    if (gen->depth < 4 && random_draw (12) == 0)
      (random_draw (2) ? add_for : add_if) (gen, n / 2);
    else
      add_one (gen);
  gen->depth--;
}

/* Every pool gets a value; local memory and the slice are written, for what
 * they hold before is not defined. */
static void
write_locals (RandomValues *gen)
{
  TpKernel *kernel = gen->kernel;
  TpValue real = tp_k_f32 (kernel, 16, 1.5f), wide = tp_k_f64 (kernel, 16, 1.5);
  TpValue index = tp_k_index (kernel, 3), i;

  index = tp_k_splat (kernel, index, 16);
  i = tp_k_for (kernel, tp_k_index (kernel, 0), tp_k_index (kernel, N_LOCAL),
                16);
  for (int b = FIRST_LOCAL; b < N_BUFFERS; b++)
    tp_k_store (kernel, b, i,
                tp_dtype_is_integer (random_buffers[b].dtype)     ? index
                : random_buffers[b].dtype == TPLAN_DTYPE_FLOAT64 ? wide
                                                           : real,
                -1);
  tp_k_end_for (kernel, NULL, 0, NULL);
}

static void
prepare (RandomValues *gen)
{
  TpKernel *kernel = gen->kernel;
  TpValue i = tp_k_group (kernel);

  random_put_address (gen, i);
  random_put_address (gen, tp_k_index (kernel, 3));
  if (kernel->n_iterations > 1)
    random_put_address (gen, tp_k_iteration (kernel));
  gen->slice =
      tp_k_binary (kernel, TP_I_IMUL, i, tp_k_index (kernel, RANDOM_KERNEL_N));
  write_locals (gen);
  for (int width = 0; width < 4; width++)
    {
      random_put (gen, random_constant (gen, TP_KIND_F32, width));
      random_put (gen, random_constant (gen, TP_KIND_F64, width));
      for (int b = 0; b < FIRST_WRITTEN; b++)
        random_put (gen, tp_k_load (kernel, b, tp_k_index (kernel, 16 * width),
                             random_widths[width], -1));
      random_put (gen, tp_k_i32 (kernel, random_widths[width], random_draw (9) - 4));
      random_put (gen, tp_k_iota (kernel, random_widths[width]));
      random_put (gen, tp_k_binary (kernel, TP_I_ILESS, random_pick (gen, TP_KIND_I32, width),
                             random_pick (gen, TP_KIND_I32, width)));
    }
}

/* Into a kernel that may have an open region. */
static void
fill_kernel (RandomValues *generator, int n_instrs)
{
  RandomValues gen = *generator;

  for (int kind = 0; kind < N_POOLS; kind++)
    for (int width = 0; width < 4; width++)
      gen.pools[kind][width] = g_array_new (FALSE, FALSE, sizeof (TpValue));
  gen.kernel->n_groups = 3;
  gen.kernel->n_iterations = 1 + random_draw (2);
  prepare (&gen);
  generate (&gen, n_instrs);
  for (int buffer = FIRST_WRITTEN; buffer < FIRST_LOCAL; buffer++)
    for (int width = 0; width < 4; width++)
      random_add_store (&gen, buffer, width);
  for (int kind = 0; kind < N_POOLS; kind++)
    for (int width = 0; width < 4; width++)
      g_array_unref (gen.pools[kind][width]);
}

static TpKernel *
new_kernel (void)
{
  TpKernel *kernel = tp_kernel_new ("random");

  for (int i = 0; i < N_BUFFERS; i++)
    tp_kernel_add_buffer (kernel, random_buffers[i].space, random_buffers[i].dtype,
                          random_buffers[i].n_elements, random_buffers[i].is_written);
  return kernel;
}

TpKernel *
random_kernel_new (int n_instrs)
{
  RandomValues gen = { .kernel = new_kernel () };

  fill_kernel (&gen, n_instrs);
  return gen.kernel;
}

TpKernel *
random_kernel_new_items (int n_instrs)
{
  RandomValues gen = { .kernel = new_kernel () };

  gen.kernel->local_size = 2;
  tp_k_if (gen.kernel, tp_k_binary (gen.kernel, TP_I_IEQUAL,
                                    tp_k_item (gen.kernel),
                                    tp_k_index (gen.kernel, 1)));
  fill_kernel (&gen, n_instrs);
  tp_k_end_if (gen.kernel);
  return gen.kernel;
}
