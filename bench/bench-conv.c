/* bench-conv.c: the distinct convolutions of ResNet50, VGG16, DenseNet121 and
 * MobileNetV2 at batch 1 through the JIT, each with its count in the network:
 * GFLOP/s (of the direct way) and percent of the multiply-add peak of a thread,
 * and the sum over the network; where two schedules are close, both, and what may be
 * faster with larger errors. Arguments: names of networks. THREADS=1. */
#include "config.h"

#include "ir/clock.h"

#include "kernels.h"
#include "nests.h"

#include <stdio.h>
#include <string.h>

#define N_ROUNDS 15

typedef struct
{
  const char *network;
  int count;
  ConvCase conv;
} BenchCase;

#define CONV(c, h, o, k, s)                                                    \
  { 1, c, h, h, o, k, k, s, (k) / 2, 1, 1, .has_epilogue = FALSE }
#define DEPTHWISE(c, h, s)                                                     \
  { 1, c, h, h, c, 3, 3, s, 1, 1, c, .has_epilogue = FALSE }
#define PROLOGUE(c, h, o, k)                                                   \
  { 1, c, h, h, o, k, k, 1, (k) / 2, 1, 1, .has_prologue = TRUE }

static const BenchCase cases[] = {
  { "resnet50", 1, { 1, 3, 224, 224, 64, 7, 7, 2, 3, 1, 1,
                     .is_row_major = TRUE } },
  { "resnet50", 1, CONV (64, 56, 64, 1, 1) },
  { "resnet50", 4, CONV (64, 56, 256, 1, 1) },
  { "resnet50", 2, CONV (256, 56, 64, 1, 1) },
  { "resnet50", 3, CONV (64, 56, 64, 3, 1) },
  { "resnet50", 1, CONV (256, 56, 128, 1, 1) },
  { "resnet50", 1, CONV (128, 56, 128, 3, 2) },
  { "resnet50", 1, CONV (256, 56, 512, 1, 2) },
  { "resnet50", 4, CONV (128, 28, 512, 1, 1) },
  { "resnet50", 3, CONV (512, 28, 128, 1, 1) },
  { "resnet50", 3, CONV (128, 28, 128, 3, 1) },
  { "resnet50", 1, CONV (512, 28, 256, 1, 1) },
  { "resnet50", 1, CONV (256, 28, 256, 3, 2) },
  { "resnet50", 1, CONV (512, 28, 1024, 1, 2) },
  { "resnet50", 6, CONV (256, 14, 1024, 1, 1) },
  { "resnet50", 5, CONV (1024, 14, 256, 1, 1) },
  { "resnet50", 5, CONV (256, 14, 256, 3, 1) },
  { "resnet50", 1, CONV (1024, 14, 512, 1, 1) },
  { "resnet50", 1, CONV (512, 14, 512, 3, 2) },
  { "resnet50", 1, CONV (1024, 14, 2048, 1, 2) },
  { "resnet50", 3, CONV (512, 7, 2048, 1, 1) },
  { "resnet50", 2, CONV (2048, 7, 512, 1, 1) },
  { "resnet50", 2, CONV (512, 7, 512, 3, 1) },
  { "resnet50", 1, CONV (2048, 1, 1000, 1, 1) },
  { "vgg16", 1, CONV (3, 224, 64, 3, 1) },
  { "vgg16", 1, CONV (64, 224, 64, 3, 1) },
  { "vgg16", 1, CONV (64, 112, 128, 3, 1) },
  { "vgg16", 1, CONV (128, 112, 128, 3, 1) },
  { "vgg16", 1, CONV (128, 56, 256, 3, 1) },
  { "vgg16", 2, CONV (256, 56, 256, 3, 1) },
  { "vgg16", 1, CONV (256, 28, 512, 3, 1) },
  { "vgg16", 2, CONV (512, 28, 512, 3, 1) },
  { "vgg16", 3, CONV (512, 14, 512, 3, 1) },
  { "densenet121", 1, PROLOGUE (64, 56, 128, 1) },
  { "densenet121", 1, PROLOGUE (160, 56, 128, 1) },
  { "densenet121", 6, CONV (128, 56, 32, 3, 1) },
  { "densenet121", 1, PROLOGUE (256, 56, 128, 1) },
  { "densenet121", 1, PROLOGUE (320, 28, 128, 1) },
  { "densenet121", 12, CONV (128, 28, 32, 3, 1) },
  { "densenet121", 1, PROLOGUE (512, 28, 256, 1) },
  { "densenet121", 1, PROLOGUE (640, 14, 128, 1) },
  { "densenet121", 24, CONV (128, 14, 32, 3, 1) },
  { "densenet121", 1, PROLOGUE (768, 7, 128, 1) },
  { "densenet121", 16, CONV (128, 7, 32, 3, 1) },
  { "densenet121", 16, PROLOGUE (128, 7, 32, 3) },
  { "mobilenetv2", 1, { 1, 3, 224, 224, 32, 3, 3, 2, 1, 1, 1,
                        .is_row_major = TRUE } },
  { "mobilenetv2", 1, DEPTHWISE (32, 112, 1) },
  { "mobilenetv2", 1, CONV (32, 112, 16, 1, 1) },
  { "mobilenetv2", 1, CONV (16, 112, 96, 1, 1) },
  { "mobilenetv2", 1, DEPTHWISE (96, 112, 2) },
  { "mobilenetv2", 1, CONV (96, 56, 24, 1, 1) },
  { "mobilenetv2", 2, CONV (24, 56, 144, 1, 1) },
  { "mobilenetv2", 1, DEPTHWISE (144, 56, 1) },
  { "mobilenetv2", 1, CONV (144, 56, 24, 1, 1) },
  { "mobilenetv2", 1, DEPTHWISE (144, 56, 2) },
  { "mobilenetv2", 1, CONV (144, 28, 32, 1, 1) },
  { "mobilenetv2", 3, CONV (32, 28, 192, 1, 1) },
  { "mobilenetv2", 2, DEPTHWISE (192, 28, 1) },
  { "mobilenetv2", 2, CONV (192, 28, 32, 1, 1) },
  { "mobilenetv2", 1, DEPTHWISE (192, 28, 2) },
  { "mobilenetv2", 1, CONV (192, 14, 64, 1, 1) },
  { "mobilenetv2", 4, CONV (64, 14, 384, 1, 1) },
  { "mobilenetv2", 4, DEPTHWISE (384, 14, 1) },
  { "mobilenetv2", 3, CONV (384, 14, 64, 1, 1) },
  { "mobilenetv2", 1, CONV (384, 14, 96, 1, 1) },
  { "mobilenetv2", 3, CONV (96, 14, 576, 1, 1) },
  { "mobilenetv2", 2, DEPTHWISE (576, 14, 1) },
  { "mobilenetv2", 2, CONV (576, 14, 96, 1, 1) },
  { "mobilenetv2", 1, DEPTHWISE (576, 14, 2) },
  { "mobilenetv2", 1, CONV (576, 7, 160, 1, 1) },
  { "mobilenetv2", 3, CONV (160, 7, 960, 1, 1) },
  { "mobilenetv2", 3, DEPTHWISE (960, 7, 1) },
  { "mobilenetv2", 2, CONV (960, 7, 160, 1, 1) },
  { "mobilenetv2", 1, CONV (960, 7, 320, 1, 1) },
  { "mobilenetv2", 1, CONV (320, 7, 1280, 1, 1) },
};

