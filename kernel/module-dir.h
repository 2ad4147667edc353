/* module-dir.h: where the compiler module is, also after its tree was moved. */
#ifndef TP_KERNEL_MODULE_DIR_H
#define TP_KERNEL_MODULE_DIR_H

#include <glib.h>

/* Where a module that was to be in @module_dir is, if a file that was to be in
 * @from_dir is in the folder @now: the tree has moved, as a whole. NULL where it
 * has not kept its shape. All three are absolute. Pure. Caller frees. */
char *tp_module_dir_move (const char *now, const char *from_dir,
                          const char *module_dir);

/* Folders to look in, the first first: beside the program or the library that
 * this code was mapped from, wherever that is, then where it was to be
 * installed. Never relative to the working directory; a set-user-ID process,
 * which anybody may have linked elsewhere, has the last alone. Caller frees. */
char **tp_module_dir_list (void);

#endif
