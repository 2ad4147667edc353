/* files.c: see files.h. */
#include "config.h"

#include "cli/files.h"

#include "cli/hint-plan.h"
#include "cli/hint-words.h"
#include "cli/planning.h"

#include <glib/gstdio.h>
#include <string.h>

#define HEAD_BYTES 4096       /* of a model, that say what it is */

/* By its name, or by how it begins. */
static gboolean
is_model (const char *path)
{
  g_autoptr (GMappedFile) file = NULL;
  gsize size;

  if (!g_file_test (path, G_FILE_TEST_IS_REGULAR))
    return FALSE;
  if (g_str_has_suffix (path, ".onnx"))
    return TRUE;
  file = g_mapped_file_new (path, FALSE, NULL);
  size = file == NULL ? 0 : g_mapped_file_get_length (file);
  return size > 0
         && g_strstr_len (g_mapped_file_get_contents (file),
                          (gssize) MIN (size, HEAD_BYTES),
                          "\"tplan-graph/") != NULL;
}

char *
tp_cli_name_plan (const char *model)
{
  const char *dot = strrchr (model, '.'), *slash = strrchr (model, '/');
  gsize length = dot == NULL || (slash != NULL && dot < slash)
                     ? strlen (model)
                     : (gsize) (dot - model);
  g_autofree char *stem = g_strndup (model, length);

  return g_strconcat (stem, ".plan.json", NULL);
}

gboolean
tp_cli_is_plan_of (const char *path, const char *model)
{
  g_autofree char *graph
      = tp_cli_is_plan (path) ? tp_hint_find_graph (path) : NULL;
  GStatBuf a, b;

  return graph != NULL && g_stat (graph, &a) == 0 && g_stat (model, &b) == 0
         && a.st_dev == b.st_dev && a.st_ino == b.st_ino;
}

static void
set_model_error (const char *path, GError **error)
{
  g_autofree char *plan = tp_cli_name_plan (path);
  g_autofree char *model_word = tp_hint_quote (path);
  g_autofree char *plan_word = tp_hint_quote (plan);
  gboolean exists = g_file_test (plan, G_FILE_TEST_EXISTS);

  g_set_error (error, TPLAN_ERROR, TPLAN_ERROR_INPUT,
               "%s is a model, and this takes plans: `tplan optimize %s %s-o "
               "%s` makes one of it",
               path, model_word, exists ? "-f " : "", plan_word);
}

gboolean
tp_cli_expect_plan (const char *path, GError **error)
{
  if (tp_cli_is_plan (path) || !is_model (path))
    return TRUE;
  set_model_error (path, error);
  return FALSE;
}

gboolean
tp_cli_check_files (const TpCli *cli, const TpCommand *command, GError **error)
{
  gboolean takes_plans = strstr (command->arguments, "PLAN") != NULL;
  gboolean takes_models = strstr (command->arguments, "MODEL") != NULL;

  for (int i = 0; i < cli->n_args && takes_plans != takes_models; i++)
    if (takes_plans && !tp_cli_expect_plan (cli->args[i], error))
      return FALSE;
    else if (takes_models && tp_cli_is_plan (cli->args[i]))
      {
        g_set_error (error, TPLAN_ERROR, TPLAN_ERROR_INPUT,
                     "%s is a plan, and %s takes models: for its model, `tplan "
                     "%s`",
                     cli->args[i], command->name, command->name);
        return FALSE;
      }
  return TRUE;
}
