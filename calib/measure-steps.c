/* measure-steps.c: see measure-steps.h. */
#include "config.h"

#include "calib/measure-steps.h"

#include "ir/map.h"

#define ROUNDS_MAX 100

int
tp_measure_count_links (const TpMeasureDevice *device)
{
  int n = 0;

  for (int i = 0; i < TP_N_PASSES; i++)
    n += device->passes[i]->len;
  return n;
}

int
tp_measure_count_rounds (const TpMeasureJob *job)
{
  return job->is_brief ? TP_MEASURE_ROUNDS_MIN : ROUNDS_MAX;
}

int
tp_measure_count_steps (const TpMeasureJob *job, const TpMeasureDevice *device)
{
  g_autoptr (TpMap) kernels = tp_map_new (g_str_hash, g_str_equal, NULL, NULL);
  int n = 0;

  for (int i = 0; i < TP_N_PASSES; i++)
    {
      const TpArray *links = device->passes[i];

      for (guint j = 0; j < links->len; j++)
        tp_map_insert (kernels,
                       job->keys->keys[tp_array_index (links, int, j)].digest,
                       NULL);
      n += links->len > 0 ? TP_MEASURE_ROUNDS_MIN : 0;
    }
  return n + (int) tp_map_size (kernels) * device->compile_steps;
}
