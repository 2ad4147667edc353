/* step.c: see step.h. */
#include "config.h"

#include "schedule/step.h"

void
tp_step_clear (TpStep *step)
{
  tp_kernel_free (step->kernel);
  g_free (step->args);
}
