/* onnx-loop-support.h: models with a Loop, for tests. */
#ifndef TP_TESTS_ONNX_LOOP_SUPPORT_H
#define TP_TESTS_ONNX_LOOP_SUPPORT_H

#include "ir/graph.h"
#include "tests/ir/count-ops.h"
#include "tests/ir/onnx-bytes.h"

#define NAMES(...) (const char *const[]){ __VA_ARGS__, NULL }

/* The body of an op: what it takes, what it does, what it gives; lists end with
 * NULL. */
Msg *body_new (const char *const *inputs, Msg **nodes,
               const char *const *outputs);
/* An op of any inputs and outputs; @body (nullable) is taken. */
Msg *node_of (const char *type, const char *name, const char *const *inputs,
              const char *const *outputs, Msg *body);
/* An attribute of integers, of one if @n is 0. */
void add_ints (Msg *node, const char *name, int n, gint64 first,
               gint64 second);
void add_int_constant (Msg *graph, const char *name, gint64 value);
void add_output (Msg *graph, const char *name);

/* Fails unless @graph gives what @straight does, as it is read and as it is planned; it
 * has no traces of bodies. All inputs are x of 2 x 3. */
void assert_is (const TpGraph *graph, const TpGraph *straight);

#endif
