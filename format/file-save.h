/* file-save.h: files that are whole or absent: written beside their name, then
 * renamed. */
#ifndef TP_FORMAT_FILE_SAVE_H
#define TP_FORMAT_FILE_SAVE_H

#include <glib.h>

/* A file in the making, which replaces @path when it is finished, and not before;
 * freed before, it is gone, as it is when the process is killed (but on file
 * systems without nameless files, where ".tplan-XXXXXX" stays). A pipe or a device
 * is written to at once. TPLAN_ERROR_FAILED: the system refused. */
typedef struct TpSaver TpSaver;
TpSaver *tp_saver_new (const char *path, GError **error);
gboolean tp_saver_write (TpSaver *saver, const void *data, gsize size,
                         GError **error);
/* Waits until what was written is on the disk, so that a power cut leaves the old
 * file or the new one. */
gboolean tp_saver_sync (TpSaver *saver, GError **error);
gboolean tp_saver_finish (TpSaver *saver, GError **error);
/* The same, but TPLAN_ERROR_USAGE if there is such a file: nothing is replaced. */
gboolean tp_saver_finish_new (TpSaver *saver, GError **error);
void tp_saver_free (TpSaver *saver);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (TpSaver, tp_saver_free)

/* Header, then data, at once. */
gboolean tp_file_save (const char *path, GBytes *header, const void *data,
                       gsize size, GError **error);

#endif
