/* watchdog.c: ends the program when a kernel does not end.
 *
 * A driver that waits for a kernel cannot be interrupted, and nothing it holds can
 * be had back but by the end of the process. */
#include "config.h"

#include "cli/watchdog.h"

#include "api/session.h"
#include "cli/cli.h"
#include "cli/ending.h"
#include "cli/values.h"
#include "runtime/session-progress.h"
#include "ir/clock.h"
#include "ir/foreign-text.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define TICK_US 20000

static GMutex lock;                 /* of what follows */
static const TpSession *watched;
static gint64 limit_us;             /* 0: there is no watchdog */
static guint last_count;
static TpClockWatch silence;        /* since it became so */
static const char *restart_flag;    /* NULL: the program ends */

/* As it was called, but for the flag: threads that hang end with what they were.
 * Where the loader of shared libraries was called to run us, it stands with its
 * own arguments before our name, and is what to call. */
static void
restart (void)
{
  g_autofree char *line = NULL;
  g_autoptr (GPtrArray) arguments = g_ptr_array_new ();
  gsize size = 0;
  guint at = G_MAXUINT; /* where the flag goes: after name and command */

  if (!g_file_get_contents ("/proc/self/cmdline", &line, &size, NULL))
    return;
  for (gsize i = 0; i < size; i += strlen (line + i) + 1)
    {
      if (at == G_MAXUINT && g_str_equal (line + i, program_invocation_name))
        at = arguments->len + 2;
      g_ptr_array_add (arguments, line + i);
      if (arguments->len == at)
        g_ptr_array_add (arguments, (char *) restart_flag);
    }
  g_ptr_array_add (arguments, NULL);
  tp_cli_ending_end_children ();
  execv ("/proc/self/exe", (char **) arguments->pdata);
}

static void
give_up (const char *what)
{
  g_autofree char *clean = tp_foreign_text_clean (what);

  fprintf (stderr, "tplan: %s has not ended after %g s: %s\n", clean,
           (double) limit_us / G_USEC_PER_SEC,
           restart_flag != NULL
               ? "all is run again on the host"
               : "pin it elsewhere or leave the device out");
  if (restart_flag != NULL)
    restart ();
  tp_cli_ending_leave (TP_EXIT_DEVICE);
}

static void
look (void)
{
  guint count = watched != NULL ? tp_session_count_progress (watched) : 0;
  g_autofree char *what = NULL;

  if (watched != NULL)
    what = tp_session_describe_current (watched);
  if (what == NULL || count != last_count)
    {
      last_count = count;
      tp_clock_watch_start (&silence);
    }
  else if (tp_clock_watch_look (&silence) > 1000 * limit_us)
    give_up (what);
}

static gpointer
keep_watch (gpointer data)
{
  while (TRUE)
    {
      g_usleep (TICK_US);
      g_mutex_lock (&lock);
      look ();
      g_mutex_unlock (&lock);
    }
  return data;
}

void
tp_cli_watchdog_restart (const char *flag)
{
  restart_flag = flag;
}

static void
start (void)
{
  static gboolean is_started;

  if (!is_started)
    g_thread_unref (g_thread_new ("watchdog", keep_watch, NULL));
  is_started = TRUE;
}

gboolean
tp_cli_watchdog_set (const char *limit, GError **error)
{
  gint64 limit_ns;

  if (limit == NULL)
    return TRUE;
  if (!tp_cli_parse_time (limit, &limit_ns, error))
    return FALSE;
  limit_us = MAX (limit_ns / 1000, 1);
  return TRUE;
}

void
tp_cli_watchdog_watch (TplanSession *session)
{
  TpSession *next = session != NULL ? tp_api_get_session (session) : NULL;

  if (limit_us == 0)
    return;
  if (next != NULL)
    start ();
  g_mutex_lock (&lock);
  if (next != NULL)
    tp_session_follow (next);
  watched = next;
  tp_clock_watch_start (&silence);
  g_mutex_unlock (&lock);
}
