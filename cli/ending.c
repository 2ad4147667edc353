/* ending.c: see ending.h.
 *
 * A driver that ends the process it works in would end a command that has said
 * nothing with status 0. Ours is the first _exit() that libraries find, as a
 * program's symbols come before theirs; exit() itself calls libc's, behind the
 * handlers. Children are left alone. */
#include "config.h"

#include "cli/ending.h"

#include "cli/cli.h"
#include "ir/orphans.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

static const int faults[] = { SIGABRT, SIGSEGV, SIGBUS, SIGILL, SIGFPE };
static volatile pid_t watched;     /* process whose command goes on; 0: none */
static gboolean has_only_its_own;  /* children */
static volatile pid_t ender, ender_process; /* thread that ends it all; 0: none */
static char message[160];          /* made before it is needed */
static gsize message_size;

/* Who became this program by exec may have had children before: they, and what they
 * leave, are not ours to end. */
static gboolean
has_children (void)
{
  siginfo_t info;

  return waitid (P_ALL, 0, &info, WEXITED | WNOHANG | WNOWAIT) == 0;
}

/* Another thread, while the last one ends the children. */
static gboolean
is_late (void)
{
  return ender != 0 && ender_process == getpid ()
         && ender != (pid_t) syscall (SYS_gettid);
}

/* What a thread of a driver does when the compiler that it waits for is ended with
 * the rest is not how the command ends. */
static void
stay_if_late (void)
{
  while (is_late ())
    pause ();
}

static void
on_late_fault (int number)
{
  stay_if_late ();
  signal (number, SIG_DFL);
  raise (number);
}

void
tp_cli_ending_end_children (void)
{
  if (has_only_its_own)
    tp_orphans_end ();
}

/* Where nothing follows but the end of the process. */
static void
end_all (void)
{
  ender_process = getpid ();
  ender = (pid_t) syscall (SYS_gettid);
  for (gsize i = 0; i < G_N_ELEMENTS (faults); i++)
    signal (faults[i], on_late_fault);
  tp_cli_ending_end_children ();
}

static gboolean
is_early (void)
{
  return watched != 0 && watched == getpid ();
}

static void
tell (void)
{
  ssize_t n = write (STDERR_FILENO, message, message_size);

  (void) n; /* there is nobody left to tell */
}

__attribute__ ((visibility ("default"), noreturn)) void
_exit (int status)
{
  stay_if_late ();
  if (is_early ())
    {
      tell ();
      end_all ();
      status = TP_EXIT_DEVICE;
    }
  while (TRUE)
    syscall (SYS_exit_group, status);
}

/* What ends the process where nobody asks for it: what drivers started ends too. */
static void
on_signal (int number)
{
  sigset_t its;

  end_all ();
  signal (number, SIG_DFL);
  sigemptyset (&its);
  sigaddset (&its, number);
  raise (number);
  sigprocmask (SIG_UNBLOCK, &its, NULL);
}

void
tp_cli_ending_catch (int number)
{
  struct sigaction action = { .sa_handler = on_signal };

  sigemptyset (&action.sa_mask);
  sigaction (number, &action, NULL);
}

void
tp_cli_ending_begin (void)
{
  static const int numbers[] = { SIGINT,  SIGTERM, SIGHUP, SIGQUIT,
                                 SIGSEGV, SIGBUS,  SIGILL, SIGFPE };
  struct sigaction old;

  has_only_its_own = !has_children ();
  if (has_only_its_own)
    tp_orphans_take ();
  for (gsize i = 0; i < G_N_ELEMENTS (numbers); i++)
    if (sigaction (numbers[i], NULL, &old) == 0 && old.sa_handler == SIG_DFL)
      tp_cli_ending_catch (numbers[i]);
}

static void
on_exit_early (void)
{
  stay_if_late ();
  if (is_early ())
    _exit (TP_EXIT_DEVICE);
}

void
tp_cli_ending_watch (const char *name)
{
  static gboolean is_known;

  watched = 0;
  if (name == NULL)
    return;
  if (!is_known)
    is_known = atexit (on_exit_early) == 0;
  g_snprintf (message, sizeof message,
              "tplan: a driver ended the process before '%s' was done: leave "
              "its device out with --devices or --pin\n", name);
  message_size = strlen (message);
  watched = getpid ();
}

void
tp_cli_ending_leave (int status)
{
  watched = 0;
  end_all ();
  _exit (status);
}
