/* rates.c: see rates.h. */
#include "config.h"

#include "calib/rates.h"

#include "ir/rate-text.h"
#include "machine/machine.h"
#include "runtime/devices.h"

#include <string.h>

void
tp_calib_find_rate (const char *device, TpRate *out_rate)
{
  const char *which = strchr (device, ':');
  g_autoptr (TpMachine) machine = NULL;

  tp_rate_init (out_rate);
  if (which == NULL || !tp_device_is_simulated (device))
    return;
  machine = tp_machine_parse (which + 1, NULL);
  if (machine != NULL)
    *out_rate = machine->rate;
}
