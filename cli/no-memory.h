/* no-memory.h: what the program says when a library ends it for want of memory. */
#ifndef TP_CLI_NO_MEMORY_H
#define TP_CLI_NO_MEMORY_H

/* From then on an allocation that fails within GLib, LLVM or a driver ends the
 * program with a message and TP_EXIT_LIMIT, not with a signal. */
void tp_cli_no_memory_catch (void);

#endif
