/* pressure.h: for how long somebody waited, as Linux tells (PSI, Documentation/accounting/psi.rst):
 * for a processor, for memory, and for a processor in the control group of this process. */
#ifndef TP_CALIB_PRESSURE_H
#define TP_CALIB_PRESSURE_H

#include <glib.h>

typedef enum
{
  TP_PRESSURE_CPU,
  TP_PRESSURE_MEMORY,
  TP_PRESSURE_GROUP,          /* for a processor, who is in the group */
  TP_N_PRESSURES
} TpPressureKind;

typedef struct
{
  gint64 some_us[TP_N_PRESSURES]; /* since the system began; -1: it does not tell */
} TpPressure;

/* "total" of the line "some" of @path; -1: there is none that can be read. */
gint64 tp_pressure_read_file (const char *path);
/* The file that has the waits for processors of the group that @list, as
 * /proc/self/cgroup is written, names, below @root; g_free (); NULL: it names none. */
char *tp_pressure_find_group (const char *list, const char *root);
void tp_pressure_read (TpPressure *out_now);
/* That of memory alone, which costs least; the others are -1. */
void tp_pressure_read_memory (TpPressure *out_now);

/* How much that rose; -1: not known. */
gint64 tp_pressure_get_us (const TpPressure *begin, const TpPressure *end,
                           TpPressureKind kind);
/* Whether what took @wall_us from @begin to @end was short of memory for a part of it
 * that shows. */
gboolean tp_pressure_was_short (const TpPressure *begin, const TpPressure *end,
                                gint64 wall_us);

#endif
