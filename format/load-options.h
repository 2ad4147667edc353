/* load-options.h: how to read a graph. */
#ifndef TP_FORMAT_LOAD_OPTIONS_H
#define TP_FORMAT_LOAD_OPTIONS_H

#include "format/file.h"
#include "graph/graph-bind.h"

/* What messages call a model that is no file. */
#define TP_MODEL_IN_MEMORY "model"

/* All of the file that a model calls @name; NULL with @error. */
typedef GBytes *(*TpLoadFile) (const char *name, gpointer user_data,
                               GError **error);

/* How to read a file; { 0 } is good. */
typedef struct
{
  TpDims *dims;               /* (nullable): values for symbolic dimensions; the
                               * file's own "dims" are defaults */
  const TpLimits *limits;     /* (nullable): the defaults */
  TpInputValues *values;      /* (nullable): they name dimensions too */
  const char *const *outputs; /* (nullable): as tp_graph_builder_choose_outputs () */
  const char *const *ties;    /* (nullable): "OUTPUT=INPUT", as
                               * tp_graph_builder_tie () */
  const char *const *numbers; /* (nullable): "NAME=1,2,3", as
                               * tp_graph_builder_expect () */
  TpFileFlags files;          /* how they are loaded */
  TpLoadFile load_file;       /* (nullable): has the files that the model names;
                               * else they lie beside it */
  gpointer load_file_data;
  gboolean is_in_memory;      /* it is no file: nothing lies beside it */
  TpDims *assumed;            /* (nullable): dimensions without a value are 1, and
                               * their names go in here */
  gboolean keep_unknown_attrs;/* of ops of unknown type, to be written again; else what
                               * they hold does not matter */
  const char **out_part;      /* (nullable): set to what of these was looked at last, as
                               * plans call it: "outputs", "states", "values", "dims" */
} TpLoadOptions;

static inline gboolean
tp_load_options_is_cut (const TpLoadOptions *options)
{
  return options->outputs != NULL && options->outputs[0] != NULL;
}

/* The file that @model calls @name, from where @options say; TPLAN_ERROR_INPUT or
 * what load_file says. */
GBytes *tp_load_options_find_file (const TpLoadOptions *options,
                                   const char *model, const char *name,
                                   GError **error);

#endif
