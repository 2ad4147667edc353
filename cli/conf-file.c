/* conf-file.c: the configuration file. */
#include "config.h"

#include "cli/conf-file.h"

#include "cli/output.h"
#include "ir/near-name.h"

#include <errno.h>
#include <string.h>
#include <sys/auxv.h>
#include <unistd.h>

/* Not asked of GLib: its message takes memory where the locale is not UTF-8. */
/* Where HOME is empty the path is relative, and what is there is nobody's. */
static gboolean
is_absent (const char *path)
{
  return !g_path_is_absolute (path)
         || (access (path, F_OK) != 0 && (errno == ENOENT || errno == ENOTDIR));
}

/* The configuration file: absent is fine, malformed is not. */
static GKeyFile *
load_file (GError **error)
{
  g_autoptr (GKeyFile) file = g_key_file_new ();
  g_autoptr (GError) local = NULL;
  g_autofree char *path = g_build_filename (g_get_user_config_dir (), "tplan",
                                            "tplan.conf", NULL);

  if (getauxval (AT_SECURE) != 0 || is_absent (path)
      || g_key_file_load_from_file (file, path, G_KEY_FILE_NONE, &local))
    return g_steal_pointer (&file);
  g_set_error (error, TPLAN_ERROR, TPLAN_ERROR_INPUT,
               "%s: %s: it is a line [" TP_CONF_GROUP "] and below it lines "
               "KEY=VALUE", path, local->message);
  return NULL;
}

static void
warn_unknown_key (const TpCli *cli, const char *group, const char *key)
{
  static const char *const known[] = { "devices", "threads", "cost", "format",
                                       "driver-timeout", "cache", "color",
                                       NULL };
  gboolean is_ours = strcmp (group, TP_CONF_GROUP) == 0;
  g_autofree char *near = NULL, *list = NULL;

  if (is_ours && g_strv_contains (known, key))
    return;
  near = is_ours ? tp_near_name_ask (key, known) : g_strdup ("");
  list = g_strjoinv (", ", (char **) known);
  tp_cli_warn (cli, "tplan.conf: [%s] has no key '%s'%s: [" TP_CONF_GROUP
               "] has %s", group, key, near, list);
}

static void
warn_unknown_keys (const TpCli *cli, GKeyFile *config)
{
  g_auto (GStrv) groups = g_key_file_get_groups (config, NULL);

  for (int i = 0; groups[i] != NULL; i++)
    {
      g_auto (GStrv) keys
          = g_key_file_get_keys (config, groups[i], NULL, NULL);

      for (int k = 0; keys != NULL && keys[k] != NULL; k++)
        warn_unknown_key (cli, groups[i], keys[k]);
    }
}

GKeyFile *
tp_conf_load (const TpCli *cli, GError **error)
{
  GKeyFile *config = load_file (error);

  if (config != NULL)
    warn_unknown_keys (cli, config);
  return config;
}
