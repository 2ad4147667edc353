/* file.c: opening and mapping files. */
#include "config.h"

#include "format/file.h"

#include "include/tplan.h"
#include "ir/mapping.h"
#include "ir/room.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define MAX_STREAM_BYTES ((gsize) 1 << 30) /* of a pipe */
#define COPY_ALIGN 4096
#define LOOK_PAUSE_USEC 5000  /* longer than a tick of the clock of files */
#define MAX_LOOKS 300         /* longer than a second, where that is the tick */
#define OPEN_FLAGS (O_RDONLY | O_CLOEXEC | O_NOCTTY)

static void
close_fd (int *fd)
{
  if (*fd >= 0)
    close (*fd);
}

static int
take_descriptor (int *fd)
{
  int taken = *fd;

  *fd = -1;
  return taken;
}

static GBytes *
map_fd (int fd, const char *path, GError **error)
{
  g_autoptr (GError) map_error = NULL;
  g_autoptr (GMappedFile) file = g_mapped_file_new_from_fd (fd, FALSE,
                                                            &map_error);

  if (file != NULL)
    return tp_mapping_get_bytes (file);
  g_set_error (error, TPLAN_ERROR,
               g_error_matches (map_error, G_FILE_ERROR, G_FILE_ERROR_NOMEM)
                   ? TPLAN_ERROR_MEMORY
                   : TPLAN_ERROR_FAILED,
               "%s: its bytes cannot be mapped: %s", path, map_error->message);
  return NULL;
}

static gboolean
fail_read (const char *path, const char *why, GError **error)
{
  g_set_error (error, TPLAN_ERROR, TPLAN_ERROR_INPUT, "%s: %s", path, why);
  return FALSE;
}

static gboolean
fill (int fd, const char *path, char *data, gint64 size, GError **error)
{
  gint64 at = 0;

  while (at < size)
    {
      ssize_t n = pread (fd, data + at, size - at, at);

      if (n < 0 && errno == EINTR)
        continue;
      if (n < 0)
        return fail_read (path, g_strerror (errno), error);
      if (n == 0)
        return fail_read (path, "became shorter while it was read", error);
      at += n;
    }
  return TRUE;
}

static gboolean
is_same_time (struct timespec a, struct timespec b)
{
  return a.tv_sec == b.tv_sec && a.tv_nsec == b.tv_nsec;
}

/* All of the regular file that @before tells of, as it is at one moment. */
static GBytes *
copy_fd (int fd, const struct stat *before, const char *path, GError **error)
{
  g_autofree void *data = NULL;
  struct stat after;
  void *kept;

  /* As far on as in a mapped file, as far as vectors can see. */
  if (posix_memalign (&data, COPY_ALIGN, MAX (before->st_size, 1)) != 0)
    {
      g_set_error (error, TPLAN_ERROR, TPLAN_ERROR_MEMORY,
                   "%s: no memory for a copy of %" G_GINT64_FORMAT
                   " bytes: free some, or let it be mapped",
                   path, (gint64) before->st_size);
      return NULL;
    }
  tp_room_ask_large_pages (data, before->st_size);
  if (!fill (fd, path, data, before->st_size, error))
    return NULL;
  if (fstat (fd, &after) != 0 || after.st_size != before->st_size
      || !is_same_time (before->st_mtim, after.st_mtim))
    {
      fail_read (path, "changed while it was read: wait until it is written",
                 error);
      return NULL;
    }
  kept = g_steal_pointer (&data);
  return g_bytes_new_with_free_func (kept, before->st_size, free, kept);
}

