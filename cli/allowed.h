/* allowed.h: what the system lets this process have, where that is too little. */
#ifndef TP_CLI_ALLOWED_H
#define TP_CLI_ALLOWED_H

#include <glib.h>

/* Before all else: FALSE, and it is said, where the stack is too small for what any
 * command calls. From then on the end of the processor's time is said, too. */
gboolean tp_cli_allowed_begin (void);

/* FALSE: files may not be open as many as drivers and compilers need. */
gboolean tp_cli_allowed_check_open (GError **error);

#endif
