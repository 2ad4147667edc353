/* opencl-drivers.c: which drivers the OpenCL loader is to load.
 *
 * A loader takes every driver that a folder names, and one that hangs takes the
 * others along. It has one means to leave a driver out: another folder, named in
 * the environment when it loads. Ours is in the user's cache, called by what is
 * in it. */
#include "config.h"

#include "runtime/opencl-drivers.h"

#include "include/tplan.h"
#include "ir/compare.h"
#include "runtime/private-folder.h"

#include <stdlib.h>

#define FOLDER_VARIABLE "OCL_ICD_VENDORS"

static char *chosen_folder;   /* NULL: the loader's own */
static const char *chosen;    /* names of what is in it; interned */
static char *given_folder;    /* the variable, while it is another */

static const char *
get_folder (void)
{
  const char *folder = secure_getenv (FOLDER_VARIABLE);

  if (folder == NULL)
    folder = secure_getenv ("OPENCL_VENDOR_PATH");
  return folder != NULL ? folder : TP_OPENCL_DRIVERS;
}

/* NULL where the loader is told of them in another way. */
char **
tp_opencl_drivers_list (void)
{
  const char *folder = get_folder (), *name;
  g_autoptr (GDir) dir = NULL;
  g_autoptr (GPtrArray) files = NULL;

  if (secure_getenv ("OCL_ICD_FILENAMES") != NULL)
    return NULL;
  if (g_str_has_suffix (folder, ".icd")
      && g_file_test (folder, G_FILE_TEST_IS_REGULAR))
    {
      char *const alone[] = { (char *) folder, NULL };

      return g_strdupv ((char **) alone);
    }
  dir = g_dir_open (folder, 0, NULL);
  if (dir == NULL && g_file_test (folder, G_FILE_TEST_EXISTS))
    return NULL;
  files = g_ptr_array_new_with_free_func (g_free);
  while (dir != NULL && (name = g_dir_read_name (dir)) != NULL)
    if (g_str_has_suffix (name, ".icd"))
      g_ptr_array_add (files, g_build_filename (folder, name, NULL));
  g_ptr_array_sort (files, tp_compare_text);
  g_ptr_array_add (files, NULL);
  return (char **) g_ptr_array_free (g_steal_pointer (&files), FALSE);
}

/* "~/.cache/tplan/opencl-0123456789abcdef": by names and contents. What lies there is
 * loaded, so nobody else can reach it. */
static char *
make_folder (const char *const *files, GError **error)
{
  g_autoptr (GChecksum) sum = g_checksum_new (G_CHECKSUM_SHA256);
  g_autofree char *name = NULL;

  for (int i = 0; files[i] != NULL; i++)
    {
      g_autofree char *text = NULL;

      g_checksum_update (sum, (const guchar *) files[i], -1);
      if (g_file_get_contents (files[i], &text, NULL, NULL))
        g_checksum_update (sum, (const guchar *) text, -1);
    }
  name = g_strdup_printf ("opencl-%.16s", g_checksum_get_string (sum));
  return tp_private_folder_make (g_get_user_cache_dir (), "tplan", name, error);
}

static gboolean
copy_file (const char *path, const char *folder, GError **error)
{
  g_autofree char *base = g_path_get_basename (path);
  g_autofree char *copy = g_build_filename (folder, base, NULL);
  g_autofree char *text = NULL;
  gsize size;

  return g_file_get_contents (path, &text, &size, error)
         && g_file_set_contents (copy, text, (gssize) size, error);
}

static const char *
list_names (const char *const *files)
{
  g_autoptr (GString) names = g_string_new (NULL);

  for (int i = 0; files[i] != NULL; i++)
    {
      g_autofree char *base = g_path_get_basename (files[i]);

      g_string_append_printf (names, "%s%s", i > 0 ? ", " : "", base);
    }
  return g_intern_string (g_strdelimit (names->str, "\n=", ' '));
}

static gboolean
fail (const GError *why, GError **error)
{
  g_set_error (error, TPLAN_ERROR, TPLAN_ERROR_FAILED,
               "cannot leave an OpenCL driver out: %s", why->message);
  return FALSE;
}

gboolean
tp_opencl_drivers_narrow (const char *const *files, GError **error)
{
  g_autoptr (GError) why = NULL;
  g_autofree char *folder = files == NULL ? NULL : make_folder (files, &why);

  if (why != NULL)
    return fail (why, error);
  for (int i = 0; folder != NULL && files[i] != NULL; i++)
    if (!copy_file (files[i], folder, &why))
      return fail (why, error);
  g_free (chosen_folder);
  chosen_folder = g_steal_pointer (&folder);
  chosen = files == NULL ? NULL : list_names (files);
  return TRUE;
}

const char *
tp_opencl_drivers_get_chosen (void)
{
  return chosen;
}

void
tp_opencl_drivers_begin (void)
{
  if (chosen_folder == NULL)
    return;
  given_folder = g_strdup (g_getenv (FOLDER_VARIABLE));
  g_setenv (FOLDER_VARIABLE, chosen_folder, TRUE);
}

/* What a measurement depends on is what the user said. */
void
tp_opencl_drivers_end (void)
{
  if (chosen_folder == NULL)
    return;
  if (given_folder != NULL)
    g_setenv (FOLDER_VARIABLE, given_folder, TRUE);
  else
    g_unsetenv (FOLDER_VARIABLE);
  g_clear_pointer (&given_folder, g_free);
}
