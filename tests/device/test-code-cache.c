/* test-code-cache.c: what is kept is found again, byte for byte, or not at all. */
#include "config.h"

#include "runtime/code-cache.h"
#include "runtime/devices.h"
#include "tests/remove-all.h"

#include <fcntl.h>
#include <glib/gstdio.h>
#include <signal.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

typedef struct
{
  char *base, *folder;
  TpCodeCache *cache;
} Fixture;

static TpBytes
text (const char *of)
{
  return (TpBytes){ of, strlen (of) };
}

static void
set_up (Fixture *f, gconstpointer data)
{
  g_autoptr (GError) error = NULL;

  f->base = g_dir_make_tmp ("tplan-cache-XXXXXX", NULL);
  f->folder = g_build_filename (f->base, "tplan", "code", NULL);
  f->cache = tp_code_cache_open (f->base, &error);
  g_assert_no_error (error);
}

static void
tear_down (Fixture *f, gconstpointer data)
{
  tp_code_cache_close (f->cache);
  tp_test_remove_all (f->base);
  g_free (f->folder);
  g_free (f->base);
}

/* The only file there is; NULL: none. */
static char *
find_file (const Fixture *f)
{
  g_autoptr (GDir) dir = g_dir_open (f->folder, 0, NULL);
  const char *name = g_dir_read_name (dir);

  if (name == NULL)
    return NULL;
  g_assert_null (g_dir_read_name (dir));
  return g_build_filename (f->folder, name, NULL);
}

static int
count_files (const Fixture *f)
{
  g_autoptr (GDir) dir = g_dir_open (f->folder, 0, NULL);
  int n = 0;

  while (g_dir_read_name (dir) != NULL)
    n++;
  return n;
}

static void
assert_found (const Fixture *f, const char *key, const char *value)
{
  gsize size = 0;
  g_autofree guint8 *found = tp_code_cache_find (f->cache, text (key), &size);

  g_assert_nonnull (found);
  g_assert_cmpmem (found, size, value, strlen (value));
}

static void
assert_missing (const Fixture *f, const char *key)
{
  gsize size = 0;

  g_assert_null (tp_code_cache_find (f->cache, text (key), &size));
}

static void
keep (const Fixture *f, const char *key, const char *value)
{
  g_assert_true (tp_code_cache_keep (f->cache, text (key), text (value)));
}

static void
test_round (Fixture *f, gconstpointer data)
{
  assert_missing (f, "a");
  keep (f, "a", "one");
  keep (f, "ab", "");
  assert_found (f, "a", "one");
  assert_found (f, "ab", "");
  assert_missing (f, "b");
  assert_missing (f, "");
  keep (f, "a", "other");
  assert_found (f, "a", "other");
  g_assert_cmpint (count_files (f), ==, 2);
}

/* ---- tampering ----------------------------------------------------------- */

/* Each byte in turn, each bit of some; each length; and what follows. */
static void
test_damaged (Fixture *f, gconstpointer data)
{
  g_autofree char *path = NULL, *bytes = NULL;
  gsize size;

  keep (f, "key", "the value of it");
  path = find_file (f);
  g_assert_true (g_file_get_contents (path, &bytes, &size, NULL));
  for (gsize i = 0; i < 2 * size + 1; i++)
    {
      g_autofree char *copy = g_memdup2 (bytes, size + 1);
      gsize length = i < size ? size : i < 2 * size ? i - size : size + 1;

      if (i < size)
        copy[i] ^= 1 << g_test_rand_int_range (0, 8);
      g_assert_true (g_file_set_contents_full (path, copy, length,
                                               G_FILE_SET_CONTENTS_NONE, 0600,
                                               NULL));
      assert_missing (f, "key");
      g_assert_null (find_file (f)); /* it is taken away */
    }
  keep (f, "key", "the value of it");
  assert_found (f, "key", "the value of it");
}

/* A whole file of another key under this one's name. */
static void
test_swapped (Fixture *f, gconstpointer data)
{
  g_autofree char *first = NULL, *second = NULL;

  keep (f, "first", "1");
  first = find_file (f);
  g_assert_cmpint (g_remove (first), ==, 0);
  keep (f, "second", "2");
  second = find_file (f);
  g_assert_cmpint (g_rename (second, first), ==, 0);
  assert_missing (f, "first");
}

