/* interference.c: see interference.h. */
#include "config.h"

#include "ir/interference.h"

static int
find_speed (const int *speeds, int n_engines, const gboolean *is_busy,
            int engine)
{
  int speed = TP_SPEED_ALONE;

  for (int other = 0; other < n_engines; other++)
    if (other != engine && is_busy[other])
      speed = speed * speeds[engine * n_engines + other] / TP_SPEED_ALONE;
  return MAX (speed, 1);
}

void
tp_speeds_find (const int *speeds, int n_engines, const gboolean *is_busy,
                int *out)
{
  int sum = 0;

  for (int e = 0; e < n_engines; e++)
    {
      out[e] = is_busy[e] ? find_speed (speeds, n_engines, is_busy, e) : 0;
      sum += out[e];
    }
  for (int e = 0; e < n_engines && sum < TP_SPEED_ALONE; e++)
    if (is_busy[e])
      out[e] = (out[e] * TP_SPEED_ALONE + sum - 1) / sum;
}
