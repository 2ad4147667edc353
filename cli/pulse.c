/* pulse.c: see pulse.h.
 *
 * Its thread allocates nothing, takes no lock and gets no signals: children may be
 * made at any time, and none of their copies of it is missed. */
#include "config.h"

#include "cli/pulse.h"

#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#define TICK_MS 250
#define PATIENCE_MS 1500      /* on a terminal */
#define LINE_EVERY_MS 8000    /* where there is none */
#define STACK_BYTES (128 << 10)

static const char *name;      /* NULL: there is no pulse */
static gboolean is_terminal;
static gint64 begin_ms;
static gint said_ms;          /* on the clock below; these are read by two threads */
static gint is_shown, is_bar, is_over;

static gint64
read_clock_ms (void)
{
  struct timespec now;

  clock_gettime (CLOCK_MONOTONIC, &now);
  return (gint64) now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

static void
put (const char *text, gsize size)
{
  if (write (STDERR_FILENO, text, size) < 0)
    g_atomic_int_set (&is_over, TRUE); /* nobody reads it */
}

static void
beat (gint64 time_ms)
{
  char text[96];
  int seconds = (int) (time_ms / 1000);
  int size = is_terminal
                 ? snprintf (text, sizeof text, "\r\033[K%s: %d s\r", name, seconds)
                 : snprintf (text, sizeof text, "%s: %d s so far\n", name, seconds);

  if (is_terminal && g_atomic_int_get (&is_bar))
    put (".", 1);
  else
    put (text, MIN ((gsize) size, sizeof text - 1));
  g_atomic_int_set (&is_shown, is_terminal);
}

static void *
keep_beating (void *data)
{
  const struct timespec tick = { 0, TICK_MS * 1000000 };
  int patience_ms = is_terminal ? PATIENCE_MS : LINE_EVERY_MS;

  while (!g_atomic_int_get (&is_over))
    {
      gint64 time_ms = read_clock_ms () - begin_ms;

      if (time_ms - g_atomic_int_get (&said_ms) >= patience_ms)
        {
          beat (time_ms);
          g_atomic_int_set (&said_ms, (gint) time_ms);
        }
      nanosleep (&tick, NULL);
    }
  return data;
}

/* Who limits the memory of the program has none to spare for this. */
static gboolean
is_memory_limited (void)
{
  struct rlimit limit;

  return getrlimit (RLIMIT_AS, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY;
}

void
tp_cli_pulse_start (const char *command)
{
  pthread_attr_t attributes;
  pthread_t thread;
  sigset_t all, before;

  if (is_memory_limited ())
    return;
  name = command;
  begin_ms = read_clock_ms ();
  is_terminal = isatty (STDERR_FILENO);
  sigfillset (&all);
  if (pthread_attr_init (&attributes) != 0)
    return;
  pthread_attr_setdetachstate (&attributes, PTHREAD_CREATE_DETACHED);
  pthread_attr_setstacksize (&attributes, STACK_BYTES);
  pthread_sigmask (SIG_SETMASK, &all, &before);
  if (pthread_create (&thread, &attributes, keep_beating, NULL) != 0)
    name = NULL;
  pthread_sigmask (SIG_SETMASK, &before, NULL);
  pthread_attr_destroy (&attributes);
}

void
tp_cli_pulse_said (void)
{
  if (name == NULL)
    return;
  g_atomic_int_set (&said_ms, (gint) (read_clock_ms () - begin_ms));
  if (g_atomic_int_compare_and_exchange (&is_shown, TRUE, FALSE)
      && !g_atomic_int_get (&is_bar))
    put ("\r\033[K", 4);
}

void
tp_cli_pulse_set_bar (gboolean has_bar)
{
  g_atomic_int_set (&is_bar, has_bar);
}

void
tp_cli_pulse_end (void)
{
  tp_cli_pulse_said ();
  g_atomic_int_set (&is_over, TRUE);
}
