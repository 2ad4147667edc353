/* cost-db.h: the rows of the cost table. Only this folder's .c files and `tplan
 * cost` look at rows; everyone else asks tp_cost_db_lookup (). */
#ifndef TP_CALIB_COST_DB_H
#define TP_CALIB_COST_DB_H

#include "calib/calib.h"
#include "calib/fit.h"
#include "calib/machine-info.h"
#include "calib/probe.h"
#include "calib/stats.h"
#include "ir/pointers.h"

/* 1: links are lines only; 2: no wholes; 4: no watts; 5: no speeds; 6: nothing is
 * mapped. Those are brought up to date when they are opened. */
#define TP_COST_DB_VERSION 7

/* A device as it was when measured. Another driver, CPU, compiler or number of
 * threads is another row. */
typedef struct
{
  gint64 id;                  /* of the row; 0: not stored */
  char *name;                 /* "opencl:0" */
  char *identity;             /* TpDeviceInfo.identity */
  char *facts;                /* tp_facts_gather (): cheap to compare */
  gint64 is_host;
  double peak_gflops;         /* of a large MatMul */
  double bandwidth_gbps;      /* of a pointwise chain beyond the caches */
  double launch_ns;           /* of an op with next to no work */
  double sync_ns;             /* waiting for an idle queue */
  double full_points;         /* as TpMachine */
  gint64 memory_bytes;
  TpFit to_device, to_host;
  TpFit map_to_device, map_to_host; /* memory that the host works in, too: until
                               * the one has what the other has written; without
                               * points: it copies */
  gint64 map_permille;        /* what these may be off by, in thousandths */
  gint64 busy_mw;             /* milliwatts while a large MatMul runs; 0: not
                               * measured */
  gint64 idle_mw;             /* while nothing does */
  gint64 copy_mw;             /* above what all draw idle, while it is copied to
                               * and from */
  char *counters;             /* what they were counted by; devices that have it
                               * in common draw them together */
  char *speeds;               /* beside other devices, as in calib/speeds.h; "" */
  gint64 measured_at;         /* seconds since 1970 */
} TpDeviceRow;

typedef enum
{
  TP_ENTRY_SETTLED,           /* by the stop rule or the budget */
  TP_ENTRY_PROVISIONAL,       /* few samples: usable, to be refined */
  TP_ENTRY_FAILED,            /* the device refused, crashed or hung: reason */
  TP_ENTRY_TRIED,             /* tuned: another schedule of it is used */
  TP_N_ENTRY_STATES
} TpEntryState;

typedef struct
{
  gint64 device;              /* id of its TpDeviceRow */
  char *digest;               /* hex SHA-256 of tp_lowered_to_text () */
  char *dtype;                /* of what is written */
  char *schedule;             /* what the kernel was built by, "" if unknown */
  char *family;               /* shape of the computation without its sizes */
  char *label;                /* for people: "Conv 1x64x56x56" */
  gint64 state;               /* TpEntryState */
  char *reason;               /* FAILED: why; else "" */
  TpStats stats;
  gint64 fma_ns;              /* the clock that times are told at: what it had when
                               * the first of the table were measured */
  gint64 stream_ns;           /* a probe of the memory, taken in the same rounds */
  TpProcessors processors;    /* as well */
  TpWork work;
  gint64 measured_at;
} TpEntryRow;

/* How long a whole plan took in one sitting, as one of its devices has it:
 * there is a row for each that ran kernels, all with equal digest and
 * measured_us. Without all of them it says nothing. */
typedef struct
{
  gint64 device;              /* id of its TpDeviceRow */
  char *digest;               /* hex SHA-256: network, places, groups, schedules */
  gint64 measured_us;         /* microseconds since 1970: which sitting */
  char *network;              /* hex SHA-256 of the kernels of its ops */
  char *label;                /* for people: name of the graph */
  int n_devices;              /* rows there are */
  gint64 kernels_ns;          /* foretold for this device, before wholes
                               * corrected anything */
  gint64 predicted_ns;        /* for all devices, with copies */
  gint64 spread_ns;           /* half of its 95 % interval, were the figures
                               * wrong each by itself */
  gint64 median_ns;           /* of runs */
  gint64 half_ns;             /* half of its 95 % interval */
  int n;                      /* runs */
} TpWholeRow;

