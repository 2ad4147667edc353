/* private-folder.h: folders that nobody else can put anything into. */
#ifndef TP_RUNTIME_PRIVATE_FOLDER_H
#define TP_RUNTIME_PRIVATE_FOLDER_H

#include <glib.h>

/* The folder @parent/@child (or, NULL, @parent) below @base, made where it is missing: ours, for us
 * alone (mode 700), no symbolic link; and all above it belongs to us or root and
 * cannot be changed by others. @base itself may be reached by links. What drivers
 * load from there is then what was put there in our name. The caller frees the
 * path, which has no links in it. TPLAN_ERROR_FAILED: which folder, and why not. */
char *tp_private_folder_make (const char *base, const char *parent,
                              const char *child, GError **error);

/* That folder, opened: what is found from the descriptor is in it, however names
 * change meanwhile. -1: as above. */
int tp_private_folder_open (const char *base, const char *parent,
                            const char *child, GError **error);

/* Removes the files of @path whose names begin with @prefix and that nobody has
 * written to for an hour: what a driver left behind, or had begun when it was ended. What
 * cannot be removed stays. */
void tp_private_folder_drop (const char *path, const char *prefix);

/* One that is gone, with what is in it, when the process exits. */
char *tp_private_folder_make_temporary (GError **error);

#endif
