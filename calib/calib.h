/* calib.h: measures this machine; keeps what was measured in SQLite. */
#ifndef TP_CALIB_CALIB_H
#define TP_CALIB_CALIB_H

#include "ir/costs.h"
#include "machine/machine.h"
#include "ir/op.h"

typedef struct TpCostDb TpCostDb;

typedef enum
{
  TP_LEVEL_ESTIMATE, /* roofline from machine constants, or defaults */
  TP_LEVEL_MEASURE,  /* every distinct kernel, best known schedule */
} TpLevel;

/* @eta_ns: 0 while it cannot be told. */
typedef void (*TpCalibProgress) (int done, int total, const char *what,
                                 gint64 eta_ns, gpointer user_data);

typedef struct
{
  int n_devices;
  const char *const *devices;         /* 0 is the host */
  gint64 time_limit_ns;               /* 0: none */
  int n_threads;                      /* as TpDeviceOptions */
  TpCalibProgress progress;           /* (nullable) */
  gpointer user_data;
  const volatile gint *cancelled;     /* (nullable): stop, keep results */
  /* Of lookup: entries of another driver, CPU or compiler are never used. TRUE:
   * TPLAN_ERROR_STALE when there are only such; FALSE: estimates, and a line
   * for people in @warnings. */
  gboolean is_stale_error;
  GPtrArray *warnings;                /* (nullable) of char *, appended to;
                                       * made with g_free as free function */
  gint64 hang_limit_ns;               /* 0: 60 s without a sign of life */
} TpCalibOptions;

/* @path NULL: $TPLAN_COST, else $XDG_STATE_HOME/tplan/cost.db. Creates it.
 * The system table is consulted where this one has no entry: it is
 * /var/lib/tplan/cost.db, or $TPLAN_SYSTEM_COST. A read-only table that does not
 * exist is empty. TPLAN_ERROR_INPUT: not a cost table, or of a newer version;
 * _BUSY: another process writes; _FAILED: no right to the file. */
TpCostDb *tp_cost_db_open (const char *path, gboolean is_read_only,
                           GError **error);
void tp_cost_db_close (TpCostDb *db);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (TpCostDb, tp_cost_db_close)

/* Measures machine constants, transfers, and each distinct kernel of @graph
 * (nodes and @groups) that has no entry yet. @graph NULL: constants and
 * transfers only. In a worker process, forked from this one, which should have
 * no other thread and no device open: a crash or a hang costs one entry.
 * TPLAN_ERROR_INTERRUPTED: *cancelled was set; what was measured is kept. At
 * the time limit returns TRUE with what there is: lookup estimates the rest. */
gboolean tp_calibrate (TpCostDb *db, const TpGraph *graph,
                       const TpGroups *groups, const TpCalibOptions *options,
                       GError **error);

/* Costs of @graph from the table; what is missing is estimated and says so.
 * sim devices come from their profile. Opens no device. */
TpCosts *tp_cost_db_lookup (TpCostDb *db, const TpGraph *graph,
                            const TpGroups *groups,
                            const TpCalibOptions *options, GError **error);

#endif
