/* no-fork.c: stands in front of the C library's fork (). Limits on processes
 * would not do: they do not hold for root. */
#include "config.h"

#include "no-fork.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#define MAX_DESCRIPTORS 1024

static gboolean is_fork_refused;

void
refuse_forks (gboolean is_refused)
{
  is_fork_refused = is_refused;
}

pid_t
fork (void)
{
  pid_t (*real) (void) = NULL;

  if (is_fork_refused)
    {
      errno = EAGAIN;
      return -1;
    }
  *(void **) &real = dlsym (RTLD_NEXT, "fork");
  return real ();
}

int
count_open_descriptors (void)
{
  int n = 0;

  for (int fd = 0; fd < MAX_DESCRIPTORS; fd++)
    n += fcntl (fd, F_GETFD) >= 0;
  return n;
}
