/* orphans.c: see orphans.h. Calls nothing but the system: threads that are not there
 * may have held any lock, and handlers of signals come here. */
#include "config.h"

#include "ir/orphans.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
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

gboolean
tp_orphans_await (pid_t child, int *out_status)
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
tp_orphans_end (void)
{
  int status, error = errno;

  while (waitpid (-1, &status, WNOHANG) >= 0)
    if (kill_children () == 0 || !tp_orphans_await (-1, &status))
      break;
  errno = error;
}

void
tp_orphans_take (void)
{
  prctl (PR_SET_CHILD_SUBREAPER, 1);
}