static GBytes *
take_fd (int fd, const struct stat *info, const char *path, TpFileFlags flags,
         GError **error)
{
  return flags & TP_FILE_COPY ? copy_fd (fd, info, path, error)
                              : map_fd (fd, path, error);
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
tp_file_load (const char *path, TpFileFlags flags, GError **error)
{
  __attribute__ ((cleanup (close_fd))) int fd = open (path, OPEN_FLAGS);
  struct stat info;

  if (fd < 0 || fstat (fd, &info) != 0)
    {
      g_set_error (error, TPLAN_ERROR, TPLAN_ERROR_INPUT,
                   "%s: cannot be opened: %s", *path == '\0' ? "''" : path,
                   g_strerror (errno));
      return NULL;
    }
  if (S_ISDIR (info.st_mode))
    {
      g_set_error (error, TPLAN_ERROR, TPLAN_ERROR_INPUT,
                   "%s: is a folder: name a file in it", path);
      return NULL;
    }
  return S_ISREG (info.st_mode) ? take_fd (fd, &info, path, flags, error)
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

gboolean
tp_file_is_below (const char *name)
{
  g_auto (GStrv) steps = g_strsplit (name, "/", -1);

  for (int i = 0; steps[i] != NULL; i++)
    if (strcmp (steps[i], "..") == 0)
      return FALSE;
  return *name != '/';
}

/* Links are followed, but not those of /proc, which are doors and no names. */
static int
open_through_links (int folder, const char *name)
{
  struct open_how how = { .flags = OPEN_FLAGS | O_NONBLOCK,
                          .resolve = RESOLVE_NO_MAGICLINKS };
  int fd;

  if (!tp_file_is_below (name))
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
open_beneath (int folder, const char *name, int flags)
{
  struct open_how how = {
    .flags = flags,
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

typedef enum
{
  LINKS_NONE,
  LINKS_OTHER,                /* it has a second name */
  LINKS_UNSURE,               /* it was changed while it was looked at */
} Links;

/* Whether @when is one of the moments between; where a file system knows no
 * parts of a second, it is all of that second. */
static gboolean
is_between (struct timespec when, struct timespec from, struct timespec to)
{
  gboolean is_early = when.tv_sec < from.tv_sec
                      || (when.tv_sec == from.tv_sec && when.tv_nsec != 0
                          && when.tv_nsec < from.tv_nsec);
  gboolean is_late = when.tv_sec > to.tv_sec
                     || (when.tv_sec == to.tv_sec
                         && when.tv_nsec > to.tv_nsec);

  return !is_early && !is_late;
}

/* A second name may go between opening and looking. But that leaves the time at
 * which it went, by a clock that is not the finest, in the file: nobody but root
 * can set it. */
static Links
look_once (int fd, struct stat *info, struct timespec opening)
{
  struct timespec now;

  if (fstat (fd, info) != 0)
    return LINKS_UNSURE;
  if (info->st_nlink > 1)
    return LINKS_OTHER;
  clock_gettime (CLOCK_REALTIME, &now);
  return is_between (info->st_ctim, opening, now) ? LINKS_UNSURE : LINKS_NONE;
}

/* Returns when whatever took a name out of @folder before is done: the kernel
 * reads a folder under the lock under which names go. */
static void
wait_for_folder (int folder)
{
  __attribute__ ((cleanup (close_fd))) int fd
      = openat (folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  char entries[1024];

  if (fd >= 0)
    syscall (SYS_getdents64, fd, entries, sizeof entries);
}

/* A name that is going is counted out first and its time set after: a look
 * between the two sees neither, one after the folder was waited for sees it. */
static Links
look_for_links (int folder, int fd, struct stat *info, struct timespec opening)
{
  Links links = look_once (fd, info, opening);

  if (links != LINKS_NONE)
    return links;
  wait_for_folder (folder);
  return look_once (fd, info, opening);
}

static gboolean
refuse_links (const char *name, Links links, GError **error)
{
  if (links == LINKS_OTHER)
    g_set_error (error, TPLAN_ERROR, TPLAN_ERROR_INPUT,
                 "'%s' has another name elsewhere (a hard link): put a copy "
                 "there, or give --follow-symlinks", name);
  else
    g_set_error (error, TPLAN_ERROR, TPLAN_ERROR_INPUT,
                 "'%s' is changed again and again while it is opened: wait "
                 "until it is written, or give --follow-symlinks", name);
  return FALSE;
}

/* Takes @fd, of which errno tells if it is negative; -1 with @error set. */
static int
take_regular (int fd, const char *folder, const char *name, struct stat *info,
              GError **error)
{
  if (fd < 0 || fstat (fd, info) != 0)
    g_set_error (error, TPLAN_ERROR, TPLAN_ERROR_INPUT,
                 "file '%s' cannot be opened in '%s': %s", name, folder,
                 explain_open_error (errno));
  else if (!S_ISREG (info->st_mode))
    g_set_error (error, TPLAN_ERROR, TPLAN_ERROR_INPUT,
                 "'%s' is not a regular file", name);
  else
    return fd;
  close_fd (&fd);
  return -1;
}

/* -1 with errno set. */
static int
open_folder (const char *path)
{
  return open (path, O_PATH | O_DIRECTORY | O_CLOEXEC);
}

static int
open_linked (const char *folder_path, const char *name, struct stat *info,
             GError **error)
{
  __attribute__ ((cleanup (close_fd))) int folder = open_folder (folder_path);
  int fd = folder < 0 ? -1 : open_through_links (folder, name);

  return take_regular (fd, folder_path, name, info, error);
}

/* The folder that @name itself is in; -1 with errno set. */
static int
open_parent (const char *folder_path, const char *name)
{
  __attribute__ ((cleanup (close_fd))) int folder = open_folder (folder_path);
  g_autofree char *parent = g_path_get_dirname (name);

  if (folder < 0)
    return -1;
  if (*name != '\0')
    return open_beneath (folder, parent, O_PATH | O_DIRECTORY | O_CLOEXEC);
  errno = ENOENT;
  return -1;
}

/* -1 with @error set: a file of one name is opened, or nothing. One that was
 * just written is looked at again when its time has passed. */
static int
open_named (const char *folder_path, const char *name, struct stat *info,
            GError **error)
{
  for (int n_looks = 1;; n_looks++)
    {
      __attribute__ ((cleanup (close_fd))) int parent = -1, fd = -1;
      g_autofree char *last = g_path_get_basename (name);
      struct timespec opening;
      Links links;

      clock_gettime (CLOCK_REALTIME_COARSE, &opening);
      parent = open_parent (folder_path, name);
      if (parent >= 0)
        fd = open_beneath (parent, last, OPEN_FLAGS | O_NONBLOCK);
      fd = take_regular (fd, folder_path, name, info, error);
      if (fd < 0)
        return -1;
      links = look_for_links (parent, fd, info, opening);
      if (links == LINKS_NONE)
        return take_descriptor (&fd);
      if (links == LINKS_OTHER || n_looks == MAX_LOOKS)
        {
          refuse_links (name, links, error);
          return -1;
        }
      g_usleep (LOOK_PAUSE_USEC);
    }
}

GBytes *
tp_file_load_beside (const char *model, const char *name, TpFileFlags flags,
                     GError **error)
{
  g_autofree char *folder = g_path_get_dirname (model);
  struct stat info;
  __attribute__ ((cleanup (close_fd))) int fd
      = flags & TP_FILE_FOLLOW_LINKS
            ? open_linked (folder, name, &info, error)
            : open_named (folder, name, &info, error);

  return fd < 0 ? NULL : take_fd (fd, &info, name, flags, error);
}
