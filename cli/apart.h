/* apart.h: are the processors all here, as near to each other as when kernels were
 * timed, and as much our own?
 *
 * Where they are not, kernels take longer than foretold, small ones most
 * (docs/calibration.md, "In company"). The host of a virtual machine moves them
 * about, for seconds to a minute, and lends the other thread of a core to somebody
 * else, for milliseconds. */
#ifndef TP_CLI_APART_H
#define TP_CLI_APART_H

#include "calib/probe.h"
#include "cli/cli.h"

typedef struct
{
  int n_threads;
  TpProcessors least;         /* beside figures of the table; 0: nobody knows */
  TpProcessors apart;         /* when they last were; 0: not all here */
  gint64 looked_ns;           /* when last looked at */
  gboolean is_apart, was_apart; /* then; ever */
  gint64 looked_at_cores_ns;
  gboolean is_contended;      /* then */
  double sum;                 /* of the contention, in parts of the least */
  int n_sum;
  gint64 fma_ns;              /* when last looked at: tp_probe_fma_ns () */
  double fma_sum;             /* of all looks */
  int n_fma;
} TpApart;

/* Looks for the first time, on behalf of @n_threads; 0: as many as may be. */
void tp_apart_init (TpApart *apart, const TpCli *cli, int n_threads);
/* Whether all devices of @session compute on these processors; of others' times
 * their clock says nothing. */
gboolean tp_apart_concerns (TplanSession *session);
/* Looks again; TRUE: they are apart. Takes about 0.2 ms. */
gboolean tp_apart_look (TpApart *apart);
/* Looks whether others use their cores; TRUE: they do. Takes about 20 us. */
gboolean tp_apart_look_at_cores (TpApart *apart);
/* Whether it is some milliseconds ago that somebody looked, or looked at cores. */
gboolean tp_apart_is_due (const TpApart *apart);
gboolean tp_apart_are_cores_due (const TpApart *apart);
/* How much longer than alone work took that fills a core, on average; 0: nobody
 * knows. */
double tp_apart_get_contention (const TpApart *apart);
/* By how much the clock was slower than that which times are told at, on average
 * over all looks; 0: nobody knows. */
double tp_apart_get_slowness (const TpApart *apart);
/* Until they are near, or were not for @limit_ns, or the user has enough of it. */
void tp_apart_wait (TpApart *apart, gint64 limit_ns);
/* Says so where they were ever apart, or others used them by more than a little:
 * TRUE. */
gboolean tp_apart_note (const TpApart *apart, const TpCli *cli);
/* Looks once, and says so. @out_apart: what was seen. */
gboolean tp_cli_note_apart (const TpCli *cli, TpApart *out_apart);

#endif
