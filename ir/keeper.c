/* keeper.c: see keeper.h. Between its forks and its end it calls nothing but the
 * system, for threads of the caller may have held any lock. */
#include "config.h"

#include "ir/keeper.h"

#include "ir/orphans.h"
#include "ir/posix.h"

#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

/* Until @child has ended, and *out_status says how, or this process was told to. */
static void
keep (pid_t child, int *out_status)
{
  sigset_t awaited;
  pid_t ended;

  sigemptyset (&awaited);
  sigaddset (&awaited, SIGCHLD);
  sigaddset (&awaited, SIGTERM);
  *out_status = SIGKILL;
  while (sigwaitinfo (&awaited, NULL) != SIGTERM)
    while ((ended = waitpid (-1, out_status, WNOHANG)) > 0)
      if (ended == child)
        return;
  *out_status = SIGKILL;
  kill (child, SIGKILL);
}

/* As the child did. */
G_GNUC_NORETURN static void
end_with (int status)
{
  const struct rlimit none = { 0, 0 };
  int number = WIFSIGNALED (status) ? WTERMSIG (status) : 0;
  sigset_t its;

  if (number == 0)
    _exit (WEXITSTATUS (status));
  setrlimit (RLIMIT_CORE, &none);
  signal (number, SIG_DFL);
  sigemptyset (&its);
  sigaddset (&its, number);
  raise (number);
  sigprocmask (SIG_UNBLOCK, &its, NULL);
  _exit (128 + number);
}

/* Returns in the child; @mask: its signals. */
static void
run_keeper (pid_t parent, const sigset_t *mask)
{
  pid_t keeper = getpid (), child;
  int status = 0;

  signal (SIGCHLD, SIG_DFL);
  signal (SIGTERM, SIG_DFL);
  tp_orphans_take ();
  prctl (PR_SET_PDEATHSIG, SIGTERM);
  if (getppid () != parent)
    _exit (1);
  child = fork ();
  if (child > 0)
    {
      setpgid (0, 0); /* who kills the group of all is seen to end as they do */
      keep (child, &status);
      tp_orphans_end ();
      end_with (status);
    }
  tp_posix_die_with (child == 0 ? keeper : parent);
  sigprocmask (SIG_SETMASK, mask, NULL);
}

pid_t
tp_keeper_fork (void)
{
  pid_t parent = getpid (), keeper;
  sigset_t all, before;

  sigfillset (&all);
  pthread_sigmask (SIG_SETMASK, &all, &before);
  keeper = fork ();
  if (keeper == 0)
    run_keeper (parent, &before);
  else
    pthread_sigmask (SIG_SETMASK, &before, NULL);
  return keeper;
}

void
tp_keeper_end (pid_t keeper)
{
  int status;

  kill (keeper, SIGTERM);
  if (tp_orphans_await (keeper, &status))
    return;
  kill (keeper, SIGKILL);
  tp_orphans_await (keeper, &status);
}
