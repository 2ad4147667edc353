/* bundle.c: see bundle.h. */
#include "config.h"

#include "bundle.h"

#include <glib/gstdio.h>
#include <string.h>

/* Lines end in ": valid", or have ": not valid: " and why. */
static char **
run (TpTestBundle *bundle)
{
  g_autoptr (GError) error = NULL;
  g_autofree char *out = NULL, *err = NULL;

  g_spawn_sync (NULL, (char **) bundle->files->pdata, NULL,
                G_SPAWN_SEARCH_PATH, NULL, NULL, &out, &err, NULL, &error);
  g_assert_no_error (error);
  g_assert_cmpstr (err, ==, "");
  return g_strsplit (out, "\n", -1);
}

void
tp_test_bundle_init (TpTestBundle *bundle, const char *script)
{
  bundle->folder = g_dir_make_tmp ("tplan-XXXXXX", NULL);
  bundle->files = g_ptr_array_new_with_free_func (g_free);
  g_ptr_array_add (bundle->files, g_strdup ("python3"));
  g_ptr_array_add (bundle->files,
                   g_test_build_filename (G_TEST_DIST, "..", script, NULL));
  g_ptr_array_add (bundle->files, NULL);
}

void
tp_test_bundle_clear (TpTestBundle *bundle)
{
  for (guint i = 2; i + 1 < bundle->files->len; i++)
    g_remove (bundle->files->pdata[i]);
  g_assert_cmpint (g_rmdir (bundle->folder), ==, 0);
  g_ptr_array_unref (bundle->files);
  g_free (bundle->folder);
}

void
tp_test_bundle_expect (TpTestBundle *bundle)
{
  g_auto (GStrv) lines = run (bundle);
  guint n = 0;

  for (; lines[n] != NULL && *lines[n] != 0; n++)
    {
      const char *name = lines[n] + strlen (bundle->folder) + 1;

      if (g_str_has_prefix (name, "good")
          == g_str_has_suffix (name, ": valid"))
        continue;
      g_test_message ("%s", name);
      g_test_fail ();
    }
  g_assert_cmpuint (n, ==, bundle->files->len - 3);
}
