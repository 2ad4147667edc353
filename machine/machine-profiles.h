/* machine-profiles.h: the table of built-in machines. */
#ifndef TP_MACHINE_MACHINE_PROFILES_H
#define TP_MACHINE_MACHINE_PROFILES_H

#include <glib.h>

typedef struct
{
  const char *name;
  const char *description;
  const char *figures;        /* as tp_machine_parse () reads them */
} TpMachineProfile;

extern const TpMachineProfile tp_machine_profiles[];
extern const int tp_n_machine_profiles;

#endif
