/* calib.h: measures this machine; keeps what was measured in SQLite. */
#ifndef TP_CALIB_CALIB_H
#define TP_CALIB_CALIB_H

#include "calib/pressure.h"
#include "ir/costs.h"
#include "ir/op.h"
#include "machine/machine.h"

typedef struct TpCostDb TpCostDb;

typedef enum
{
  TP_LEVEL_ESTIMATE, /* roofline from machine constants, or defaults */
  TP_LEVEL_MEASURE,  /* every distinct kernel, best known schedule */
  TP_LEVEL_TUNE,     /* and other schedules of those that matter */
} TpLevel;

/* @eta_ns: 0 while it cannot be told. @total: 0 while nothing is done yet, for the
 * reason @what. */
typedef void (*TpCalibProgress) (int done, int total, const char *what,
                                 gint64 eta_ns, gpointer user_data);

/* How a calibration went: sums, so that those of several add up. */
typedef struct
{
  gint64 wall_us;                     /* 0: what others did is not known */
  gint64 others_us, stolen_us;        /* processor time that others had, or a
                                       * hypervisor */
  gint64 pressed_us[TP_N_PRESSURES];  /* that somebody waited; of */
  gint64 pressed_wall_us[TP_N_PRESSURES]; /* 0: is not known */
  int n_samples, n_disturbed;
  int n_apart;                        /* taken while processors were far from each
                                       * other */
  int n_contended;                        /* while others used their cores */
  int n_settled, n_unsettled, n_failed; /* kernels, on all devices */
  int n_beaten;                         /* others: certainly cheaper elsewhere,
                                         * so that nothing hangs on them */
  int n_lost;                           /* devices that could not be measured */
  gint64 time_ns, half_ns;            /* of those that have figures */
} TpCalibReport;

/* half_ns to time_ns; 1: there are no figures. */
double tp_calib_report_get_spread (const TpCalibReport *report);
/* Of the samples, what was taken while processors were far from each other, or
 * their cores used by others: 0 to 1. */
double tp_calib_report_get_strained (const TpCalibReport *report);
/* 'A': within 2 %, 'B': 5 %, 'C': 10 %, 'D': worse. Where more than a tenth of the
 * samples was strained so, 'C' at best; more than half, 'D'. */
char tp_calib_report_get_grade (const TpCalibReport *report);
void tp_calib_report_add (TpCalibReport *sum, const TpCalibReport *report);

typedef struct
{
  int n_devices;
  const char *const *devices;
  gint64 time_limit_ns;               /* 0: none */
  int n_threads;                      /* as TpDeviceOptions */
  TpCalibProgress progress;           /* (nullable) */
  gpointer user_data;
  const volatile gint *cancelled;     /* (nullable): stop, keep results */
  /* Of lookup: entries of another driver, CPU or compiler are never used. TRUE:
   * TPLAN_ERROR_STALE when there are only such; FALSE: estimates, and a line
   * for people in @warnings. */
  gboolean is_stale_error;
  gboolean trusts_estimates;          /* of lookup: see calib/trust.h */
  GPtrArray *warnings;                /* (nullable) of char *, appended to;
                                       * made with g_free as free function */
  gboolean is_raw;                    /* of lookup: figures as measured, noise
                                       * and all */
  gboolean is_of_then;                /* of lookup: wholes measured after
                                       * wholes_until_us are not there */
  gint64 wholes_until_us;
  gboolean wants_speeds;              /* of lookup: and how engines slow each other */
  gboolean wants_maps;                /* likewise: memory that the host works in, too,
                                       * is not copied to (TpCosts.is_mapped) */
  gboolean is_relaxed;                /* kernels with larger errors count, and are
                                       * measured: calib/accuracy.h */
  gboolean is_tuning;                 /* of calibrate: TP_LEVEL_TUNE */
  gboolean wants_watts;               /* of calibrate: and what devices draw */
  gboolean is_brief;                  /* of calibrate: what has any figure keeps
                                       * it; few rounds, and little waiting */
  TpCalibReport *report;              /* (nullable): tp_calibrate () adds */
  gint64 hang_limit_ns;               /* 0: 60 s without a sign of life */
} TpCalibOptions;

#endif
