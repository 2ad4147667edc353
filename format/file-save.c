/* file-save.c: files that are whole or absent: written without a name where the
 * file system can, else beside their name, then linked or renamed. */
#include "config.h"

#include "format/file-save.h"

#include "include/tplan.h"
#include "ir/guard.h"
#include "ir/posix.h"

#include <errno.h>
#include <fcntl.h>
#include <glib/gstdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#define BUFFER_BYTES (64 << 10)
#define DRAFT ".tplan-draft"

struct TpSaver
{
  char *path;
  char *draft;                /* a file beside @path; NULL: there is none */
  int fd;
  gboolean is_direct;         /* @path itself: a pipe or a device */
  gsize n;                    /* bytes in @buffer */
  guint8 buffer[BUFFER_BYTES];
};

static gboolean
fail (const TpSaver *saver, int code, GError **error)
{
  g_set_error (error, TPLAN_ERROR, TPLAN_ERROR_FAILED,
               "%s: cannot be written: %s", saver->path, g_strerror (code));
  return FALSE;
}

/* ---- where to write ------------------------------------------------------ */

/* A pipe or a device cannot be replaced, only written to. */
static gboolean
is_special (const char *path)
{
  struct stat info;

  return stat (path, &info) == 0 && !S_ISREG (info.st_mode)
         && !S_ISDIR (info.st_mode);
}

/* Names a nameless file. */
static char *
make_link_source (int fd)
{
  return g_strdup_printf ("/proc/self/fd/%d", fd);
}

/* A file without a name: whatever ends us, it is gone. -1: there are none here. */
static int
open_nameless (const char *folder)
{
  int fd = open (folder, O_TMPFILE | O_RDWR | O_CLOEXEC, 0666);
  g_autofree char *source = make_link_source (fd);

  if (fd < 0 || (access (source, F_OK) == 0 && flock (fd, LOCK_EX) == 0))
    return fd;
  close (fd);
  return -1;
}

static char *
make_draft_name (const TpSaver *saver)
{
  g_autofree char *folder = g_path_get_dirname (saver->path);

  return g_build_filename (folder, ".tplan-XXXXXX", NULL);
}

static int
open_draft (TpSaver *saver)
{
  g_autofree char *folder = g_path_get_dirname (saver->path);
  g_autofree char *draft = make_draft_name (saver);
  int fd = open_nameless (folder);

  if (fd >= 0)
    return fd;
  fd = g_mkstemp_full (draft, O_RDWR | O_CLOEXEC, 0666);
  if (fd >= 0)
    saver->draft = g_steal_pointer (&draft);
  return fd;
}

TpSaver *
tp_saver_new (const char *path, GError **error)
{
  g_autoptr (TpSaver) saver = tp_new0 (TpSaver, 1);

  saver->path = g_strdup (path);
  saver->is_direct = is_special (path);
  saver->fd = saver->is_direct ? open (path, O_WRONLY | O_NOCTTY | O_CLOEXEC)
                               : open_draft (saver);
  if (saver->fd < 0)
    {
      fail (saver, errno, error);
      return NULL;
    }
  return g_steal_pointer (&saver);
}

void
tp_saver_free (TpSaver *saver)
{
  if (saver->fd >= 0)
    close (saver->fd);
  if (saver->draft != NULL)
    g_unlink (saver->draft);
  g_free (saver->path);
  g_free (saver->draft);
  g_free (saver);
}

/* ---- writing ------------------------------------------------------------- */

static gboolean
flush (TpSaver *saver, GError **error)
{
  gsize n = saver->n;

  saver->n = 0;
  return tp_posix_write (saver->fd, saver->buffer, n)
         || fail (saver, errno, error);
}

gboolean
tp_saver_write (TpSaver *saver, const void *data, gsize size, GError **error)
{
  if (size > BUFFER_BYTES - saver->n && !flush (saver, error))
    return FALSE;
  if (size > BUFFER_BYTES)
    return tp_posix_write (saver->fd, data, size)
           || fail (saver, errno, error);
  if (size > 0)
    memcpy (saver->buffer + saver->n, data, size);
  saver->n += size;
  return TRUE;
}

