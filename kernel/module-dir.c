/* module-dir.c: where the compiler module is, also after its tree was moved.
 *
 * The kernel tells which file this code was mapped from. dladdr () does not: of a
 * program it knows what the caller of exec () named it. */
#include "config.h"

#include "kernel/module-dir.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/auxv.h>

#define LINE_MAX_BYTES 8192   /* a path and what stands before it */

/* The path of a line of /proc/self/maps about what holds @address, else NULL. */
static const char *
find_path (char *line, uintptr_t address)
{
  uintptr_t begin, end;
  const char *path = strchr (line, '/');

  if (path == NULL || sscanf (line, "%" SCNxPTR "-%" SCNxPTR, &begin, &end) != 2
      || address < begin || address >= end)
    return NULL;
  line[strcspn (line, "\n")] = '\0';
  return path;
}

/* The folder of the file that holds this code; NULL where /proc is not. */
static char *
find_own_dir (void)
{
  char line[LINE_MAX_BYTES];
  FILE *maps = fopen ("/proc/self/maps", "re");
  const char *path = NULL;

  while (maps != NULL && path == NULL && fgets (line, sizeof line, maps) != NULL)
    path = find_path (line, (uintptr_t) &find_own_dir);
  if (maps != NULL)
    fclose (maps);
  return path != NULL ? g_path_get_dirname (path) : NULL;
}

/* Of how many bytes the folder is that holds both; 0: only "/". */
static gsize
count_common (const char *a, const char *b)
{
  gsize n = 0, last = 0;

  for (; a[n] == b[n] && a[n] != '\0'; n++)
    if (a[n] == '/')
      last = n;
  if ((a[n] == '\0' || a[n] == '/') && (b[n] == '\0' || b[n] == '/'))
    return n;
  return last;
}

char *
tp_module_dir_move (const char *now, const char *from_dir,
                    const char *module_dir)
{
  gsize common = count_common (from_dir, module_dir);
  const char *tail = from_dir + common; /* "", or "/bin" */
  g_autofree char *root = NULL;

  if (!g_str_has_suffix (now, tail))
    return NULL;
  root = g_strndup (now, strlen (now) - strlen (tail));
  return g_strconcat (root, module_dir + common, NULL);
}

char **
tp_module_dir_list (void)
{
  g_autofree char *now = getauxval (AT_SECURE) ? NULL : find_own_dir ();
  GPtrArray *dirs = g_ptr_array_new ();
  static const char *const from[] = { TP_PROGRAM_DIR, TP_LIBRARY_DIR };

  for (gsize i = 0; now != NULL && i < G_N_ELEMENTS (from); i++)
    {
      char *dir = tp_module_dir_move (now, from[i], TP_MODULE_DIR);

      if (dir != NULL)
        g_ptr_array_add (dirs, dir);
    }
  g_ptr_array_add (dirs, g_strdup (TP_MODULE_DIR));
  g_ptr_array_add (dirs, NULL);
  return (char **) g_ptr_array_free (dirs, FALSE);
}
