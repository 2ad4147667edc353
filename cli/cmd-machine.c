/* cmd-machine.c: a machine looked at, and taken along as a file. */
#include "config.h"

#include "calib/machine-file.h"
#include "cli/cli.h"
#include "cli/csv.h"
#include "cli/machine-data.h"
#include "cli/machine-text.h"
#include "cli/output.h"
#include "cli/picture.h"
#include "ir/near-name.h"
#include "view/boxes.h"
#include "view/render.h"

#include <stdio.h>
#include <string.h>

/* ---- as text ------------------------------------------------------------ */

/* The first as far left as @indent says, the others below it. */
static void
print_lines (char *const *lines, int indent)
{
  for (int i = 0; lines[i] != NULL; i++)
    tp_cli_print ("%*s%s", indent + (i > 0 ? 2 : 0), "", lines[i]);
}

static void
print_machine (const json_t *document)
{
  static const char *const links[] = { "to_device", "to_host" };
  g_auto (GStrv) machine = tp_machine_text_machine (document);
  gsize i;
  json_t *device;

  print_lines (machine, 0);
  json_array_foreach (json_object_get (document, "devices"), i, device)
    {
      g_auto (GStrv) lines = tp_machine_text_device (device);

      print_lines (lines, 2);
      for (gsize k = 0; k < G_N_ELEMENTS (links); k++)
        {
          g_auto (GStrv) curve = tp_machine_text_link (device, links[k]);

          print_lines (curve, 4);
        }
    }
}

/* ---- as a picture ------------------------------------------------------- */

/* What boxes and links are made of. */
typedef struct
{
  GArray *boxes, *links;      /* TpBox, TpBoxLink */
  GPtrArray *texts;           /* of char **, which they borrow */
} Drawing;

static const char *const *
keep (Drawing *self, char **lines)
{
  g_ptr_array_add (self->texts, lines);
  return (const char *const *) lines;
}

static void
add_box (Drawing *self, char **lines, int look)
{
  const char *const *kept = keep (self, lines);
  const TpBox box = { kept[0], kept + 1, look };

  g_array_append_val (self->boxes, box);
}

/* Bars are for text alone. */
static void
cut_bars (char **lines)
{
  for (int i = 0; lines[i] != NULL; i++)
    g_strchomp (g_strdelimit (lines[i], "#", ' '));
}

static void
add_link (Drawing *self, const json_t *device, const char *key, int index)
{
  char **lines = tp_machine_text_link (device, key);
  gboolean is_to_host = strcmp (key, "to_host") == 0;
  TpBoxLink link = { is_to_host ? index : 0, is_to_host ? 0 : index,
                     keep (self, lines) };

  cut_bars (lines);
  if (lines[0] != NULL)
    g_array_append_val (self->links, link);
}

/* The machine, with a box for each of its devices; the caller frees. */
static char *
draw_machine (const json_t *document, GError **error)
{
  Drawing self = { g_array_new (FALSE, FALSE, sizeof (TpBox)),
                   g_array_new (FALSE, FALSE, sizeof (TpBoxLink)),
                   g_ptr_array_new_with_free_func ((GDestroyNotify) g_strfreev) };
  TpBoxes boxes;
  gsize i;
  json_t *device;
  char *dot;

  add_box (&self, tp_machine_text_machine (document), -1);
  json_array_foreach (json_object_get (document, "devices"), i, device)
    {
      add_box (&self, tp_machine_text_device (device), (int) i);
      add_link (&self, device, "to_device", (int) i + 1);
      add_link (&self, device, "to_host", (int) i + 1);
    }
  boxes = (TpBoxes){ (const TpBox *) self.boxes->data, (int) self.boxes->len,
                     (const TpBoxLink *) self.links->data,
                     (int) self.links->len };
  dot = tp_view_boxes_to_dot (&boxes, error);
  g_array_unref (self.boxes);
  g_array_unref (self.links);
  g_ptr_array_unref (self.texts);
  return dot;
}

static gboolean
write_picture (const TpCli *cli, const json_t *document, const char *path,
               GError **error)
{
  const TpPictureOptions options = TP_PICTURE_DEFAULTS;
  g_autofree char *dot = draw_machine (document, error);
  g_autoptr (GBytes) bytes = NULL;
  const char *suffix = strrchr (path, '.');
  const void *data;
  gsize size;

  if (dot == NULL)
    return FALSE;
  if (strcmp (suffix, ".dot") == 0)
    return tp_cli_write_output (cli, path, dot, strlen (dot), error);
  bytes = tp_view_render (dot, suffix + 1, options.limit_ns, error);
  if (bytes == NULL)
    return FALSE;
  data = g_bytes_get_data (bytes, &size);
  return tp_cli_write_output (cli, path, data, size, error);
}

