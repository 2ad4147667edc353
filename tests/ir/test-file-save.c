/* test-file-save.c: files are whole or absent, and nothing is left beside them. */
#include "config.h"

#include "format/file-save.h"
#include "include/tplan.h"

#include <fcntl.h>
#include <glib/gstdio.h>
#include <signal.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

typedef struct
{
  char *folder;
  char *path;
} Fixture;

static void
set_up (Fixture *f, gconstpointer unused)
{
  (void) unused;
  f->folder = g_dir_make_tmp ("tplan-save-XXXXXX", NULL);
  f->path = g_build_filename (f->folder, "file", NULL);
}

static void
tear_down (Fixture *f, gconstpointer unused)
{
  (void) unused;
  g_unlink (f->path);
  g_assert_cmpint (g_rmdir (f->folder), ==, 0);
  g_free (f->folder);
  g_free (f->path);
}

static int
count_names (const Fixture *f)
{
  g_autoptr (GDir) folder = g_dir_open (f->folder, 0, NULL);
  int n = 0;

  while (g_dir_read_name (folder) != NULL)
    n++;
  return n;
}

static void
assert_content (const Fixture *f, const char *wanted)
{
  g_autofree char *text = NULL;

  g_assert_true (g_file_get_contents (f->path, &text, NULL, NULL));
  g_assert_cmpstr (text, ==, wanted);
}

static TpSaver *
start (const Fixture *f, const char *text)
{
  TpSaver *saver = tp_saver_new (f->path, NULL);

  g_assert_nonnull (saver);
  g_assert_true (tp_saver_write (saver, text, strlen (text), NULL));
  return saver;
}

static void
test_replace (Fixture *f, gconstpointer unused)
{
  (void) unused;
  for (int i = 0; i < 2; i++)
    {
      g_autoptr (TpSaver) saver = start (f, i == 0 ? "old" : "new");

      g_assert_true (tp_saver_finish (saver, NULL));
      assert_content (f, i == 0 ? "old" : "new");
      g_assert_cmpint (count_names (f), ==, 1);
    }
}

static void
test_new (Fixture *f, gconstpointer unused)
{
  g_autoptr (TpSaver) first = start (f, "first");
  g_autoptr (TpSaver) second = start (f, "second");
  g_autoptr (GError) error = NULL;

  (void) unused;
  g_assert_true (tp_saver_finish_new (first, NULL));
  g_assert_false (tp_saver_finish_new (second, &error));
  g_assert_error (error, TPLAN_ERROR, TPLAN_ERROR_USAGE);
  assert_content (f, "first");
}

static void
test_dropped (Fixture *f, gconstpointer unused)
{
  (void) unused;
  tp_saver_free (start (f, "dropped"));
  g_assert_cmpint (count_names (f), ==, 0);
}

/* What a mode says of a new file is the user's mask, not ours. */
static void
test_mode (Fixture *f, gconstpointer unused)
{
  mode_t before = umask (027);
  g_autoptr (TpSaver) saver = start (f, "x");
  GStatBuf info;

  (void) unused;
  g_assert_true (tp_saver_finish (saver, NULL));
  umask (before);
  g_assert_cmpint (g_stat (f->path, &info), ==, 0);
  g_assert_cmpint (info.st_mode & 0777, ==, 0640);
}

/* File systems without nameless files keep drafts. */
static gboolean
has_nameless_files (const Fixture *f)
{
  int fd = open (f->folder, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);

  if (fd >= 0)
    close (fd);
  return fd >= 0;
}

static void
test_killed (Fixture *f, gconstpointer unused)
{
  pid_t child;

  (void) unused;
  if (!has_nameless_files (f))
    {
      g_test_skip ("this file system has no nameless files");
      return;
    }
  child = fork ();
  if (child == 0)
    {
      g_autofree char *much = g_malloc0 (1 << 20);
      TpSaver *saver = tp_saver_new (f->path, NULL);

      tp_saver_write (saver, much, 1 << 20, NULL);
      raise (SIGKILL);
    }
  waitpid (child, NULL, 0);
  g_assert_cmpint (count_names (f), ==, 0);
}

/* Who was killed just before a rename left a draft, which goes with the next; but
 * one that is locked is being written. */
static void
test_abandoned (Fixture *f, gconstpointer is_locked)
{
  g_autofree char *draft = g_build_filename (f->folder, ".tplan-draft", NULL);
  int fd;

  if (!has_nameless_files (f))
    {
      g_test_skip ("this file system has no nameless files");
      return;
    }
  g_assert_true (g_file_set_contents (f->path, "old", -1, NULL));
  g_assert_true (g_file_set_contents (draft, "abandoned", -1, NULL));
  fd = g_open (draft, O_RDONLY | O_CLOEXEC, 0);
  g_assert_cmpint (fd, >=, 0);
  if (is_locked != NULL)
    g_assert_cmpint (flock (fd, LOCK_EX), ==, 0);
  {
    g_autoptr (TpSaver) saver = start (f, "new");

    g_assert_true (tp_saver_finish (saver, NULL));
  }
  assert_content (f, "new");
  g_assert_cmpint (count_names (f), ==, is_locked != NULL ? 2 : 1);
  close (fd);
  g_unlink (draft);
}

/* A pipe or a device is written to, never replaced. */
static void
test_special (Fixture *f, gconstpointer unused)
{
  char got[8] = "";
  GStatBuf info;
  int in;

  (void) unused;
  g_assert_cmpint (mkfifo (f->path, 0600), ==, 0);
  in = g_open (f->path, O_RDONLY | O_NONBLOCK, 0);
  {
    g_autoptr (TpSaver) saver = start (f, "through");

    g_assert_true (tp_saver_sync (saver, NULL));
    g_assert_true (tp_saver_finish (saver, NULL));
  }
  g_assert_cmpint (read (in, got, sizeof got), ==, 7);
  g_assert_cmpmem (got, 7, "through", 7);
  close (in);
  g_assert_cmpint (g_lstat (f->path, &info), ==, 0);
  g_assert_true (S_ISFIFO (info.st_mode));
  g_assert_cmpint (count_names (f), ==, 1);
}

#define ADD(name, function)                                                   \
  g_test_add ("/save/" name, Fixture, NULL, set_up, function, tear_down)

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  ADD ("replace", test_replace);
  ADD ("new", test_new);
  ADD ("dropped", test_dropped);
  ADD ("mode", test_mode);
  ADD ("killed", test_killed);
  ADD ("special", test_special);
  g_test_add ("/save/abandoned", Fixture, NULL, set_up, test_abandoned,
              tear_down);
  g_test_add ("/save/in-use", Fixture, "locked", set_up, test_abandoned,
              tear_down);
  return g_test_run ();
}
