/* output.c: talk, results, and files that are whole or absent. */
#include "config.h"

#include "cli/output.h"

#include "cli/cli.h"
#include "cli/no-memory.h"
#include "cli/pulse.h"
#include "format/file-save.h"
#include "format/json-dump.h"
#include "ir/foreign-text.h"
#include "ir/guard.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static char *(*complete) (const char *text) = g_strdup;

void
tp_cli_complete_lines (char *(*with) (const char *text))
{
  complete = with;
}

static void
print_line (FILE *stream, const char *format, va_list args)
{
  g_autofree char *text = g_strdup_vprintf (format, args);
  g_autofree char *whole = complete (text);
  g_autofree char *clean = tp_foreign_text_clean (whole);

  tp_cli_pulse_said ();
  fprintf (stream, "%s\n", clean);
}

static void
print_talk (const char *format, va_list args)
{
  fflush (stdout);
  print_line (stderr, format, args);
}

void
tp_cli_print (const char *format, ...)
{
  va_list args;

  va_start (args, format);
  print_line (stdout, format, args);
  va_end (args);
}

void
tp_cli_note (const TpCli *cli, const char *format, ...)
{
  va_list args;

  if (cli->is_quiet)
    return;
  va_start (args, format);
  print_talk (format, args);
  va_end (args);
}

void
tp_cli_warn (const TpCli *cli, const char *format, ...)
{
  va_list args;

  tp_cli_pulse_said ();
  fputs ("tplan: warning: ", stderr);
  va_start (args, format);
  print_talk (format, args);
  va_end (args);
}

static gboolean
exists_fail (const char *path, GError **error)
{
  g_set_error (error, TPLAN_ERROR, TPLAN_ERROR_USAGE,
               "'%s' exists: give -f to overwrite it", path);
  return FALSE;
}

static gboolean
write_fail (const char *path, GError **error)
{
  g_set_error (error, TPLAN_ERROR, TPLAN_ERROR_FAILED,
               "%s: cannot be written: %s", path, g_strerror (errno));
  return FALSE;
}

gboolean
tp_cli_check_writable (const char *path, GError **error)
{
  g_autofree char *folder = g_path_get_dirname (path);
  struct stat info;

  /* What is no file, or is elsewhere, is not made anew in the folder. */
  if (strcmp (path, "-") == 0
      || (lstat (path, &info) == 0 && !S_ISREG (info.st_mode)))
    return TRUE;
  if (stat (folder, &info) != 0)
    return write_fail (path, error);
  errno = ENOTDIR;
  return (S_ISDIR (info.st_mode) && access (folder, W_OK | X_OK) == 0)
         || write_fail (path, error);
}

/* No -f makes a file of these. */
static gboolean
check_file_name (const char *path, GError **error)
{
  gboolean is_folder = g_file_test (path, G_FILE_TEST_IS_DIR);

  if (*path != '\0' && !is_folder)
    return TRUE;
  g_set_error (error, TPLAN_ERROR, TPLAN_ERROR_USAGE,
               is_folder ? "'%s' is a folder: name a file in it"
                         : "'%s' names no file to write", path);
  return FALSE;
}

/* What is read is not written over: a plan in place of its model is worth nothing,
 * and the model is gone. */
static gboolean
check_not_read (const TpCli *cli, const char *path, GError **error)
{
  struct stat written, read;

  for (int i = 0; i < cli->n_args && stat (path, &written) == 0; i++)
    if (stat (cli->args[i], &read) == 0 && S_ISREG (read.st_mode)
        && read.st_dev == written.st_dev && read.st_ino == written.st_ino)
      {
        g_set_error (error, TPLAN_ERROR, TPLAN_ERROR_USAGE,
                     "'%s' is what is read: name another file to write", path);
        return FALSE;
      }
  return TRUE;
}

gboolean
tp_cli_check_output (const TpCli *cli, const char *path, GError **error)
{
  struct stat info;

  if (!check_file_name (path, error))
    return FALSE;
  if (strcmp (path, "-") != 0 && !cli->is_forced && lstat (path, &info) == 0)
    return exists_fail (path, error);
  return check_not_read (cli, path, error)
         && tp_cli_check_writable (path, error);
}