static void
test_foreign (Fixture *f, gconstpointer data)
{
  g_autofree char *path = NULL;
  g_autofree char *away = g_build_filename (f->base, "away", NULL);

  keep (f, "key", "value");
  path = find_file (f);
  for (int mode = 0604; mode <= 0660; mode += 044)
    {
      g_assert_cmpint (g_chmod (path, mode), ==, 0);
      assert_missing (f, "key");
      keep (f, "key", "value");
    }
  g_assert_cmpint (g_rename (path, away), ==, 0);
  g_assert_cmpint (symlink (away, path), ==, 0);
  assert_missing (f, "key");
  g_assert_cmpint (link (away, path), ==, 0);
  assert_missing (f, "key");
  g_assert_cmpint (mkfifo (path, 0600), ==, 0); /* does not hang */
  assert_missing (f, "key");
  g_assert_cmpint (g_mkdir (path, 0700), ==, 0);
  assert_missing (f, "key");
  g_assert_false (tp_code_cache_keep (f->cache, text ("key"), text ("value")));
  g_assert_cmpint (count_files (f), ==, 1);
  if (geteuid () != 0)
    return;
  g_assert_cmpint (g_rmdir (path), ==, 0);
  keep (f, "key", "value");
  g_assert_cmpint (chown (path, 65534, 65534), ==, 0);
  assert_missing (f, "key");
}

static void
assert_refused (const char *base, const char *why)
{
  g_autoptr (GError) error = NULL;

  g_assert_null (tp_code_cache_open (base, &error));
  g_assert_nonnull (error);
  g_assert_nonnull (strstr (error->message, why));
}

static void
test_folder (Fixture *f, gconstpointer data)
{
  g_autofree char *away = g_build_filename (f->base, "away", NULL);
  g_autoptr (GError) error = NULL;

  assert_refused ("here", "is not 'user', 'off' or an absolute path");
  g_assert_null (tp_code_cache_open ("off", &error));
  g_assert_no_error (error);
  g_assert_cmpint (g_chmod (f->folder, 0770), ==, 0);
  assert_refused (f->base, "can be written to by others");
  g_assert_cmpint (g_rename (f->folder, away), ==, 0);
  g_assert_cmpint (symlink (away, f->folder), ==, 0);
  assert_refused (f->base, "is a symbolic link");
  /* what was open goes on in the folder that was opened */
  keep (f, "key", "value");
  assert_found (f, "key", "value");
}

/* ---- trouble ------------------------------------------------------------- */

static void
test_full (Fixture *f, gconstpointer data)
{
  const struct rlimit little = { 100, RLIM_INFINITY };
  g_autofree char *value = g_strnfill (5000, 'v');
  struct rlimit before;

  signal (SIGXFSZ, SIG_IGN);
  g_assert_cmpint (getrlimit (RLIMIT_FSIZE, &before), ==, 0);
  g_assert_cmpint (setrlimit (RLIMIT_FSIZE, &little), ==, 0);
  g_assert_false (tp_code_cache_keep (f->cache, text ("key"), text (value)));
  g_assert_cmpint (setrlimit (RLIMIT_FSIZE, &before), ==, 0);
  g_assert_cmpint (count_files (f), ==, 0);
  assert_missing (f, "key");
}

static void
test_read_only (Fixture *f, gconstpointer data)
{
  keep (f, "key", "value");
  if (geteuid () == 0)
    {
      g_test_skip ("root may write anywhere");
      return;
    }
  g_assert_cmpint (g_chmod (f->folder, 0500), ==, 0);
  assert_found (f, "key", "value");
  g_assert_false (tp_code_cache_keep (f->cache, text ("b"), text ("value")));
  g_assert_cmpint (g_chmod (f->folder, 0700), ==, 0);
}

#define N_WRITERS 4
#define N_ROUNDS 200

/* Values of one key differ in length and content, and are always whole. */
static char *
make_value (int writer, int round)
{
  return g_strnfill (1000 * writer + round, 'a' + writer);
}

static void
write_for_ever (const Fixture *f, int writer)
{
  for (int round = 1;; round = round % N_ROUNDS + 1)
    {
      g_autofree char *value = make_value (writer, round);

      tp_code_cache_keep (f->cache, text ("key"), text (value));
    }
}

static void
assert_whole (const guint8 *found, gsize size)
{
  int writer = found[0] - 'a';
  g_autofree char *value = NULL;

  g_assert_cmpint (writer, >=, 1);
  g_assert_cmpint (writer, <=, N_WRITERS);
  g_assert_cmpint (size, >, 1000 * writer);
  g_assert_cmpint (size, <=, 1000 * writer + N_ROUNDS);
  value = make_value (writer, (int) size - 1000 * writer);
  g_assert_cmpmem (found, size, value, strlen (value));
}

