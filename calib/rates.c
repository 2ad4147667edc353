/* rates.c: see rates.h. */
#include "config.h"

#include "calib/rates.h"

#include "ir/rate-text.h"
#include "machine/machine.h"
#include "runtime/devices.h"

#include <string.h>

static void
find_simulated (const char *device, TpRate *out_rate)
{
  const char *which = strchr (device, ':');
  g_autoptr (TpMachine) machine
      = which == NULL ? NULL : tp_machine_parse (which + 1, NULL);

  if (machine != NULL)
    *out_rate = machine->rate;
}

void
tp_calib_find_rate (const TpMachineInfo *machine, const char *device,
                    TpRate *out_rate)
{
  const TpRate *stated = machine == NULL || machine->rates == NULL
                             ? NULL
                             : g_hash_table_lookup (machine->rates, device);

  tp_rate_init (out_rate);
  if (tp_device_is_simulated (device))
    find_simulated (device, out_rate);
  else if (stated != NULL)
    *out_rate = *stated;
}
