/* random-join.h: parts made by ops of all kinds, and a Concat of them. */
#ifndef TP_TESTS_RANDOM_JOIN_H
#define TP_TESTS_RANDOM_JOIN_H

#include <glib.h>

/* A graph in the words of op-support.h: 2 to 5 parts along any axis of rank 4, of
 * which some are inputs, and what comes after them; all of its ops can be one group. Of
 * integers or of reals. (transfer full) */
char *random_join (void);

#endif
