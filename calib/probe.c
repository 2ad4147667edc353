/* probe.c: see probe.h. */
#include "config.h"

#include "calib/probe.h"

#include "ir/clock.h"

#define N_STEPS 4096
#define N_WORDS (1 << 20)

gint64
tp_probe_fma_ns (void)
{
  volatile double seed = 0.5;
  double value = seed;
  gint64 before = tp_clock_get_ns ();

  for (int i = 0; i < N_STEPS; i++)
    value = value * 0.999 + 0.001;
  seed = value;
  return tp_clock_get_ns () - before;
}

gint64
tp_probe_stream_ns (void)
{
  static guint64 *words;      /* made once, lives as long as the process */
  volatile guint64 result;
  guint64 sum = 0;
  gint64 before;

  if (words == NULL)
    {
      words = g_try_new (guint64, N_WORDS);
      if (words == NULL)
        return 0;
      for (int i = 0; i < N_WORDS; i++)
        words[i] = i;
    }
  before = tp_clock_get_ns ();
  for (int i = 0; i < N_WORDS; i++)
    sum += words[i];
  result = sum;
  (void) result;
  return tp_clock_get_ns () - before;
}
