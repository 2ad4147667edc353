/* gpu-source.c: the OpenCL C of a nest for a GPU, as gpu-static.py compiles it.
 *
 *   gpu-source                       names of the nests
 *   gpu-source NEST [SCHEDULE]       its program; by the model without SCHEDULE
 *   gpu-source MODEL                 names of what it is fused to: MODEL#NUMBER
 *   gpu-source MODEL#NUMBER [SCHEDULE]
 *
 * SCHEDULE "rival" is what calibration measures beside the model's; nothing is printed
 * where there is none.
 */
#include "config.h"

#include "gpu-model.h"
#include "gpu-waves.h"
#include "kernel/kernel-opencl-preamble.h"
#include "kernel/kernel-opencl.h"
#include "kernel/kernel-verify.h"

#include "map-nests.h"
#include "nests.h"
#include "row-nests.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What most GPUs of the last ten years offer. */
static const TpTarget target = { .lanes = 1, .n_registers = 32,
                                 .l1_bytes = 16 << 10, .l2_bytes = 2 << 20,
                                 .n_units = 40, .local_size = 256,
                                 .local_bytes = 48 << 10,
                                 .has_mma = TRUE };

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
#define MAP(...) \
  new_map, &(const MapCase) { __VA_ARGS__, 2, TPLAN_DTYPE_FLOAT32 }
#define HEADS(...) new_attention, &(const AttentionCase) { __VA_ARGS__ }
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
  { "conv-3x3-many", CONV (64, 64, 56, 56, 64, 3, 3, 1, 1, 1, 1,
                           .has_epilogue = TRUE) },
  { "conv-3x3-deep", CONV (64, 256, 14, 14, 256, 3, 3, 1, 1, 1, 1,
                           .has_epilogue = TRUE) },
  { "conv-7x7", CONV (1, 3, 224, 224, 64, 7, 7, 2, 3, 1, 1,
                      .has_prologue = FALSE) },
  { "sum-rows", ROWS (.kind = ROW_SUM, .rows = 4096, .cols = 1024) },
  { "softmax", ROWS (.kind = ROW_SOFTMAX, .rows = 1536, .cols = 512) },
  { "softmax-long", ROWS (.kind = ROW_SOFTMAX, .rows = 4, .cols = 50257) },
  { "attention", HEADS (ROW_SOFTMAX, 12, 512, 512, 64, 64,
                        .has_mask = TRUE) },
  { "attention-turned", HEADS (ROW_SOFTMAX, 12, 128, 128, 64, 64,
                               .is_turned = TRUE, .is_interleaved = TRUE) },
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
  { "depthwise-step", CONV (64, 144, 56, 56, 144, 3, 3, 2, 1, 1, 144,
                            .has_epilogue = TRUE) },
  { "depthwise-step-nchw", CONV (64, 144, 56, 56, 144, 3, 3, 2, 1, 1, 144,
                                 .is_row_major = TRUE, .is_out_row_major = TRUE,
                                 .has_epilogue = TRUE) },
  { "depthwise-5x5", CONV (64, 240, 28, 28, 240, 5, 5, 1, 2, 1, 240,
                           .is_row_major = FALSE) },
  { "depthwise-7x7", CONV (64, 96, 56, 56, 96, 7, 7, 1, 3, 1, 96,
                           .is_row_major = FALSE) },
  { "depthwise-dilated", CONV (64, 256, 28, 28, 256, 3, 3, 1, 2, 2, 256,
                               .is_row_major = FALSE) },
  { "depthwise-small", CONV (64, 960, 7, 7, 960, 3, 3, 1, 1, 1, 960,
                             .is_row_major = FALSE) },
  { "depthwise-odd", CONV (64, 250, 35, 35, 250, 3, 3, 1, 1, 1, 250,
                           .is_row_major = FALSE) },
  { "depthwise-one", CONV (1, 256, 28, 28, 256, 3, 3, 1, 1, 1, 256,
                           .is_row_major = FALSE) },
  { "grouped", CONV (64, 128, 56, 56, 128, 3, 3, 1, 1, 1, 32,
                     .is_row_major = FALSE) },
  { "grouped-nchw", CONV (64, 128, 56, 56, 128, 3, 3, 1, 1, 1, 32,
                          .is_row_major = TRUE, .is_out_row_major = TRUE) },
  { "grouped-8", CONV (64, 256, 28, 28, 256, 3, 3, 1, 1, 1, 32,
                       .has_epilogue = TRUE) },
  { "grouped-16", CONV (64, 512, 14, 14, 512, 3, 3, 1, 1, 1, 32,
                        .has_epilogue = TRUE) },
};

/* What gpu-static.py cannot know of the text. */
static void
print_waves (const TpKernel *kernel)
{
  printf ("/* groups %" G_GINT64_FORMAT " items %d traffic %.4f */\n",
          kernel->n_groups, kernel->local_size, gpu_wave_get_traffic (kernel));
  for (int n = 32; n <= 64; n *= 2)
    {
      GpuWave wave;

      gpu_wave_init (&wave, kernel, n);
      printf ("/* wave %d fma %" G_GINT64_FORMAT " local %" G_GINT64_FORMAT
              " cycles %" G_GINT64_FORMAT " global %" G_GINT64_FORMAT " */\n",
              n, wave.fma, wave.local_bytes, wave.local_cycles,
              wave.global_bytes);
    }
}

/* Equal kernels have equal names: each is printed once. */
static gboolean
is_first (const TpProgram *program, int step)
{
  for (int i = 0; i < step; i++)
    if (strcmp (program->steps[i].kernel->name,
                program->steps[step].kernel->name)
        == 0)
      return FALSE;
  return TRUE;
}

static int
print_program (const TpLowered *lowered, const char *schedule)
{
  g_autoptr (GError) error = NULL;
  gboolean is_rival = g_strcmp0 (schedule, "rival") == 0;
  g_autofree char *rival = is_rival ? tp_program_find_rival (lowered, &target) : NULL;
  g_autoptr (TpProgram) program = NULL;

  if (is_rival && rival == NULL)
    return 0;
  program = tp_program_new (lowered, &target, is_rival ? rival : schedule, &error);
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

      if (!is_first (program, i))
        continue;
      print_waves (kernel);
      fputs (text, stdout);
    }
  return 0;
}

/* @name: of a model, or of something in it; @schedule: nullable. */
static int
print_model (const char *name, const char *schedule)
{
  g_autoptr (GError) error = NULL;
  const char *mark = strrchr (name, '#');
  g_autofree char *path
      = mark != NULL ? g_strndup (name, mark - name) : g_strdup (name);
  g_autoptr (GPtrArray) all = gpu_model_load (path, &error);
  guint at = mark != NULL ? (guint) atoi (mark + 1) : 0;

  if (all == NULL)
    {
      fprintf (stderr, "gpu-source: %s\n", error->message);
      return 1;
    }
  if (mark != NULL && at < all->len)
    return print_program (all->pdata[at], schedule);
  for (guint i = 0; mark == NULL && i < all->len; i++)
    printf ("%s#%u\n", path, i);
  return mark != NULL;
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
  return argc < 2 ? 0 : print_model (argv[1], argc > 2 ? argv[2] : NULL);
}
