/* machine-info.h: what a machine is, for people: its processors, memory and
 * caches. No figure depends on it. */
#ifndef TP_CALIB_MACHINE_INFO_H
#define TP_CALIB_MACHINE_INFO_H

#include <glib.h>

/* Caches of one kind. */
typedef struct
{
  int level;
  char kind[16];              /* "data", "instruction", "unified" */
  gint64 size_bytes;          /* of one */
  int shared_by;              /* processors; 0: not known */
  int count;                  /* how many there are */
} TpMachineCache;

typedef struct
{
  char *cpu;                  /* "Intel(R) Xeon(R) ..."; "" if it does not say */
  int processors;             /* of which this process may use some */
  gint64 memory_bytes;
  GArray *caches;             /* TpMachineCache, by level */
  GHashTable *rates;          /* (nullable) char *, a device -> TpRate *: what its
                               * file states of it */
} TpMachineInfo;

/* Of this machine. */
TpMachineInfo *tp_machine_info_gather (void);
void tp_machine_info_free (TpMachineInfo *info);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (TpMachineInfo, tp_machine_info_free)

#endif
