/* onnx-if-support.h: models with an If, for tests. */
#ifndef TP_TESTS_ONNX_IF_SUPPORT_H
#define TP_TESTS_ONNX_IF_SUPPORT_H

#include "tests/ir/onnx-bytes.h"

#define NODES(...) (Msg *[]){ __VA_ARGS__, NULL }

/* A branch: @nodes (nullable), which end with NULL, and the names of what it gives,
 * the second (nullable). */
Msg *branch_new (Msg **nodes, const char *output, const char *second);
void add_branch (Msg *node, const char *name, Msg *branch);
Msg *if_new (const char *condition, Msg *yes, Msg *no, const char *output);
/* Neg (Relu (x)), and x x + w; the names in both are the same. */
Msg *yes_new (void);
Msg *no_new (void);

Msg *ints_new (const char *name, int n, const gint64 *values);
Msg *float_new (const char *name, float value);
void add_bool_input (Msg *graph, const char *name, int rank,
                     const gint64 *dims);

/* How a condition is known: it is an input, or a constant. */
typedef enum { ASKED, FALSE_THEN, TRUE_THEN } Known;
void add_condition (Msg *graph, const char *name, Known known);

#endif
