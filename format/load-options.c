/* load-options.c: where the files are that a model names. */
#include "config.h"

#include "format/load-options.h"

#include "include/tplan.h"

/* Names come from anywhere: those that lead out of a folder are not passed on. */
static GBytes *
ask (const TpLoadOptions *options, const char *name, GError **error)
{
  g_autoptr (GError) cause = NULL;
  GBytes *bytes;

  if (!tp_file_is_below (name))
    {
      g_set_error (error, TPLAN_ERROR, TPLAN_ERROR_INPUT,
                   "file '%s': the name leads out of the model's folder", name);
      return NULL;
    }
  bytes = options->load_file (name, options->load_file_data, &cause);
  if (bytes == NULL)
    g_set_error (error, TPLAN_ERROR, TPLAN_ERROR_INPUT,
                 "file '%s' was not given: %s", name,
                 cause != NULL ? cause->message : "no reason was told");
  return bytes;
}

GBytes *
tp_load_options_find_file (const TpLoadOptions *options, const char *model,
                           const char *name, GError **error)
{
  if (options->load_file != NULL)
    return ask (options, name, error);
  if (!options->is_in_memory)
    return tp_file_load_beside (model, name, options->files, error);
  g_set_error (error, TPLAN_ERROR, TPLAN_ERROR_INPUT,
               "file '%s' is wanted by a model in memory, which has no folder: "
               "give a load_file that has it", name);
  return NULL;
}
