/* test-bad.c: runs `tplan` on every bad file of the tables: the exit status and
 * all of stderr are as said, nothing is on stdout, nothing new is in the folder.
 * Memory and time are limited: nobody gets to take much of either.
 *
 *   BLESS=1 ./test-bad      prints what stderr was, where it was another
 *   KEEP=FOLDER ./test-bad  leaves the files there, to sow a fuzzer */
#include "config.h"

#include <glib.h>
#include <glib/gstdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "bytes.h"
#include "cases.h"

#define DIGEST_KEY "\n \"sha256\": \""
#define MAX_MEMORY_BYTES ((rlim_t) 2 << 30)
#define MAX_CPU_SECONDS 10    /* the longest takes 0.01 */
#define MAX_SECONDS 300       /* on a machine that hardly gets to run */

/* ASan's shadow alone takes terabytes of addresses: no limit is under that. */
#if defined __SANITIZE_ADDRESS__
static const gboolean has_sanitizer = TRUE;
#else
static const gboolean has_sanitizer = FALSE;
#endif

static const char *const tables[]
    = { "graph", "onnx", "npy", "tensors", "limits", "plan", "cost", "machine" };

static char *work;            /* folder of all cases */
static char *good_graph, *good_plan;

/* ---- running ------------------------------------------------------------- */

static void
limit_child (gpointer user_data)
{
  struct rlimit memory = { MAX_MEMORY_BYTES, MAX_MEMORY_BYTES };
  struct rlimit seconds = { MAX_CPU_SECONDS, MAX_CPU_SECONDS };

  (void) user_data;
  if (!has_sanitizer)
    setrlimit (RLIMIT_AS, &memory);
  setrlimit (RLIMIT_CPU, &seconds);
  alarm (MAX_SECONDS);
}

/* Runs `tplan @arguments` in @folder; the exit status, or minus the signal. */
static int
run_tplan (const char *folder, const char *arguments, char **out, char **err)
{
  g_autofree char *line
      = g_strdup_printf ("%s %s", g_getenv ("TPLAN"), arguments);
  g_autoptr (GError) error = NULL;
  g_auto (GStrv) argv = NULL;
  int status;

  g_assert_true (g_shell_parse_argv (line, NULL, &argv, &error));
  g_spawn_sync (folder, argv, NULL, G_SPAWN_DEFAULT, limit_child, NULL, out,
                err, &status, &error);
  g_assert_no_error (error);
  return WIFEXITED (status) ? WEXITSTATUS (status) : -WTERMSIG (status);
}

/* ---- files --------------------------------------------------------------- */

static void
write_file (const char *folder, const char *name, const void *data, gsize size)
{
  g_autofree char *path = g_build_filename (folder, name, NULL);
  g_autofree char *parent = g_path_get_dirname (path);
  g_autoptr (GError) error = NULL;

  g_mkdir_with_parents (parent, 0755);
  g_file_set_contents (path, data, size, &error);
  g_assert_no_error (error);
}

static void
write_bytes (const Case *one, const Step *step, const char *folder)
{
  g_autoptr (GByteArray) bytes = g_byte_array_new ();
  const char *problem
      = bytes_assemble (step->content->str, one->lets, bytes);

  if (problem != NULL)
    g_error ("%s.cases:%d: %s", one->table, one->line, problem);
  write_file (folder, step->name, bytes->data, bytes->len);
}

static void
make_thing (const Case *one, const Step *step, const char *folder)
{
  g_auto (GStrv) names = g_strsplit (step->content->str, " ", 2);
  g_autofree char *path = g_build_filename (folder, names[0], NULL);
  int result = -1;

  if (strcmp (step->name, "symlink") == 0)
    result = symlink (names[1], path);
  else if (strcmp (step->name, "fifo") == 0)
    result = mkfifo (path, 0600);
  else if (strcmp (step->name, "folder") == 0)
    result = g_mkdir_with_parents (path, 0755);
  else if (strcmp (step->name, "hardlink") == 0)
    {
      g_autofree char *old = g_build_filename (folder, names[1], NULL);
      result = link (old, path);
    }
  if (result != 0)
    g_error ("%s.cases:%d: cannot make %s", one->table, one->line, path);
}

