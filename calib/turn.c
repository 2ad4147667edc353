/* turn.c: see turn.h. Not a lock on the table itself: closing a file drops the
 * locks that SQLite has on it. */
#include "config.h"

#include "calib/turn.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

void
tp_turn_init (TpTurn *turn)
{
  turn->fd = -1;
  turn->path = NULL;
}

/* Who leaves removes the file, which somebody may have opened already. */
static gboolean
is_removed (int fd)
{
  struct stat info;

  return fstat (fd, &info) == 0 && info.st_nlink == 0;
}

gboolean
tp_turn_try (TpTurn *turn, const char *table_path)
{
  g_autofree char *path = g_strconcat (table_path, "-turn", NULL);

  while (turn->fd < 0)
    {
      int fd = open (path, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600);

      if (fd < 0)
        return TRUE;
      if (flock (fd, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK)
        {
          close (fd);
          return FALSE;
        }
      if (is_removed (fd))
        {
          close (fd);
          continue;
        }
      turn->fd = fd;
      turn->path = g_steal_pointer (&path);
    }
  return TRUE;
}

void
tp_turn_leave (TpTurn *turn)
{
  if (turn->fd >= 0)
    {
      unlink (turn->path);
      close (turn->fd);
    }
  g_clear_pointer (&turn->path, g_free);
  turn->fd = -1;
}
