/* progress.c: a bar on the terminal, Ctrl-C and --timeout. */
#include "config.h"

#include "cli/progress.h"

#include "cli/cli.h"
#include "cli/ending.h"
#include "cli/output.h"
#include "cli/pulse.h"
#include "cli/text.h"
#include "ir/foreign-text.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/time.h>
#include <unistd.h>

#define PROGRESS_CELLS 24
#define PROGRESS_EVERY_US 100000
#define LINE_EVERY_US 8000000 /* where there is no terminal */

static volatile gint is_cancelled;
static gint64 last_shown_us, last_line_us;
static gboolean is_shown;

static void
on_interrupt (int number)
{
  tp_cli_ending_catch (number); /* the second ends it */
  is_cancelled = 1;
}

void
tp_cli_catch_interrupts (void)
{
  struct sigaction action = { .sa_handler = on_interrupt };

  sigemptyset (&action.sa_mask);
  sigaction (SIGINT, &action, NULL);
  sigaction (SIGTERM, &action, NULL);
}

void
tp_cli_release_interrupts (void)
{
  tp_cli_ending_catch (SIGINT);
  tp_cli_ending_catch (SIGTERM);
}

static void
on_timeout (int number)
{
  static const char text[] = "tplan: not done in time: raise --timeout\n";

  (void) number;
  if (write (STDERR_FILENO, text, sizeof text - 1) < 0)
    tp_cli_ending_leave (TP_EXIT_FAILED);
  tp_cli_ending_leave (TP_EXIT_LIMIT);
}

void
tp_cli_start_timeout (gint64 time_ns)
{
  gint64 time_us = MAX (time_ns / 1000, 1);
  struct itimerval timer
      = { .it_value = { time_us / G_USEC_PER_SEC, time_us % G_USEC_PER_SEC } };
  struct sigaction action = { .sa_handler = on_timeout };

  sigemptyset (&action.sa_mask);
  sigaction (SIGALRM, &action, NULL);
  setitimer (ITIMER_REAL, &timer, NULL);
}

const volatile gint *
tp_cli_get_cancelled (void)
{
  return &is_cancelled;
}

/* @left: (nullable): nobody knows. */
static void
show_bar (int done, int total, const char *what, const char *left)
{
  g_autofree char *name = tp_foreign_text_clean (what);
  int filled = (int) ((gint64) done * PROGRESS_CELLS / total);
  char bar[PROGRESS_CELLS + 1];

  is_shown = TRUE;
  tp_cli_pulse_said ();
  tp_cli_pulse_set_bar (TRUE);
  filled = CLAMP (filled, 0, PROGRESS_CELLS);
  memset (bar, '.', PROGRESS_CELLS);
  memset (bar, '#', filled);
  bar[PROGRESS_CELLS] = 0;
  fprintf (stderr, "\r\033[K[%s] %d/%d  %s%s%s%.30s", bar, done, total,
           left == NULL ? "" : "ETA ", left == NULL ? "" : left,
           left == NULL ? "" : "  ", name);
}

/* Whoever reads a pipe or a log is not left to wonder either. */
static void
show_line (const TpCli *cli, int done, int total, const char *left,
           gint64 now_us)
{
  if (last_line_us == 0)
    last_line_us = now_us;
  if (done >= total || now_us - last_line_us < LINE_EVERY_US)
    return;
  last_line_us = now_us;
  tp_cli_note (cli, "%d %% done%s%s%s", (int) (100.0 * done / total),
               left == NULL ? "" : ", ", left == NULL ? "" : left,
               left == NULL ? "" : " left");
}

void
tp_cli_progress (int done, int total, const char *what, gint64 eta_ns,
                 gpointer user_data)
{
  const TpCli *cli = user_data;
  g_autofree char *left = eta_ns > 0 ? tp_cli_format_time (eta_ns) : NULL;
  gint64 now_us = g_get_monotonic_time ();

  if (total == 0)
    tp_cli_note (cli, "%s", what);
  if (total == 0 || cli->is_quiet)
    return;
  if (!isatty (STDERR_FILENO))
    {
      show_line (cli, done, total, left, now_us);
      return;
    }
  if (done < total && now_us - last_shown_us < PROGRESS_EVERY_US)
    return;
  last_shown_us = now_us;
  show_bar (done, total, what, left);
}

void
tp_cli_progress_end (const TpCli *cli)
{
  (void) cli;
  tp_cli_pulse_set_bar (FALSE);
  if (is_shown)
    fputs ("\r\033[K", stderr);
  is_shown = FALSE;
}
