/* file.h: the one place that opens files named by a user or by a model. */
#ifndef TP_FORMAT_FILE_H
#define TP_FORMAT_FILE_H

#include <glib.h>

/* All of a file the user named. Regular files are mapped, others are read. */
GBytes *tp_file_map (const char *path, GError **error);

/**
 * tp_file_map_beside:
 * @model: path of the file that names the other
 * @name: as written in it: relative, below the folder of @model
 *
 * @follow_links: trust the links in that folder
 *
 * Maps a file a model names. A model comes from anywhere, so the name is held
 * to its folder: absolute names, "..", links of both kinds and anything but
 * regular files are refused. With @follow_links links may lead anywhere, names
 * still may not.
 *
 * Returns: (transfer full): all of the file; %NULL with %TPLAN_ERROR_INPUT.
 */
GBytes *tp_file_map_beside (const char *model, const char *name,
                            gboolean follow_links, GError **error);

#endif