/* Others write the same key, and are killed while they do. */
static void
test_writers (Fixture *f, gconstpointer data)
{
  pid_t writers[N_WRITERS];
  int n_found = 0;

  for (int i = 0; i < N_WRITERS; i++)
    if ((writers[i] = fork ()) == 0)
      write_for_ever (f, i + 1);
  while (n_found < 500)
    {
      gsize size = 0;
      g_autofree guint8 *found
          = tp_code_cache_find (f->cache, text ("key"), &size);

      if (found != NULL)
        assert_whole (found, size);
      n_found += found != NULL;
    }
  for (int i = 0; i < N_WRITERS; i++)
    {
      g_assert_cmpint (kill (writers[i], SIGKILL), ==, 0);
      g_assert_cmpint (waitpid (writers[i], NULL, 0), ==, writers[i]);
    }
  keep (f, "key", "last");
  assert_found (f, "key", "last");
  g_assert_cmpint (count_files (f), <=, 1 + N_WRITERS);
}

/* ---- the bound ----------------------------------------------------------- */

static void
set_age (const char *path, int days)
{
  struct timespec times[] = { { 0, UTIME_OMIT }, { 0, 0 } };

  times[1].tv_sec = g_get_real_time () / G_USEC_PER_SEC - days * 86400;
  g_assert_cmpint (utimensat (AT_FDCWD, path, times, 0), ==, 0);
}

/* What was of use stays: 40 files of 8 KiB, the first ones found again. */
static void
test_trim (Fixture *f, gconstpointer data)
{
  g_autofree char *value = g_strnfill (8000, 'v');
  g_autofree char *draft = g_build_filename (f->folder, ".draft-1-1", NULL);

  for (int i = 0; i < 40; i++)
    {
      g_autofree char *key = g_strdup_printf ("%d", i);
      g_autofree char *name
          = g_compute_checksum_for_string (G_CHECKSUM_SHA256, key, -1);
      g_autofree char *path = g_build_filename (f->folder, name, NULL);

      keep (f, key, value);
      set_age (path, 100 - i);
    }
  g_assert_true (g_file_set_contents (draft, "x", 1, NULL));
  set_age (draft, 2);
  tp_code_cache_trim (f->cache, 1 << 20);
  g_assert_cmpint (count_files (f), ==, 40); /* less the draft */
  assert_found (f, "0", value);
  assert_found (f, "1", value);
  tp_code_cache_trim (f->cache, 200000);
  g_assert_cmpint (count_files (f), >=, 5);
  g_assert_cmpint (count_files (f), <=, 150000 / 8000 + 1);
  assert_found (f, "0", value);
  assert_found (f, "1", value);
  assert_missing (f, "2");
  assert_found (f, "39", value);
}

/* ---- what there is to know of LLVM --------------------------------------- */

/* In a child, which knows nothing yet: whether it had to have a child of its own to
 * ask. -1: there is no LLVM. */
static int
ask_to_open (const char *base)
{
  const TpDeviceOptions options = { .n_threads = 1, .code_cache = base };
  pid_t child = fork ();
  int status;

  if (child == 0)
    {
      TpDevice *device = tp_device_open ("cpu", &options, NULL);
      struct rusage usage;

      getrusage (RUSAGE_CHILDREN, &usage);
      _exit (device == NULL ? 2 : usage.ru_minflt > 0);
    }
  g_assert_cmpint (waitpid (child, &status, 0), ==, child);
  g_assert_true (WIFEXITED (status));
  return WEXITSTATUS (status) == 2 ? -1 : WEXITSTATUS (status);
}

/* It is kept where the caller keeps code, whatever the environment says. */
static void
test_identity (Fixture *f, gconstpointer data)
{
  int asked;

  g_setenv ("TPLAN_CACHE_DIR", "off", TRUE);
  asked = ask_to_open (f->base);
  if (asked < 0)
    {
      g_test_skip ("no LLVM");
      return;
    }
  g_assert_cmpint (asked, ==, 1);
  g_assert_cmpint (ask_to_open (f->base), ==, 0);
}

#define ADD(name, test) \
  g_test_add ("/code-cache/" name, Fixture, NULL, set_up, test, tear_down)

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  ADD ("round", test_round);
  ADD ("damaged", test_damaged);
  ADD ("swapped", test_swapped);
  ADD ("foreign", test_foreign);
  ADD ("folder", test_folder);
  ADD ("full", test_full);
  ADD ("read-only", test_read_only);
  ADD ("writers", test_writers);
  ADD ("trim", test_trim);
  ADD ("identity", test_identity);
  return g_test_run ();
}
