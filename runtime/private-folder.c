/* private-folder.c: see private-folder.h.
 *
 * A path is walked from the root, each step from the descriptor of the one before
 * and through no link: what was looked at is what is used, however names change
 * meanwhile. */
#include "config.h"

#include "runtime/private-folder.h"

#include "include/tplan.h"

#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define OTHERS_WRITE (S_IWGRP | S_IWOTH)
#define MAX_OPEN 16           /* folders, while one is removed */
#define DRAFT_AGE_S 3600      /* what is older nobody is at work on */

/* How far a walk has come. */
typedef struct
{
  GString *path;
  int fd;                     /* -1: nowhere */
} Walk;

static gboolean
fail (const Walk *walk, const char *reason, GError **error)
{
  g_set_error (error, TPLAN_ERROR, TPLAN_ERROR_FAILED, "'%s' %s",
               walk->path->str, reason);
  return FALSE;
}

/* @how: O_PATH, which needs no right to list, or O_RDONLY. */
static gboolean
enter (Walk *walk, const char *name, int how, GError **error)
{
  int next = openat (walk->fd, name,
                     how | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  int reason = errno;

  if (walk->path->len > 1)
    g_string_append_c (walk->path, '/');
  g_string_append (walk->path, name);
  if (next < 0)
    return fail (walk,
                 reason == ELOOP || reason == ENOTDIR
                     ? "is a symbolic link, or no folder"
                     : g_strerror (reason),
                 error);
  close (walk->fd);
  walk->fd = next;
  return TRUE;
}

/* Others may make names in a folder like /tmp, but not change ours. */
static gboolean
check_above (const Walk *walk, GError **error)
{
  struct stat info;

  if (fstat (walk->fd, &info) != 0)
    return fail (walk, g_strerror (errno), error);
  if (info.st_uid != 0 && info.st_uid != geteuid ())
    return fail (walk, "belongs to another user", error);
  if ((info.st_mode & OTHERS_WRITE) != 0 && (info.st_mode & S_ISVTX) == 0)
    return fail (walk,
                 "can be written to by others (take that right from them, and "
                 "remove what tplan keeps in it, which cannot be trusted)",
                 error);
  return TRUE;
}

/* Where others could write there is no telling what is ours. */
static gboolean
check_own (const Walk *walk, GError **error)
{
  struct stat info;

  if (fstat (walk->fd, &info) != 0)
    return fail (walk, g_strerror (errno), error);
  if (info.st_uid != geteuid ())
    return fail (walk, "belongs to another user", error);
  if ((info.st_mode & OTHERS_WRITE) != 0)
    return fail (walk,
                 "can be written to by others (remove it: what is in it cannot "
                 "be trusted)",
                 error);
  if ((info.st_mode & ACCESSPERMS) != S_IRWXU
      && fchmod (walk->fd, S_IRWXU) != 0)
    return fail (walk, g_strerror (errno), error);
  return TRUE;
}

/* What @base is without links. NULL: it is not there, and cannot be made; or is
 * relative, as that of a user with an empty HOME is, and so another wherever it is
 * asked for. */
static char *
find_real (Walk *walk, const char *base, GError **error)
{
  g_autofree char *why = NULL;
  char *real;

  g_string_assign (walk->path, base);
  if (!g_path_is_absolute (base))
    {
      fail (walk, "is no absolute path (set HOME or XDG_CACHE_HOME)", error);
      return NULL;
    }
  real = g_mkdir_with_parents (base, 0700) == 0 ? realpath (base, NULL) : NULL;
  if (real == NULL)
    {
      why = g_strdup_printf ("cannot be made: %s (set XDG_CACHE_HOME to a folder "
                             "of yours)", g_strerror (errno));
      fail (walk, why, error);
      return NULL;
    }
  g_string_assign (walk->path, "/");
  return real;
}

static gboolean
walk_to_base (Walk *walk, const char *base, GError **error)
{
  char *real = find_real (walk, base, error);
  g_auto (GStrv) names = NULL;
  gboolean is_good;

  if (real == NULL)
    return FALSE;
  names = g_strsplit (real, "/", -1);
  free (real);
  walk->fd = open ("/", O_PATH | O_DIRECTORY | O_CLOEXEC);
  is_good = walk->fd >= 0 && check_above (walk, error);
  for (int i = 0; is_good && names[i] != NULL; i++)
    is_good = names[i][0] == '\0'
              || (enter (walk, names[i], O_PATH, error)
                  && check_above (walk, error));
  return is_good;
}

static gboolean
walk_to_own (Walk *walk, const char *name, GError **error)
{
  if (mkdirat (walk->fd, name, S_IRWXU) != 0 && errno != EEXIST)
    return fail (walk, g_strerror (errno), error);
  return enter (walk, name, O_RDONLY, error)
         && check_own (walk, error);
}

/* To be closed by the caller, also on FALSE. */
static gboolean
walk_all (Walk *walk, const char *base, const char *parent, const char *child,
          GError **error)
{
  return walk_to_base (walk, base, error)
         && walk_to_own (walk, parent, error)
         && (child == NULL || walk_to_own (walk, child, error));
}

char *
tp_private_folder_make (const char *base, const char *parent,
                        const char *child, GError **error)
{
  Walk walk = { g_string_new ("/"), -1 };
  gboolean is_good = walk_all (&walk, base, parent, child, error);

  if (walk.fd >= 0)
    close (walk.fd);
  return g_string_free (walk.path, !is_good);
}

int
tp_private_folder_open (const char *base, const char *parent,
                        const char *child, GError **error)
{
  Walk walk = { g_string_new ("/"), -1 };
  gboolean is_good = walk_all (&walk, base, parent, child, error);

  g_string_free (walk.path, TRUE);
  if (!is_good && walk.fd >= 0)
    close (walk.fd);
  return is_good ? walk.fd : -1;
}

void
tp_private_folder_drop (const char *path, const char *prefix)
{
  g_autoptr (GDir) folder = g_dir_open (path, 0, NULL);
  gint64 now_s = g_get_real_time () / G_USEC_PER_SEC;
  const char *name;

  while (folder != NULL && (name = g_dir_read_name (folder)) != NULL)
    {
      g_autofree char *file = g_build_filename (path, name, NULL);
      struct stat info;

      if (g_str_has_prefix (name, prefix) && lstat (file, &info) == 0
          && S_ISREG (info.st_mode) && now_s - info.st_mtime > DRAFT_AGE_S)
        unlink (file);
    }
}

/* ---- for one process ---------------------------------------------------- */

static char *temporary;
static pid_t temporary_owner;

static int
remove_one (const char *path, const struct stat *info, int type,
            struct FTW *where)
{
  (void) info;
  (void) type;
  (void) where;
  remove (path);
  return 0;
}

/* Children that were forked leave it to us. */
static void
remove_temporary (void)
{
  if (getpid () == temporary_owner)
    nftw (temporary, remove_one, MAX_OPEN, FTW_DEPTH | FTW_PHYS);
}

char *
tp_private_folder_make_temporary (GError **error)
{
  temporary = g_dir_make_tmp ("tplan-XXXXXX", error);
  if (temporary == NULL)
    return NULL;
  temporary_owner = getpid ();
  atexit (remove_temporary);
  return g_strdup (temporary);
}
