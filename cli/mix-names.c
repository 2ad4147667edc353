/* mix-names.c: see mix-names.h. */
#include "config.h"

#include "cli/mix-names.h"

#include "api/graph.h"
#include "cli/values.h"
#include "ir/graph.h"

#include <string.h>

/* What is in front of its first dot. */
static char *
find_stem (const char *path)
{
  g_autofree char *base = g_path_get_basename (path);
  const char *dot = strchr (base + 1, '.');

  return g_strndup (base, dot == NULL ? strlen (base) : (gsize) (dot - base));
}

static char *
find_folder (const char *path)
{
  g_autofree char *whole = g_canonicalize_filename (path, NULL);
  g_autofree char *folder = g_path_get_dirname (whole);

  return g_path_get_basename (folder);
}

/* Whether another of @names is as that at @index. */
static gboolean
is_shared (char *const *names, int index)
{
  for (int i = 0; names[i] != NULL; i++)
    if (i != index && strcmp (names[i], names[index]) == 0)
      return TRUE;
  return FALSE;
}

char **
tp_cli_name_models (char *const *paths)
{
  int n = (int) g_strv_length ((char **) paths);
  g_auto (GStrv) stems = g_new0 (char *, n + 1);
  g_auto (GStrv) longer = g_new0 (char *, n + 1);
  char **names = g_new0 (char *, n + 1);

  for (int i = 0; i < n; i++)
    {
      g_autofree char *folder = find_folder (paths[i]);

      stems[i] = find_stem (paths[i]);
      longer[i] = g_build_filename (folder, stems[i], NULL);
    }
  for (int i = 0; i < n; i++)
    names[i] = g_strdup (is_shared (stems, i) && !is_shared (longer, i)
                             ? longer[i] : stems[i]);
  return names;
}

/* (nullable) A file that cannot be read is told of when it is planned. */
static char *
find_own_name (const TpCli *cli, const char *path)
{
  g_autoptr (GArray) dims = tp_cli_parse_dims (cli, NULL);
  const TplanLoadOptions load = tp_cli_load_options (cli, dims);
  g_autoptr (TplanGraph) graph
      = dims == NULL ? NULL : tplan_graph_load_full (path, &load, NULL);

  return graph == NULL ? NULL : g_strdup (tp_api_get_graph (graph)->name);
}

int
tp_cli_find_named (const TpCli *cli, char *const *names, const char *name)
{
  int found = -1;

  for (int i = 0; names[i] != NULL; i++)
    if (strcmp (names[i], name) == 0)
      return i;
  for (int i = 0; names[i] != NULL; i++)
    {
      g_autofree char *own = find_own_name (cli, cli->args[i]);

      if (g_strcmp0 (own, name) != 0)
        continue;
      if (found >= 0)
        return -1;
      found = i;
    }
  return found;
}
