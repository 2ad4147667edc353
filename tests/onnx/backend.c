/* backend.c: the tests of the ONNX project on the devices named.
 *
 *   backend [--format table|json] [--verbose] [--match GLOB] [--jobs N]
 *           [DEVICE...]
 *
 * DEVICE: ref, cpu (default), opencl:0. Exit status: 0 no test failed or
 * crashed, 1 some did, 2 usage, 3 the tests are not installed. */
#include "config.h"

#include <stdio.h>
#include <string.h>

#include "tests/onnx/walk.h"

static char *format = NULL, *match = NULL;
static char **devices = NULL;
static gboolean is_verbose = FALSE;
static int n_jobs = 0;

static const GOptionEntry entries[] = {
  { "format", 0, 0, G_OPTION_ARG_STRING, &format, "table (default) or json",
    "FORMAT" },
  { "verbose", 'v', 0, G_OPTION_ARG_NONE, &is_verbose,
    "say why, for each test that did not pass", NULL },
  { "match", 'm', 0, G_OPTION_ARG_STRING, &match,
    "only tests whose name matches, as in 'node/test_conv*'", "GLOB" },
  { "jobs", 'j', 0, G_OPTION_ARG_INT, &n_jobs,
    "child processes (default: one per processor)", "N" },
  { G_OPTION_REMAINING, 0, 0, G_OPTION_ARG_STRING_ARRAY, &devices, NULL,
    NULL },
  { 0 },
};

static gboolean
parse (int argc, char **argv)
{
  g_autoptr (GOptionContext) context = g_option_context_new ("[DEVICE...]");
  g_autoptr (GError) error = NULL;

  g_option_context_add_main_entries (context, entries, NULL);
  if (!g_option_context_parse (context, &argc, &argv, &error))
    {
      fprintf (stderr, "%s\n", error->message);
      return FALSE;
    }
  if (format != NULL && strcmp (format, "table") != 0
      && strcmp (format, "json") != 0)
    {
      fprintf (stderr, "format '%s' is neither table nor json\n", format);
      return FALSE;
    }
  if (n_jobs < 1)
    n_jobs = g_get_num_processors ();
  return TRUE;
}

static void
keep_matching (GPtrArray *cases)
{
  for (guint i = cases->len; match != NULL && i > 0; i--)
    if (!g_pattern_match_simple (match,
                                 ((OnnxCase *) cases->pdata[i - 1])->name))
      g_ptr_array_remove_index (cases, i - 1);
}

static void
print (OnnxWalk *const *walks, int n_walks)
{
  if (g_strcmp0 (format, "json") == 0)
    {
      g_autofree char *text = onnx_walks_to_json (walks, n_walks);

      fputs (text, stdout);
      return;
    }
  for (int i = 0; i < n_walks; i++)
    {
      g_autofree char *text = onnx_walk_to_table (walks[i], is_verbose);

      printf ("%s%s", i > 0 ? "\n" : "", text);
    }
}

int
main (int argc, char **argv)
{
  static const char *const cpu[] = { "cpu", NULL };
  g_autoptr (GPtrArray) cases = NULL;
  g_autoptr (GPtrArray) walks
      = g_ptr_array_new_with_free_func ((GDestroyNotify) onnx_walk_free);
  int n_bad = 0;

  if (!parse (argc, argv))
    return 2;
  cases = onnx_cases_list ();
  keep_matching (cases);
  if (cases->len == 0)
    {
      fprintf (stderr, "no test in '%s': install libonnx-testdata\n",
               onnx_cases_get_folder ());
      return 3;
    }
  for (const char *const *it = devices != NULL ? (const char *const *) devices
                                               : cpu;
       *it != NULL; it++)
    {
      OnnxWalk *walk = onnx_walk_new (*it, cases, n_jobs);

      n_bad += onnx_walk_count (walk, ONNX_FAILED)
               + onnx_walk_count (walk, ONNX_CRASHED);
      g_ptr_array_add (walks, walk);
    }
  print ((OnnxWalk *const *) walks->pdata, walks->len);
  return n_bad > 0;
}
