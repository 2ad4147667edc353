/* op-support.h: graphs for tests from a few words, and how to compare lowered
 * nodes with references.
 *
 *   in x 1 3 8 8          an input of float32, positive where an op wants it
 *   int64 i 5 4           an input of that type: int64, int32, uint8, bool, ...
 *   const w 4 3 3 3       seeded random float32 (pos: positive)
 *   bytes q 4 3 16        seeded random uint8
 *   ints s 1 -1           int64 list
 *   scalar lo 0.5         float32 of rank 0
 *   Conv x w _ -> y pads=1,1,1,1 auto_pad=VALID
 *   LSTM x w r -> y h _ hidden_size=3
 *
 * "_" leaves an input or output out. Every tensor nobody reads is an output. */
#ifndef TP_TESTS_OP_SUPPORT_H
#define TP_TESTS_OP_SUPPORT_H

#include "nest/nest.h"
#include "ir/op.h"

typedef enum
{
  TEST_LAYOUT_ROW_MAJOR,
  TEST_LAYOUT_CHANNELS_LAST, /* rank 4 */
  TEST_LAYOUT_SHUFFLED,      /* any order of the dimensions, by g_test_rand */
  TEST_N_LAYOUTS
} TestLayout;

TpGraph *test_graph_new (int opset, const char *text, GError **error);
/* Whether @text has ops that take float32 and no other reals. */
gboolean test_text_is_of_float32 (const char *text);
/* With reals of that type in place of float32. */
TpGraph *test_graph_new_of (TpDtype real, int opset, const char *text,
                            GError **error);
/* The same of float32, held to @limits, as if of a file of 64 KiB. */
TpGraph *test_graph_new_within (const TpLimits *limits, int opset,
                                const char *text, GError **error);
/* Strides for all tensors but constants and those a view touches. */
void test_graph_set_layout (TpGraph *graph, TestLayout layout);
/* The values of all tensors by references over random inputs. */
GPtrArray *test_graph_run (const TpGraph *graph, gboolean is_positive);
/* Runs @lowered over @values and compares the output; fails the test. */
void test_lowered_compare (const TpGraph *graph, const TpLowered *lowered,
                           GPtrArray *values, const char *what);
/* Nests that make what is no scratch of the program. */
int test_lowered_count_results (const TpLowered *lowered);

#endif
