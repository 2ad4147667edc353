/* file.h: the one place that opens files named by a user or by a model. */
#ifndef TP_FORMAT_FILE_H
#define TP_FORMAT_FILE_H

#include <glib.h>

typedef enum
{
  TP_FILE_PLAIN = 0,
  TP_FILE_FOLLOW_LINKS = 1 << 0, /* trust the links in a model's folder */
  TP_FILE_COPY = 1 << 1,      /* read where it could be mapped */
} TpFileFlags;

/* Whether @name, as a model writes it, stays below the folder of the model. */
gboolean tp_file_is_below (const char *name);

/* All of a file the user named. Regular files are mapped, others are read.
 * TPLAN_ERROR_MEMORY: there is none for what is read. */
GBytes *tp_file_load (const char *path, TpFileFlags flags, GError **error);

/**
 * tp_file_load_beside:
 * @model: path of the file that names the other
 * @name: as written in it: relative, below the folder of @model
 *
 * Loads a file a model names. A model comes from anywhere, so the name is held
 * to its folder: absolute names, "..", links of both kinds and anything but
 * regular files are refused. With TP_FILE_FOLLOW_LINKS links may lead anywhere,
 * names still may not.
 *
 * Returns: (transfer full): all of the file; %NULL with %TPLAN_ERROR_INPUT.
 */
GBytes *tp_file_load_beside (const char *model, const char *name,
                             TpFileFlags flags, GError **error);

#endif
