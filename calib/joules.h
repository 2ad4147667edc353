/* joules.h: the counters of energy that the system keeps.
 *
 * Of processors those of powercap (RAPL): packages, and memory where it has one of
 * its own. Of a card that is on PCI those of hwmon: energy, else power, which is
 * added up over the times it was asked for. NVIDIA's driver keeps none there. */
#ifndef TP_CALIB_JOULES_H
#define TP_CALIB_JOULES_H

#include <glib.h>

typedef struct TpJoules TpJoules;

/**
 * tp_joules_open:
 * @sysfs: (nullable): instead of $TPLAN_SYSFS, else /sys
 * @pci: (nullable): where a card is, "0000:03:00.0"; NULL: the processors
 *
 * Returns: (nullable): the system keeps none, or none this process may read: of
 *   processors root alone may, on most systems.
 */
TpJoules *tp_joules_open (const char *sysfs, const char *pci);
void tp_joules_free (TpJoules *joules);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (TpJoules, tp_joules_free)

/* What is counted: "package-0+dram". */
const char *tp_joules_get_source (const TpJoules *joules);

/* Begins at 0. FALSE: a counter cannot be read any more. */
gboolean tp_joules_start (TpJoules *joules);
/* Power is asked for: some times a second, while what draws it goes on. */
gboolean tp_joules_look (TpJoules *joules);
/* Looks, and gives what was drawn on average since the start, in watts. Counters
 * move once in some milliseconds: let it be a second. FALSE: a counter cannot be
 * read, or stood still. */
gboolean tp_joules_stop (TpJoules *joules, double *out_watts);

#endif