static void
edit_plan (const Case *one, const Step *step, GString *plan)
{
  if (g_string_replace (plan, step->name, step->content->str, 0) == 0)
    g_error ("%s.cases:%d: no '%s' in the plan", one->table, one->line,
             step->name);
}

static void
flip_digit (const Case *one, const Step *step, GString *plan)
{
  char *found = strstr (plan->str, step->name);

  if (found == NULL)
    g_error ("%s.cases:%d: no '%s' in the plan", one->table, one->line,
             step->name);
  found += strlen (step->name);
  *found = *found == '0' ? '1' : '0';
}

/* The last two lines are the digest of what is before them, and a brace. */
static void
sign_plan (GString *plan)
{
  char *last = g_strrstr (plan->str, DIGEST_KEY);
  g_autofree char *digest = NULL;

  g_assert_nonnull (last);
  digest = g_compute_checksum_for_data (
      G_CHECKSUM_SHA256, (const guchar *) plan->str, last + 1 - plan->str);
  memcpy (last + strlen (DIGEST_KEY), digest, strlen (digest));
}

static void
make_files (const Case *one, const char *folder)
{
  g_autoptr (GString) plan = g_string_new (good_plan);
  gboolean has_plan = FALSE;

  for (guint i = 0; i < one->steps->len; i++)
    {
      const Step *step = g_ptr_array_index (one->steps, i);

      if (step->kind == STEP_TEXT)
        write_file (folder, step->name, step->content->str,
                    step->content->len);
      else if (step->kind == STEP_BYTES)
        write_bytes (one, step, folder);
      else if (step->kind == STEP_MAKE)
        make_thing (one, step, folder);
      else if (step->kind == STEP_EDIT)
        edit_plan (one, step, plan);
      else if (step->kind == STEP_FLIP)
        flip_digit (one, step, plan);
      else
        has_plan = TRUE;
    }
  if (!has_plan)
    return;
  if (!one->is_unsigned)
    sign_plan (plan);
  write_file (folder, "good.json", good_graph, strlen (good_graph));
  write_file (folder, "plan.json", plan->str, plan->len);
}

static int
compare_names (gconstpointer a, gconstpointer b)
{
  return strcmp (*(char *const *) a, *(char *const *) b);
}

/* The names in @folder, sorted. */
static char *
list_files (const char *folder)
{
  g_autoptr (GPtrArray) names = g_ptr_array_new_with_free_func (g_free);
  g_autoptr (GDir) dir = g_dir_open (folder, 0, NULL);
  const char *name;

  while ((name = g_dir_read_name (dir)) != NULL)
    g_ptr_array_add (names, g_strdup (name));
  g_ptr_array_sort (names, compare_names);
  g_ptr_array_add (names, NULL);
  return g_strjoinv (" ", (char **) names->pdata);
}

/* ---- a case -------------------------------------------------------------- */

/* 64 hex digits become "<sha256>". */
static char *
hide_digests (const char *text)
{
  g_autoptr (GRegex) regex = g_regex_new ("[0-9a-f]{64}", 0, 0, NULL);

  return g_regex_replace_literal (regex, text, -1, 0, "<sha256>", 0, NULL);
}

static void
test_case (gconstpointer data)
{
  const Case *one = data;
  g_autofree char *folder
      = g_build_filename (work, one->table, one->name, NULL);
  g_autofree char *before = NULL, *after = NULL;
  g_autofree char *out = NULL, *err = NULL, *said = NULL;
  int code;

  g_assert_cmpint (g_mkdir_with_parents (folder, 0755), ==, 0);
  make_files (one, folder);
  before = list_files (folder);
  code = run_tplan (folder, one->run, &out, &err);
  after = list_files (folder);
  said = hide_digests (err);
  if (g_getenv ("BLESS") != NULL)
    {
      if (code != one->exit_code || strcmp (said, one->says->str) != 0)
        g_printerr ("BLESS %s %s %d %s\n", one->table, one->name, code, said);
      return;
    }
  g_assert_cmpstr (said, ==, one->says->str);
  g_assert_cmpint (code, ==, one->exit_code);
  g_assert_cmpstr (out, ==, "");
  g_assert_cmpstr (before, ==, after);
}

