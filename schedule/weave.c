/* weave.c: shuffles of vectors, as of a pack of cards: each round puts what was half the
 * vectors apart side by side, or takes neighbours apart. */
#include "config.h"

#include "schedule/weave.h"

#include <string.h>

void
tp_weave (TpKernel *kernel, TpValue *vectors, int n)
{
  TpValue next[TP_WEAVE_MAX];

  for (int round = 1; round < n; round *= 2)
    {
      for (int i = 0; i < n / 2; i++)
        for (int high = 0; high < 2; high++)
          next[2 * i + high]
              = tp_k_zip (kernel, vectors[i], vectors[i + n / 2], high);
      memcpy (vectors, next, n * sizeof next[0]);
    }
}

TpValue
tp_weave_take (TpKernel *kernel, const TpValue *vectors, int n, int first)
{
  TpValue left[TP_WEAVE_MAX];

  memcpy (left, vectors, n * sizeof left[0]);
  for (; n > 1; n /= 2, first /= 2)
    for (int i = 0; i < n / 2; i++)
      left[i] = tp_k_unzip (kernel, left[2 * i], left[2 * i + 1], first % 2);
  return left[0];
}

gboolean
tp_weave_is_for (gint64 step)
{
  return step == 2 || step == 4;
}

gboolean
tp_weave_is_stored (const TpNest *nest, int vaxis, int axis)
{
  return vaxis >= 0 && axis >= 0 && axis != vaxis && nest->store.index < 0
         && !nest->axes[axis].is_reduce && !nest->axes[vaxis].is_reduce
         && nest->store.stride[axis] == 1
         && nest->store.stride[vaxis] == nest->axes[axis].extent
         && tp_weave_is_for (nest->axes[axis].extent);
}
