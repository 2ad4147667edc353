/* machine.h: a device as a handful of constants, for estimates and for machines
 * we do not own.
 *
 * time = launch + max (flops / (peak * fill), bytes / bandwidth), where fill =
 * min (1, points / full_points): a wide device starves on small ops; and what is of
 * float64 counts 1 / double_rate times. */
#ifndef TP_MACHINE_MACHINE_H
#define TP_MACHINE_MACHINE_H

#include "ir/costs.h"
#include "nest/nest.h"

typedef struct
{
  char *name;                 /* "server-gpu" */
  char *description;
  double peak_gflops;
  double double_rate;         /* what of that there is of float64: above 0 */
  double bandwidth_gbps;      /* 1e9 bytes per second */
  double launch_ns;
  double link_gbps;           /* to and from the host; 0: none, it works in
                               * host memory */
  double link_latency_ns;
  double full_points;         /* spatial points that fill the device */
  gint64 memory_bytes;        /* 0: no limit */
  char *pool;                 /* (nullable): the memory that it shares with others
                               * that name the same */
  double map_ns;              /* the host works in its memory, and has what it has
                               * written, or the other way round, after so long;
                               * 0: it does not */
  char **missing_ops;         /* (nullable) NULL-terminated */
  TpRate rate;                /* what it draws and is rented for */
} TpMachine;

/* A built-in profile by name, or by name and number ("server-gpu:1": another one of
 * the kind), a file in GKeyFile form, or a list such as
 * "gflops=2000,gbps=200,launch=8us,link=12GB/s+8us". */
TpMachine *tp_machine_parse (const char *text, GError **error);
void tp_machine_free (TpMachine *machine);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (TpMachine, tp_machine_free)
const char *const *tp_machine_list (void); /* built-in names, NULL-terminated */

gint64 tp_machine_estimate_ns (const TpMachine *machine, const TpWork *work);
/* To or from host memory: over the link, or, where there is none, from one place
 * in that memory to another. */
gint64 tp_machine_transfer_ns (const TpMachine *machine, gint64 bytes);
gint64 tp_machine_map_ns (const TpMachine *machine);

#endif
