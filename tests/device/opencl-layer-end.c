/* opencl-layer-end.c: see opencl-layer-end.h. */
#include "config.h"

#include "opencl-layer-end.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static void
leave_process (void)
{
  if (fork () != 0)
    return;
  setsid ();
  while (1)
    pause ();
}

/* A thread that goes down with any of its helpers. Many, so that ending them takes
 * long enough to be seen. */
static void *
be_helped (void *data)
{
  (void) data;
  for (int i = 0; i < 40; i++)
    if (fork () == 0)
      while (1)
        pause ();
  while (wait (NULL) < 0 && errno == EINTR)
    ;
  abort ();
}

static void
start_helped (void)
{
  pthread_t thread;

  if (pthread_create (&thread, NULL, be_helped, NULL) != 0)
    abort ();
  while (1)
    pause ();
}

static int
is_it (const char *what, const char *a, const char *b)
{
  return strcmp (what, a) == 0 || strcmp (what, b) == 0;
}

static int
is_leaving (const char *what)
{
  return is_it (what, "leave", "stay") || is_it (what, "left-abort", "left-segv");
}

/* Whether this process was there before all others. */
static int
is_first (void)
{
  static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
  static pid_t asked;
  static int is_it;
  const char *name = getenv ("TEST_OPENCL_FIRST");

  pthread_mutex_lock (&lock);
  if (asked != getpid ())
    is_it = name == NULL || open (name, O_CREAT | O_EXCL, 0600) >= 0;
  asked = getpid ();
  pthread_mutex_unlock (&lock);
  return is_it;
}

int
opencl_layer_end (const char *what)
{
  if (is_leaving (what))
    leave_process ();
  if (strcmp (what, "helped") == 0)
    start_helped ();
  while (is_it (what, "hang", "stay"))
    pause ();
  if (strcmp (what, "exit") == 0)
    _exit (0);
  if (strcmp (what, "quit") == 0)
    exit (0);
  if (is_it (what, "crash", "left-abort"))
    abort ();
  if (strcmp (what, "left-segv") == 0)
    raise (SIGSEGV);
  if (strcmp (what, "kill") == 0)
    raise (SIGKILL);
  if (strcmp (what, "slow") == 0)
    sleep (1);
  if (strcmp (what, "late") == 0 && is_first ())
    usleep (3000);
  if (strcmp (what, "then-crash") == 0 && !is_first ())
    abort ();
  return is_it (what, "leave", "slow") || is_it (what, "late", "then-crash");
}
