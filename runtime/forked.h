/* What a child of fork() finds of the threads and locks of its parent: no thread but
 * the one that forked, and locks as they were at that moment, perhaps held by a thread
 * that is not there. What has any says whose they are, and sets them anew in a child
 * before it uses them. */
#ifndef TP_RUNTIME_FORKED_H
#define TP_RUNTIME_FORKED_H

#include <glib.h>

/* The process that threads and locks live in. */
typedef gint TpHome;          /* atomic */

TpHome tp_home_here (void);
/* TRUE in a child, to one of its threads: set anew what belongs to @home, then call
 * tp_home_moved(), for which all others wait here. */
gboolean tp_home_move (TpHome *home);
void tp_home_moved (TpHome *home);

#endif