static double
count_flops (const ConvCase *c)
{
  gint64 out = (c->h + 2 * c->pad - c->kh) / c->stride + 1;

  return 2.0 * out * out * c->o * (c->c / c->groups) * c->kh * c->kw;
}

static double
time_run (const BenchProgram *bench)
{
  gint64 start = tp_clock_get_ns ();

  bench_program_run (bench);
  return tp_clock_get_ns () - start;
}

/* What a schedule that may be as fast takes, of the time of the model's: both in
 * turn, by medians of ratios and by least times. */
static void
run_other (const BenchCase *b, const TpTarget *target, const char *name,
           const char *schedule)
{
  g_autoptr (TpLowered) lowered = new_conv (&b->conv);
  BenchProgram *bench[] = { bench_program_new (lowered, target, NULL),
                            bench_program_new (lowered, target, schedule) };
  double times[N_ROUNDS], ratios[N_ROUNDS], least[] = { 1e30, 1e30 };

  for (int i = -1; i < N_ROUNDS; i++)
    {
      double first = time_run (bench[0]), second = time_run (bench[1]);

      if (i < 0)
        continue;
      least[0] = MIN (least[0], first);
      least[1] = MIN (least[1], second);
      times[i] = second;
      ratios[i] = second / first;
    }
  printf ("%60s %8.1f us, %.2f of it (best %.2f)  compile %3.0f ms  %s\n", name,
          bench_median (times, N_ROUNDS) * 1e-3,
          bench_median (ratios, N_ROUNDS), least[1] / least[0],
          bench[1]->compile_ms, schedule);
  bench_program_free (bench[0]);
  bench_program_free (bench[1]);
}

/* Milliseconds of one run. */
static double
run_case (const BenchCase *b, const TpTarget *target, double peak)
{
  const ConvCase *c = &b->conv;
  g_autoptr (TpLowered) lowered = new_conv (c);
  g_autofree char *rival = tp_program_find_rival (lowered, target);
  g_autofree char *relaxed = tp_program_find_relaxed (lowered, target);
  BenchProgram *bench = bench_program_new (lowered, target, NULL);
  double flops = count_flops (c), best = 1e30, median, times[N_ROUNDS];

  bench_program_run (bench);
  for (int i = 0; i < N_ROUNDS; i++)
    {
      times[i] = time_run (bench);
      best = MIN (best, times[i]);
    }
  median = bench_median (times, N_ROUNDS);
  printf ("%-11s %2d x %4d %3d %4d k%d s%d%s %8.1f us (best %8.1f) %6.1f "
          "GFLOP/s %5.1f %%  compile %3.0f ms  %s\n",
          b->network, b->count, (int) c->c, (int) c->h, (int) c->o, (int) c->kh,
          (int) c->stride, c->groups > 1 ? " dw" : "", median * 1e-3,
          best * 1e-3, flops / best, 100.0 * flops / best / peak,
          bench->compile_ms, bench->program->schedule);
  bench_program_free (bench);
  if (rival != NULL)
    run_other (b, target, "rival", rival);
  if (relaxed != NULL)
    run_other (b, target, "relaxed", relaxed);
  return best * 1e-6;
}

int
main (int argc, char **argv)
{
  TpTarget target = bench_get_target ();
  double peak = bench_measure_peak (&target), sum = 0.0;

  bench_print_machine (&target);
  printf ("# peak %.1f GFLOP/s\n", peak);
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      gboolean is_asked = argc == 1;

      for (int j = 1; j < argc; j++)
        is_asked |= strcmp (argv[j], cases[i].network) == 0;
      if (!is_asked)
        continue;
      sum += cases[i].count * run_case (&cases[i], &target, peak);
      if (i + 1 == G_N_ELEMENTS (cases)
          || strcmp (cases[i].network, cases[i + 1].network) != 0)
        {
          printf ("%s: %.2f ms\n", cases[i].network, sum);
          sum = 0.0;
        }
    }
  return 0;
}
