/* keeper.c: see keeper.h. Between its forks and its end it calls nothing but the
 * system, for threads of the caller may have held any lock. */
#include "config.h"

#include "ir/keeper.h"

#include "ir/posix.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define LIST_BYTES 4096
#define TICK_NS 1000000
#define PATIENCE_TICKS 1000

/* Kills all that the list of a thread's children in @path names, as far as it is
 * read at once: who is left is in it the next time. */
static int
kill_listed (const char *path)
{
  char list[LIST_BYTES];
  int fd = open (path, O_RDONLY | O_CLOEXEC), n_killed = 0;
  ssize_t n = fd < 0 ? 0 : read (fd, list, sizeof list - 1);
  pid_t child = 0;

  if (fd >= 0)
    close (fd);
  for (ssize_t i = 0; i < n; i++)
    if (list[i] >= '0' && list[i] <= '9')
      child = 10 * child + (list[i] - '0');
    else
      {
        n_killed += child > 1 && kill (child, SIGKILL) == 0;
        child = 0;
      }
  return n_killed;
}

/* "/proc/self/task/1234/children", without the C library's help. */
static void
write_path (char *path, const char *task)
{
  strcpy (path, "/proc/self/task/");
  strcat (path, task);
  strcat (path, "/children");
}

/* Of any thread; how many were killed. */
static int
kill_children (void)
{
  char entries[LIST_BYTES] __attribute__ ((aligned (8)));
  int fd = open ("/proc/self/task", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  int n_killed = 0;
  long n;

  while (fd >= 0
         && (n = syscall (SYS_getdents64, fd, entries, sizeof entries)) > 0)
    for (long at = 0; at < n;)
      {
        const struct dirent64 *entry = (const void *) (entries + at);
        char path[64];

        at += entry->d_reclen;
        if (entry->d_name[0] == '.' || strlen (entry->d_name) > 20)
          continue;
        write_path (path, entry->d_name);
        n_killed += kill_listed (path);
      }
  if (fd >= 0)
    close (fd);
  return n_killed;
}

/* The status of @child (-1: of any), if one ends in time. */
static gboolean
wait_a_while (pid_t child, int *out_status)
{
  const struct timespec tick = { 0, TICK_NS };
  pid_t ended = 0;

  for (int i = 0; i < PATIENCE_TICKS && ended == 0; i++)
    if ((ended = waitpid (child, out_status, WNOHANG)) == 0)
      nanosleep (&tick, NULL);
  return ended > 0;
}

/* Whose parent is killed comes to us, and is seen the next time. What is stuck in
 * the system, or is another user's, is left there. */
void
tp_keeper_end_children (void)
{
  int status, error = errno;

  while (waitpid (-1, &status, WNOHANG) >= 0)
    if (kill_children () == 0 || !wait_a_while (-1, &status))
      break;
  errno = error;
}

void
tp_keeper_take_orphans (void)
{
  prctl (PR_SET_CHILD_SUBREAPER, 1);
}

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
  prctl (PR_SET_CHILD_SUBREAPER, 1);
  prctl (PR_SET_PDEATHSIG, SIGTERM);
  if (getppid () != parent)
    _exit (1);
  child = fork ();
  if (child > 0)
    {
      setpgid (0, 0); /* who kills the group of all is seen to end as they do */
      keep (child, &status);
      tp_keeper_end_children ();
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
  if (wait_a_while (keeper, &status))
    return;
  kill (keeper, SIGKILL);
  wait_a_while (keeper, &status);
}
