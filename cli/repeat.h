/* repeat.h: a session run again and again, and timed. */
#ifndef TP_CLI_REPEAT_H
#define TP_CLI_REPEAT_H

#include "cli/apart.h"
#include "cli/run-energy.h"
#include "cli/run-data.h"
#include "cli/run-times.h"

#define TP_REPEAT_MAX 1000000

#define TP_REPEAT_WARM (-1)

typedef struct
{
  TplanSession *session;
  TpRunData *data;
  int n_runs;                 /* timed, at most; 0: as many as fit in the
                               * duration */
  int n_least;                /* timed however long that takes; at least 1 */
  int n_warmup;               /* before them, not timed; TP_REPEAT_WARM: some, and
                               * until a processor is up to speed */
  gint64 duration_ns;         /* 0: as long as all take */
  gint64 wait_ns;             /* at most, for processors to be near */
} TpRepeatJob;

typedef struct
{
  TpRunTimes times;
  TpApart apart;              /* meanwhile */
  TpRunEnergy energy;
} TpRepeat;

void tp_repeat_init (TpRepeat *repeat);
void tp_repeat_clear (TpRepeat *repeat);
/* Once, watched (cli/watchdog.h). */
gboolean tp_repeat_once (TplanSession *session, TpRunData *data,
                         gboolean is_profiled, GError **error);
/* Where runs leave something to the next: the first again. */
gboolean tp_repeat_first (TplanSession *session, TpRunData *data,
                          GError **error);
/* TPLAN_ERROR_INTERRUPTED: before the first timed run ended. */
gboolean tp_repeat_run (TpRepeat *repeat, const TpRepeatJob *job,
                        const TpCli *cli, GError **error);

#endif