static gboolean
check_pictures (const TpCli *cli, GError **error)
{
  for (int i = 0; cli->outputs[i] != NULL; i++)
    {
      const char *path = cli->outputs[i];

      if (!g_str_has_suffix (path, ".dot") && !g_str_has_suffix (path, ".svg")
          && !g_str_has_suffix (path, ".png"))
        {
          g_set_error (error, TPLAN_ERROR, TPLAN_ERROR_USAGE,
                       "machine show: '%s': the suffix must be .dot, .svg or "
                       ".png; `tplan machine --help` says how to make a file to plan with",
                       path);
          return FALSE;
        }
      if (!tp_cli_check_output (cli, path, error))
        return FALSE;
    }
  return TRUE;
}

/* ---- the verbs ---------------------------------------------------------- */

static gboolean
machine_show (TpCli *cli, GError **error)
{
  json_t *document;
  gboolean is_good = TRUE;

  if (!check_pictures (cli, error))
    return FALSE;
  document = cli->n_args > 1
                 ? tp_machine_data_elsewhere (cli, cli->args[1], error)
                 : tp_machine_data_here (cli, error);
  if (document == NULL)
    return FALSE;
  for (int i = 0; is_good && cli->outputs[i] != NULL; i++)
    is_good = write_picture (cli, document, cli->outputs[i], error);
  if (is_good && cli->format != TP_FORMAT_TABLE)
    tp_cli_print_data (cli, json_incref (document), "devices");
  else if (is_good && cli->outputs[0] == NULL)
    print_machine (document);
  json_decref (document);
  return is_good;
}

static gboolean
machine_export (TpCli *cli, GError **error)
{
  g_autoptr (TpCostDb) db = tp_cost_db_open (cli->cost_path, TRUE, error);
  g_autoptr (GPtrArray) stale = g_ptr_array_new_with_free_func (g_free);
  g_autofree char *text = NULL;
  const char *path = cli->outputs[0] != NULL ? cli->outputs[0] : "-";

  if (db == NULL || !tp_cli_check_output (cli, path, error)
      || !tp_csv_is_json_meant (cli, "machine export", "machine show", error))
    return FALSE;
  text = tp_machine_file_write (db, cli->device_options.n_threads, stale,
                                error);
  for (guint i = 0; i < stale->len; i++)
    tp_cli_note (cli, "note: %s", (const char *) stale->pdata[i]);
  return text != NULL
         && tp_cli_write_output (cli, path, text, strlen (text), error);
}

static const struct
{
  const char *name;
  int n_args_max;             /* after the verb */
  gboolean (*run) (TpCli *cli, GError **error);
} verbs[] = {
  { "show", 1, machine_show },
  { "export", 0, machine_export },
};

static gboolean
refuse_verb (const char *typed, GError **error)
{
  static const char *const names[] = { "show", "export", NULL };
  g_autofree char *near = tp_near_name_ask (typed, names);

  g_set_error (error, TPLAN_ERROR, TPLAN_ERROR_USAGE,
               "machine: no verb '%s'%s: there are show and export", typed,
               near);
  return FALSE;
}

static gboolean
machine_run (TpCli *cli, GError **error)
{
  const char *verb = cli->n_args > 0 ? cli->args[0] : "show";

  for (gsize i = 0; i < G_N_ELEMENTS (verbs); i++)
    {
      if (strcmp (verb, verbs[i].name) != 0)
        continue;
      if (cli->n_args - 1 > verbs[i].n_args_max)
        {
          g_set_error (error, TPLAN_ERROR, TPLAN_ERROR_USAGE,
                       "machine %s: '%s' is one argument too many", verb,
                       cli->args[verbs[i].n_args_max + 1]);
          return FALSE;
        }
      return verbs[i].run (cli, error);
    }
  return refuse_verb (verb, error);
}

const TpCommand tp_command_machine = {
  .name = "machine",
  .arguments = "[VERB] [ARGUMENT]",
  .verbs = "show export",
  .summary = "Shows a machine as it was measured, and takes it along",
  .details = "  show [FILE|sim:PROFILE]  devices, speeds, links, how good the "
             "figures are\n"
             "  export [-o FILE]         what was measured of this machine, as "
             "JSON;\n"
             "                           `tplan optimize --machine FILE` plans "
             "for it\n"
             "show -o FILE draws it: .svg, .png or .dot.",
  .n_args_min = 0,
  .n_args_max = 2,
  .uses = TP_USES_COSTS | TP_USES_FORMAT | TP_USES_OUTPUT | TP_USES_THREADS,
  .run = machine_run,
};
