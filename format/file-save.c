/* file-save.c: files that are whole or absent: written beside their name, then
 * renamed. */
#include "config.h"

#include "format/file-save.h"

#include "format/file.h"
#include "include/tplan.h"
#include "ir/posix.h"

#include <errno.h>
#include <fcntl.h>
#include <glib/gstdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define BUFFER_BYTES (64 << 10)

struct TpSaver
{
  char *path;
  char *draft;                /* a file beside @path; NULL: there is none yet, or
                               * none any more */
  int fd;
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

TpSaver *
tp_saver_new (const char *path, GError **error)
{
  g_autoptr (TpSaver) saver = g_new0 (TpSaver, 1);
  g_autofree char *folder = g_path_get_dirname (path);
  g_autofree char *draft = g_build_filename (folder, ".tplan-XXXXXX", NULL);

  saver->path = g_strdup (path);
  saver->fd = g_mkstemp_full (draft, O_RDWR | O_CLOEXEC, 0666);
  if (saver->fd < 0)
    {
      fail (saver, errno, error);
      return NULL;
    }
  saver->draft = g_steal_pointer (&draft);
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
         && (fsync (saver->fd) == 0 || fail (saver, errno, error));
}

static gboolean
close_draft (TpSaver *saver, GError **error)
{
  int fd;

  if (!flush (saver, error))
    return FALSE;
  fd = saver->fd;
  saver->fd = -1;
  return close (fd) == 0 || fail (saver, errno, error);
}

static gboolean
rename_draft (TpSaver *saver, GError **error)
{
  if (g_rename (saver->draft, saver->path) != 0)
    return fail (saver, errno, error);
  g_clear_pointer (&saver->draft, g_free);
  return TRUE;
}

gboolean
tp_saver_finish (TpSaver *saver, GError **error)
{
  return close_draft (saver, error) && rename_draft (saver, error);
}

/* A link never replaces; file systems without them get a rename after a look. */
gboolean
tp_saver_finish_new (TpSaver *saver, GError **error)
{
  struct stat info;

  if (!close_draft (saver, error))
    return FALSE;
  if (link (saver->draft, saver->path) == 0)
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