gboolean
tp_saver_sync (TpSaver *saver, GError **error)
{
  return flush (saver, error)
         && (saver->is_direct || fsync (saver->fd) == 0
             || fail (saver, errno, error));
}

/* ---- naming what was written --------------------------------------------- */

/* The file under @name, if there is none yet. FALSE with errno set. */
static gboolean
link_as (TpSaver *saver, const char *name)
{
  g_autofree char *source = saver->draft != NULL
                                ? g_strdup (saver->draft)
                                : make_link_source (saver->fd);

  return linkat (AT_FDCWD, source, AT_FDCWD, name, AT_SYMLINK_FOLLOW) == 0;
}

/* Who was killed between giving a name and renaming left this; who lives has it
 * locked. */
static void
remove_abandoned (const char *name)
{
  int fd = open (name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
  struct stat ours, theirs;

  if (fd < 0)
    return;
  if (flock (fd, LOCK_EX | LOCK_NB) == 0 && fstat (fd, &ours) == 0
      && lstat (name, &theirs) == 0 && ours.st_ino == theirs.st_ino
      && ours.st_dev == theirs.st_dev)
    unlink (name);
  close (fd);
}

/* No call puts a nameless file in the place of another: it gets a name first, by
 * which the next one finds it should we be killed now; another if that is in use. */
static gboolean
name_draft (TpSaver *saver)
{
  static const char digits[] = "0123456789abcdefghijklmnopqrstuvwxyz";
  g_autofree char *folder = g_path_get_dirname (saver->path);
  g_autofree char *name = g_build_filename (folder, DRAFT, NULL);
  gboolean is_linked = link_as (saver, name);

  if (!is_linked && errno == EEXIST)
    {
      remove_abandoned (name);
      is_linked = link_as (saver, name);
    }
  for (int trial = 0; trial < 100 && !is_linked && errno == EEXIST; trial++)
    {
      g_free (name);
      name = make_draft_name (saver);
      for (char *at = name + strlen (name) - 6; *at != '\0'; at++)
        *at = digits[g_random_int_range (0, sizeof digits - 1)];
      is_linked = link_as (saver, name);
    }
  saver->draft = is_linked ? g_steal_pointer (&name) : NULL;
  return is_linked;
}

static gboolean
rename_draft (TpSaver *saver, GError **error)
{
  if ((saver->draft == NULL && !name_draft (saver))
      || g_rename (saver->draft, saver->path) != 0)
    return fail (saver, errno, error);
  g_clear_pointer (&saver->draft, g_free);
  return TRUE;
}

/* File systems that tell only when a file is closed that there was no room have
 * no nameless ones. */
static gboolean
settle (TpSaver *saver, GError **error)
{
  int fd = saver->fd;

  if (!flush (saver, error))
    return FALSE;
  if (saver->draft == NULL && !saver->is_direct)
    return TRUE;
  saver->fd = -1;
  return close (fd) == 0 || fail (saver, errno, error);
}

gboolean
tp_saver_finish (TpSaver *saver, GError **error)
{
  return settle (saver, error)
         && (saver->is_direct
             || (saver->draft == NULL && link_as (saver, saver->path))
             || rename_draft (saver, error));
}

/* A link never replaces; file systems without them get a rename after a look. */
gboolean
tp_saver_finish_new (TpSaver *saver, GError **error)
{
  struct stat info;

  if (!settle (saver, error))
    return FALSE;
  if (saver->is_direct || link_as (saver, saver->path))
    return TRUE;
  if (errno != EEXIST && lstat (saver->path, &info) != 0)
    return rename_draft (saver, error);
  g_set_error (error, TPLAN_ERROR, TPLAN_ERROR_USAGE, "'%s' exists",
               saver->path);
  return FALSE;
}

gboolean
tp_file_save (const char *path, GBytes *header, const void *data, gsize size,
              GError **error)
{
  g_autoptr (TpSaver) saver = tp_saver_new (path, error);
  gsize header_size;
  const void *first = g_bytes_get_data (header, &header_size);

  return saver != NULL && tp_saver_write (saver, first, header_size, error)
         && tp_saver_write (saver, data, size, error)
         && tp_saver_finish (saver, error);
}
