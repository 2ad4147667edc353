/* file.c: opening and mapping files. */
#include "config.h"

#include "format/file.h"

#include "include/tplan.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#define MAX_STREAM_BYTES ((gsize) 1 << 30) /* of a pipe */
#define OPEN_FLAGS (O_RDONLY | O_CLOEXEC | O_NOCTTY)

static void
close_fd (int *fd)
{
  if (*fd >= 0)
    close (*fd);
}

static GBytes *
map_fd (int fd, const char *path, GError **error)
{
  g_autoptr (GError) map_error = NULL;
  g_autoptr (GMappedFile) file = g_mapped_file_new_from_fd (fd, FALSE,
                                                            &map_error);

  if (file != NULL)
    return g_mapped_file_get_bytes (file);
  g_set_error (error, TPLAN_ERROR,
               g_error_matches (map_error, G_FILE_ERROR, G_FILE_ERROR_NOMEM)
                   ? TPLAN_ERROR_MEMORY
                   : TPLAN_ERROR_FAILED,
               "%s: its bytes cannot be mapped: %s", path, map_error->message);
  return NULL;
}

static GBytes *
read_fd (int fd, const char *path, GError **error)
{
  g_autoptr (GByteArray) all = g_byte_array_new ();
  guint8 block[16384];
  ssize_t n;

  while ((n = read (fd, block, sizeof block)) != 0)
    {
      if (n < 0 && errno == EINTR)
        continue;
      if (n < 0 || all->len + (gsize) n > MAX_STREAM_BYTES)
        {
          g_set_error (error, TPLAN_ERROR, TPLAN_ERROR_INPUT, "%s: %s", path,
                       n < 0 ? g_strerror (errno)
                             : "more than 1 GiB through a pipe: use a file");
          return NULL;
        }
      g_byte_array_append (all, block, n);
    }
  return g_byte_array_free_to_bytes (g_steal_pointer (&all));
}

GBytes *
tp_file_map (const char *path, GError **error)
{
  __attribute__ ((cleanup (close_fd))) int fd = open (path, OPEN_FLAGS);
  struct stat info;

  if (fd < 0 || fstat (fd, &info) != 0)
    {
      g_set_error (error, TPLAN_ERROR, TPLAN_ERROR_INPUT,
                   "%s: cannot be opened: %s", path, g_strerror (errno));
      return NULL;
    }
  if (S_ISDIR (info.st_mode))
    {
      g_set_error (error, TPLAN_ERROR, TPLAN_ERROR_INPUT,
                   "%s: is a folder: name a file in it", path);
      return NULL;
    }
  return S_ISREG (info.st_mode) ? map_fd (fd, path, error)
                                : read_fd (fd, path, error);
}

/* For kernels without openat2: one step at a time, none of them a link. */
static int
open_by_steps (int folder, const char *name)
{
  g_auto (GStrv) steps = g_strsplit (name, "/", -1);
  guint n = g_strv_length (steps);
  int fd = dup (folder);

  for (guint i = 0; i < n && fd >= 0; i++)
    {
      gboolean is_last = i + 1 == n;
      int next;

      if (*steps[i] == '\0' || strcmp (steps[i], ".") == 0)
        continue;
      errno = EXDEV;
      next = strcmp (steps[i], "..") == 0 || name[0] == '/'
                 ? -1
                 : openat (fd, steps[i], OPEN_FLAGS | O_NOFOLLOW | O_NONBLOCK
                           | (is_last ? 0 : O_DIRECTORY));
      close_fd (&fd);
      fd = next;
    }
  return fd;
}

static gboolean
leads_up (const char *name)
{
  g_auto (GStrv) steps = g_strsplit (name, "/", -1);

  for (int i = 0; steps[i] != NULL; i++)
    if (strcmp (steps[i], "..") == 0)
      return TRUE;
  return *name == '/';
}

/* Links are followed, but not those of /proc, which are doors and no names. */
static int
open_through_links (int folder, const char *name)
{
  struct open_how how = { .flags = OPEN_FLAGS | O_NONBLOCK,
                          .resolve = RESOLVE_NO_MAGICLINKS };
  int fd;

  if (leads_up (name))
    {
      errno = EXDEV;
      return -1;
    }
  fd = syscall (SYS_openat2, folder, name, &how, sizeof how);
  if (fd < 0 && (errno == ENOSYS || errno == EPERM))
    return openat (folder, name, OPEN_FLAGS | O_NONBLOCK);
  return fd;
}

static int
open_beneath (int folder, const char *name)
{
  struct open_how how = {
    .flags = OPEN_FLAGS | O_NONBLOCK,
    .resolve = RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS | RESOLVE_NO_MAGICLINKS,
  };
  int fd = syscall (SYS_openat2, folder, name, &how, sizeof how);

  if (fd < 0 && (errno == ENOSYS || errno == EPERM))
    return open_by_steps (folder, name);
  return fd;
}

static const char *
explain_open_error (int code)
{
  if (code == EXDEV)
    return "the name leads out of the model's folder";
  if (code == ELOOP)
    return "symbolic links are not followed: put the file itself there, or "
           "give --follow-symlinks";
  return g_strerror (code);
}

GBytes *
tp_file_map_beside (const char *model, const char *name, gboolean follow_links,
                    GError **error)
{
  g_autofree char *folder_path = g_path_get_dirname (model);
  __attribute__ ((cleanup (close_fd))) int folder
      = open (folder_path, O_PATH | O_DIRECTORY | O_CLOEXEC);
  __attribute__ ((cleanup (close_fd))) int fd = -1;
  struct stat info;

  if (folder >= 0)
    fd = follow_links ? open_through_links (folder, name)
                      : open_beneath (folder, name);
  if (fd < 0 || fstat (fd, &info) != 0)
    {
      g_set_error (error, TPLAN_ERROR, TPLAN_ERROR_INPUT,
                   "file '%s' cannot be opened in '%s': %s", name, folder_path,
                   explain_open_error (errno));
      return NULL;
    }
  if (!S_ISREG (info.st_mode))
    {
      g_set_error (error, TPLAN_ERROR, TPLAN_ERROR_INPUT,
                   "'%s' is not a regular file", name);
      return NULL;
    }
  if (info.st_nlink > 1 && !follow_links)
    {
      g_set_error (error, TPLAN_ERROR, TPLAN_ERROR_INPUT,
                   "'%s' has another name elsewhere (a hard link): put a copy "
                   "there, or give --follow-symlinks", name);
      return NULL;
    }
  return map_fd (fd, name, error);
}
