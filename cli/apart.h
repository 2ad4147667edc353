/* apart.h: are the processors all here, and as near to each other as when kernels
 * were timed?
 *
 * Where they are not, kernels take longer than foretold, small ones most
 * (docs/calibration.md, "In company"). The host of a virtual machine moves them
 * about, for seconds to a minute. */
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
} TpApart;

/* Looks for the first time. */
void tp_apart_init (TpApart *apart, const TpCli *cli);
/* Looks again; TRUE: they are apart. Takes about 0.2 ms. */
gboolean tp_apart_look (TpApart *apart);
/* Whether it is some milliseconds ago that somebody looked. */
gboolean tp_apart_is_due (const TpApart *apart);
/* Until they are near, or were not for @limit_ns, or the user has enough of it. */
void tp_apart_wait (TpApart *apart, gint64 limit_ns);
/* Says so where they were ever apart: TRUE. */
gboolean tp_apart_note (const TpApart *apart, const TpCli *cli);
/* Looks once, and says so. */
gboolean tp_cli_note_apart (const TpCli *cli);

#endif