static gboolean
folder_fail (const char *path, GError **error)
{
  g_set_error (error, TPLAN_ERROR, TPLAN_ERROR_FAILED,
               "cannot make folder '%s': %s", path, g_strerror (errno));
  return FALSE;
}

gboolean
tp_cli_check_folder (const char *path, GError **error)
{
  g_autofree char *there = g_strdup (path);
  struct stat info;

  /* The folder that is there, of those that lead to it. */
  while (stat (there, &info) != 0 && errno == ENOENT && *path != '\0')
    {
      char *above = g_path_get_dirname (there);

      g_free (there);
      there = above;
    }
  if (*path == '\0' || stat (there, &info) != 0)
    return folder_fail (path, error);
  errno = ENOTDIR;
  return (S_ISDIR (info.st_mode) && access (there, W_OK | X_OK) == 0)
         || folder_fail (path, error);
}

gboolean
tp_cli_make_folder (const char *path, GError **error)
{
  return g_mkdir_with_parents (path, 0777) == 0 || folder_fail (path, error);
}

/* What came between a look and the writing is not overwritten either. */
static gboolean
finish (const TpCli *cli, TpSaver *saver, const char *path, GError **error)
{
  g_autoptr (GError) local = NULL;

  if (cli->is_forced)
    return tp_saver_finish (saver, error);
  if (tp_saver_finish_new (saver, &local))
    return TRUE;
  if (g_error_matches (local, TPLAN_ERROR, TPLAN_ERROR_USAGE))
    return exists_fail (path, error);
  g_propagate_error (error, g_steal_pointer (&local));
  return FALSE;
}

gboolean
tp_cli_fill_output (const TpCli *cli, const char *path, TpCliFill fill,
                    gconstpointer data, GError **error)
{
  g_autoptr (TpSaver) saver = NULL;

  if (!tp_cli_check_output (cli, path, error))
    return FALSE;
  saver = tp_saver_new (path, error);
  if (saver == NULL || !fill (saver, data, error)
      || !tp_saver_sync (saver, error) || !finish (cli, saver, path, error))
    return FALSE;
  tp_cli_note (cli, "wrote %s", path);
  return TRUE;
}

typedef struct
{
  const void *data;
  gsize size;
} Bytes;

static gboolean
fill_bytes (TpSaver *saver, gconstpointer data, GError **error)
{
  const Bytes *bytes = data;

  return tp_saver_write (saver, bytes->data, bytes->size, error);
}

gboolean
tp_cli_write_output (const TpCli *cli, const char *path, const void *data,
                     gsize size, GError **error)
{
  if (strcmp (path, "-") == 0)
    {
      fwrite (data, 1, size, stdout);
      return fflush (stdout) == 0 || write_fail ("stdout", error);
    }
  return tp_cli_fill_output (cli, path, fill_bytes, &(Bytes){ data, size },
                             error);
}

char *
tp_cli_dump_json (const json_t *document, size_t flags)
{
  g_autofree char *text = tp_json_dump (document, flags);

  return tp_cli_no_memory_has_cut_json ()
             ? NULL : tp_foreign_text_escape_json (g_steal_pointer (&text));
}

void
tp_cli_print_json (json_t *document)
{
  const size_t flags = JSON_INDENT (2) | JSON_REAL_PRECISION (9);
  g_autofree char *text = tp_cli_dump_json (document, flags);

  if (text == NULL) /* nothing said is no answer */
    tp_guard_leave (json_dumpb (document, NULL, 0, flags));
  tp_cli_pulse_said ();
  puts (text);
  json_decref (document);
}

json_t *
tp_cli_real (double value)
{
  return isfinite (value) ? json_real (value) : json_null ();
}

json_t *
tp_cli_string (const char *text)
{
  g_autofree char *valid = text == NULL ? NULL : g_utf8_make_valid (text, -1);

  return valid == NULL ? json_null () : json_string (valid);
}

json_t *
tp_cli_clean_string (const char *text)
{
  g_autofree char *clean = text == NULL ? NULL : tp_foreign_text_clean (text);

  return clean == NULL ? json_null () : json_string (clean);
}
