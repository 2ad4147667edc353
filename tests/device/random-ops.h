/* random-ops.h: ops of random shapes and attributes, in the words of
 * op-support.h. */
#ifndef TESTS_DEVICE_RANDOM_OPS_H
#define TESTS_DEVICE_RANDOM_OPS_H

#include <glib.h>

/* Number @i of those there are, made with g_test_rand; caller frees. */
char *random_op (int i);
int random_op_count (void);

#endif