static void
add_table (const char *name)
{
  g_autofree char *file = g_strconcat (name, ".cases", NULL);
  g_autofree char *path = g_test_build_filename (G_TEST_DIST, file, NULL);
  GPtrArray *cases = cases_load (path);

  for (guint i = 0; i < cases->len; i++)
    {
      const Case *one = g_ptr_array_index (cases, i);
      g_autofree char *at
          = g_strdup_printf ("/bad/%s/%s", one->table, one->name);

      g_test_add_data_func (at, one, test_case);
    }
}

/* ---- all ----------------------------------------------------------------- */

static void
make_home (void)
{
  g_autoptr (GError) error = NULL;
  const char *const names[]
      = { "HOME", "XDG_CONFIG_HOME", "XDG_STATE_HOME", "XDG_CACHE_HOME",
          "POCL_CACHE_DIR" };
  g_autofree char *cost = NULL, *home = NULL;

  work = g_getenv ("KEEP") != NULL
             ? g_strdup (g_getenv ("KEEP"))
             : g_dir_make_tmp ("tplan-bad-XXXXXX", &error);
  g_assert_no_error (error);
  home = g_build_filename (work, "home", NULL);
  cost = g_build_filename (home, "cost.db", NULL);
  g_assert_cmpint (g_mkdir (home, 0700), ==, 0);
  for (gsize i = 0; i < G_N_ELEMENTS (names); i++)
    g_setenv (names[i], home, TRUE);
  g_setenv ("TPLAN_COST", cost, TRUE);
  g_setenv ("LC_ALL", "C", TRUE);
  g_unsetenv ("TPLAN_DEVICES");
  g_unsetenv ("TPLAN_THREADS");
}

/* The plan that bad ones are made of; made by `tplan` itself, and good. */
static void
make_plan (void)
{
  g_autofree char *path
      = g_test_build_filename (G_TEST_DIST, "good.json", NULL);
  g_autofree char *out = NULL, *err = NULL, *plan = NULL;

  g_assert_true (g_file_get_contents (path, &good_graph, NULL, NULL));
  write_file (work, "good.json", good_graph, strlen (good_graph));
  g_assert_cmpint (run_tplan (work, "optimize good.json --devices "
                              "sim:desktop-cpu,sim:desktop-gpu -o plan.json",
                              &out, &err), ==, 0);
  g_clear_pointer (&out, g_free);
  g_clear_pointer (&err, g_free);
  g_assert_cmpint (run_tplan (work, "check plan.json", &out, &err), ==, 0);
  plan = g_build_filename (work, "plan.json", NULL);
  g_assert_true (g_file_get_contents (plan, &good_plan, NULL, NULL));
}

static void
remove_all (void)
{
  const char *argv[] = { "rm", "-rf", work, NULL };

  g_spawn_sync (NULL, (char **) argv, NULL, G_SPAWN_SEARCH_PATH, NULL, NULL,
                NULL, NULL, NULL, NULL);
}

int
main (int argc, char **argv)
{
  int code;

  g_test_init (&argc, &argv, NULL);
  g_test_set_nonfatal_assertions ();
  g_assert_nonnull (g_getenv ("TPLAN"));
  make_home ();
  make_plan ();
  for (gsize i = 0; i < G_N_ELEMENTS (tables); i++)
    add_table (tables[i]);
  code = g_test_run ();
  if (g_getenv ("KEEP") == NULL)
    remove_all ();
  return code;
}