/* NULL: there is none. */
TpCostDb *tp_cost_db_get_system (TpCostDb *db);
const char *tp_cost_db_get_path (const TpCostDb *db);
/* Of which all rows are, and hold whatever machine this is; NULL: they are
 * measured here, and hold while their facts do. (borrowed) */
const TpMachineInfo *tp_cost_db_get_machine (const TpCostDb *db);
/* How long to wait for another process; 5 s unless told. */
void tp_cost_db_set_busy_ms (TpCostDb *db, int busy_ms);

/* What is written between the two is there as a whole or not at all; pairs may be
 * nested. Nobody else writes meanwhile. @is_good: FALSE drops it. */
gboolean tp_cost_db_begin (TpCostDb *db, GError **error);
gboolean tp_cost_db_end (TpCostDb *db, gboolean is_good, GError **error);

/* Inserts, or replaces the row of equal name, identity and facts (its entries
 * stay, and so do its watts and speeds if @row has none); fills row->id. */
gboolean tp_cost_db_put_device (TpCostDb *db, TpDeviceRow *row,
                                GError **error);
/* Inserts @row if none of equal name, identity and facts is there; fills row->id,
 * which may have changed: another process may forget devices. */
gboolean tp_cost_db_keep_device (TpCostDb *db, TpDeviceRow *row,
                                 GError **error);
/* In one transaction. Replaces entries of equal device, digest, dtype and
 * schedule; a provisional one never replaces a settled one, nor a provisional one
 * of 6 samples or more that is relatively surer. */
gboolean tp_cost_db_put_entries (TpCostDb *db, gpointer const *rows, guint n,
                                 GError **error);
/* Rows of device @name, all if NULL, last measured first. */
GPtrArray *tp_cost_db_list_devices (TpCostDb *db, const char *name,
                                    GError **error);
/* Entries of a device; @family NULL: all. */
TpPointers *tp_cost_db_list_entries (TpCostDb *db, gint64 device,
                                     const char *family, GError **error);
/* The least beside any entry of @device. */
void tp_cost_db_find_least (TpCostDb *db, gint64 device,
                            TpProcessors *out_least);
/* The fastest usable schedule, else the failed one; not what was only tried, nor what
 * calib/accuracy.h keeps out. %NULL without @error: there is none. */
TpEntryRow *tp_cost_db_find_entry (TpCostDb *db, gint64 device,
                                   const char *digest, const char *dtype,
                                   GError **error);
/* When the table's own row of the kernel and schedule of @row was measured, used or
 * only tried; -1: there is none. */
gint64 tp_cost_db_find_age (TpCostDb *db, const TpEntryRow *row);
/* Drops a device row with its entries and wholes. */
gboolean tp_cost_db_forget (TpCostDb *db, gint64 device, GError **error);

/* @path NULL: $TPLAN_COST, else $XDG_STATE_HOME/tplan/cost.db. Creates it.
 * The system table is consulted where this one has no entry: it is
 * /var/lib/tplan/cost.db, or $TPLAN_SYSTEM_COST. A read-only table that does not
 * exist is empty. TPLAN_ERROR_INPUT: not a cost table, or of a newer version;
 * _BUSY: another process writes; _FAILED: no right to the file. */
TpCostDb *tp_cost_db_open (const char *path, gboolean is_read_only,
                           GError **error);
/* Empty; nobody else sees it. @path: what it is called. */
TpCostDb *tp_cost_db_new_in_memory (const char *path, GError **error);
void tp_cost_db_close (TpCostDb *db);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (TpCostDb, tp_cost_db_close)

#endif
