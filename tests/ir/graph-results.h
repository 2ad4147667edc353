/* graph-results.h: what graphs compute, to be compared. */
#ifndef TESTS_IR_GRAPH_RESULTS_H
#define TESTS_IR_GRAPH_RESULTS_H

#include "ir/graph.h"

/* What the references make of inputs that are the same in every run: an array per
 * output. NULL: they cannot. */
GPtrArray *graph_run (const TpGraph *graph);
/* Equal names, types and results, but for @tolerance of the larger of a value and
 * 1. @what: for the message. */
void graph_assert_same (const TpGraph *a, const TpGraph *b, double tolerance,
                        const char *what);

#endif
