/* remove-all.h: a folder of a test, and what is in it. */
#ifndef TP_TESTS_REMOVE_ALL_H
#define TP_TESTS_REMOVE_ALL_H

#include <glib.h>
#include <glib/gstdio.h>

/* Links are removed, not followed. */
static inline void
tp_test_remove_all (const char *path)
{
  g_autoptr (GDir) folder = g_file_test (path, G_FILE_TEST_IS_SYMLINK)
                                ? NULL
                                : g_dir_open (path, 0, NULL);
  const char *name;

  while (folder != NULL && (name = g_dir_read_name (folder)) != NULL)
    {
      g_autofree char *inner = g_build_filename (path, name, NULL);

      tp_test_remove_all (inner);
    }
  g_remove (path);
}

#endif
