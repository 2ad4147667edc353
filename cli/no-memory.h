/* no-memory.h: what the program says when a library ends it for want of memory. */
#ifndef TP_CLI_NO_MEMORY_H
#define TP_CLI_NO_MEMORY_H

#include <glib.h>

/* From then on an allocation that fails within GLib, LLVM or a driver ends the
 * program with a message and TP_EXIT_LIMIT, not with a signal. */
void tp_cli_no_memory_catch (void);

/* Whether JSON was made of less than it was to hold: jansson leaves out what there
 * is no memory for, and few of its callers ask. */
gboolean tp_cli_no_memory_has_cut_json (void);

#endif
