/* allowed.c: see allowed.h.
 *
 * Without a stack the kernel ends a process by SIGSEGV, at its limit of time by
 * SIGKILL, and drivers without files abort: none of it can be an error where it
 * happens. So the first and the last are asked for before; of time, a signal comes
 * a second before the end where the limit leaves one. */
#include "config.h"

#include "cli/allowed.h"

#include "cli/cli.h"
#include "cli/ending.h"

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

/* What a thread has where libc gives least, and compilers were seen to work in. */
#define STACK_KIB 1024
#define STACK_REMEDY "raise it by `ulimit -s 8192`"
#define FILES 32              /* the most seen: 13, and pipes to compilers */

static pid_t command;         /* the process of the command, no child */

static gboolean
check_stack (void)
{
  struct rlimit limit;

  if (getrlimit (RLIMIT_STACK, &limit) != 0
      || limit.rlim_cur == RLIM_INFINITY
      || limit.rlim_cur >= STACK_KIB * 1024)
    return TRUE;
  dprintf (STDERR_FILENO,
           "tplan: the stack is limited to %lu KiB, and %d are needed: "
           STACK_REMEDY "\n",
           (unsigned long) limit.rlim_cur / 1024, STACK_KIB);
  return FALSE;
}

/* A child ends by the signal, which tells whoever waits for it. */
static void
on_time (int number)
{
  static const char message[]
      = "tplan: the processor's time is used up that this process may have: "
        "raise the limit by `ulimit -t`\n";
  ssize_t n;

  if (getpid () != command)
    {
      signal (number, SIG_DFL);
      raise (number);
      return;
    }
  n = write (STDERR_FILENO, message, sizeof message - 1);
  (void) n; /* there is nobody left to tell */
  tp_cli_ending_leave (TP_EXIT_LIMIT);
}

static void
watch_time (void)
{
  struct sigaction action = { .sa_handler = on_time };
  struct rlimit limit;

  command = getpid ();
  sigemptyset (&action.sa_mask);
  sigaction (SIGXCPU, &action, NULL);
  if (getrlimit (RLIMIT_CPU, &limit) != 0 || limit.rlim_max == RLIM_INFINITY
      || limit.rlim_max < 2 || limit.rlim_cur < limit.rlim_max)
    return;
  limit.rlim_cur = limit.rlim_max - 1;
  setrlimit (RLIMIT_CPU, &limit);
}

gboolean
tp_cli_allowed_begin (void)
{
  watch_time ();
  return check_stack ();
}

gboolean
tp_cli_allowed_check_open (GError **error)
{
  struct rlimit limit;
  int n_free = 0;

  if (getrlimit (RLIMIT_NOFILE, &limit) != 0)
    return TRUE;
  for (rlim_t fd = 0; fd < limit.rlim_cur && n_free < FILES; fd++)
    n_free += fcntl ((int) fd, F_GETFD) < 0;
  if (n_free == FILES)
    return TRUE;
  g_set_error (error, TPLAN_ERROR, TPLAN_ERROR_LIMIT,
               "%d files can be opened, and drivers and compilers need %d: "
               "raise the limit by `ulimit -n 1024`", n_free, FILES);
  return FALSE;
}
