/* gpu-source.c: the OpenCL C of a nest for a GPU, as gpu-static.py compiles it.
 *
 *   gpu-source                       names of the nests
 *   gpu-source NEST [SCHEDULE]       its program; by the model without SCHEDULE
 */
#include "config.h"

#include "kernel/kernel-opencl-preamble.h"
#include "kernel/kernel-opencl.h"
#include "kernel/kernel-verify.h"

#include "map-nests.h"
#include "nests.h"
#include "row-nests.h"

#include <stdio.h>
#include <string.h>

/* What most GPUs of the last ten years offer. */
static const TpTarget target = { .lanes = 1, .n_registers = 32,
                                 .l1_bytes = 16 << 10, .l2_bytes = 2 << 20,
                                 .n_units = 40, .local_size = 256,
                                 .local_bytes = 48 << 10 };

typedef struct
{
  const char *name;
  TpLowered *(*make) (gconstpointer data);
  gconstpointer data;
} Source;

static TpLowered *
make_matmul (gconstpointer data)
{
  return new_matmul (data);
}

static TpLowered *
make_conv (gconstpointer data)
{
  return new_conv (data);
}

static TpLowered *
make_max_pool (gconstpointer data)
{
  return new_pool (data, TRUE);
}

static TpLowered *
make_mean_pool (gconstpointer data)
{
  return new_pool (data, FALSE);
}

#define MATMUL(...) make_matmul, &(const MatmulCase) { __VA_ARGS__ }
#define CONV(...) make_conv, &(const ConvCase) { __VA_ARGS__ }
#define MAXIMA(...) make_max_pool, &(const ConvCase) { __VA_ARGS__ }
#define MEANS(...) make_mean_pool, &(const ConvCase) { __VA_ARGS__ }
#define MAP(...) new_map, &(const MapCase) { __VA_ARGS__ }
#define ROWS(...) new_rows, &(const RowCase) { __VA_ARGS__ }

static const Source sources[] = {
  { "sgemm-nn", MATMUL (1, 1024, 1024, 1024, .trans_a = FALSE) },
  { "sgemm-nt", MATMUL (1, 1024, 1024, 1024, .trans_b = TRUE) },
  { "sgemm-tn", MATMUL (1, 1024, 1024, 1024, .trans_a = TRUE) },
  { "sgemm-tt", MATMUL (1, 1024, 1024, 1024, .trans_a = TRUE,
                        .trans_b = TRUE) },
  { "sgemm-odd", MATMUL (1, 1021, 1019, 1013, .has_bias = TRUE) },
  { "sgemm-batch", MATMUL (12, 128, 128, 64, .trans_a = FALSE) },
  { "sgemm-small", MATMUL (1, 64, 64, 4096, .trans_a = FALSE) },
  { "gemv", MATMUL (1, 1, 1000, 2048, .is_w_constant = TRUE) },
  { "conv-1x1", CONV (1, 256, 28, 28, 128, 1, 1, 1, 0, 1, 1,
                      .has_epilogue = TRUE) },
  { "conv-3x3", CONV (1, 64, 56, 56, 64, 3, 3, 1, 1, 1, 1,
                      .has_epilogue = TRUE) },
  { "conv-3x3-nchw", CONV (1, 64, 56, 56, 64, 3, 3, 1, 1, 1, 1,
                           .is_row_major = TRUE, .is_out_row_major = TRUE) },
  { "conv-7x7", CONV (1, 3, 224, 224, 64, 7, 7, 2, 3, 1, 1,
                      .has_prologue = FALSE) },
  { "sum-rows", ROWS (.kind = ROW_SUM, .rows = 4096, .cols = 1024) },
  { "softmax", ROWS (.kind = ROW_SOFTMAX, .rows = 1536, .cols = 512) },
  { "softmax-long", ROWS (.kind = ROW_SOFTMAX, .rows = 4, .cols = 50257) },
  { "norm", ROWS (.kind = ROW_NORM, .rows = 512, .cols = 768) },
  { "transpose", ROWS (.kind = ROW_TRANSPOSE, .rows = 1024, .cols = 1024) },
  { "relu", MAP (MAP_RELU, 64, 256, 56, 56, FALSE) },
  { "gelu", MAP (MAP_GELU, 64, 256, 56, 56, FALSE) },
  { "bias", MAP (MAP_BIAS, 64, 256, 56, 56, TRUE) },
  { "bias-nchw", MAP (MAP_BIAS, 64, 256, 56, 56, FALSE) },
  { "bias-odd", MAP (MAP_BIAS, 64, 255, 55, 55, FALSE) },
  { "residual", MAP (MAP_RESIDUAL, 64, 256, 56, 56, TRUE) },
  { "concat", MAP (MAP_CONCAT, 64, 64, 56, 56, TRUE) },
  { "slice", MAP (MAP_SLICE, 64, 64, 56, 56, FALSE) },
  { "max-pool", MAXIMA (64, 64, 112, 112, 64, 3, 3, 2, 1, 1, 64,
                        .is_row_major = FALSE) },
  { "max-pool-nchw", MAXIMA (64, 64, 112, 112, 64, 3, 3, 2, 1, 1, 64,
                             .is_row_major = TRUE, .is_out_row_major = TRUE) },
  { "mean-pool", MEANS (64, 2048, 7, 7, 2048, 7, 7, 1, 0, 1, 2048,
                        .is_row_major = FALSE) },
  { "mean-pool-nchw", MEANS (64, 2048, 7, 7, 2048, 7, 7, 1, 0, 1, 2048,
                             .is_row_major = TRUE, .is_out_row_major = TRUE) },
  { "depthwise", CONV (64, 256, 28, 28, 256, 3, 3, 1, 1, 1, 256,
                       .is_row_major = FALSE) },
  { "depthwise-nchw", CONV (64, 256, 28, 28, 256, 3, 3, 1, 1, 1, 256,
                            .is_row_major = TRUE, .is_out_row_major = TRUE) },
};

static int
print_program (const TpLowered *lowered, const char *schedule)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (TpProgram) program
      = tp_program_new (lowered, &target, schedule, &error);

  for (int i = 0; program != NULL && i < program->n_steps; i++)
    if (!tp_kernel_verify (program->steps[i].kernel, &error))
      break;
  if (error != NULL)
    {
      fprintf (stderr, "gpu-source: %s\n", error->message);
      return 1;
    }
  printf ("/* %s */\n%s", program->schedule, tp_opencl_preamble ());
  for (int i = 0; i < program->n_steps; i++)
    {
      const TpKernel *kernel = program->steps[i].kernel;
      g_autofree char *text = tp_kernel_to_opencl (kernel);

      printf ("/* groups %" G_GINT64_FORMAT " items %d */\n%s",
              kernel->n_groups, kernel->local_size, text);
    }
  return 0;
}

int
main (int argc, char **argv)
{
  for (guint i = 0; i < G_N_ELEMENTS (sources); i++)
    {
      g_autoptr (TpLowered) lowered = NULL;

      if (argc < 2)
        puts (sources[i].name);
      if (argc < 2 || strcmp (argv[1], sources[i].name) != 0)
        continue;
      lowered = sources[i].make (sources[i].data);
      return print_program (lowered, argc > 2 ? argv[2] : NULL);
    }
  if (argc < 2)
    return 0;
  fprintf (stderr, "gpu-source: no nest '%s'\n", argv[1]);
  return 1;
}
