/* fuzz.h: what the targets share. A target is LLVMFuzzerTestOneInput (), which
 * reads one input as the tool would read a file, and then uses what it got. */
#ifndef FUZZ_H
#define FUZZ_H

#include "ir/graph.h"
#include "ir/plan.h"

int LLVMFuzzerTestOneInput (const guint8 *data, gsize size);

/* The file that $@variable names, which `make fuzz` made: a good one. */
GBytes *fuzz_get_file (const char *variable);

/* Smaller than the defaults, so that an input takes milliseconds. */
const TpLimits *fuzz_get_limits (void);

/* Prepares @graph, lowers every op, plans it for two machines and checks the
 * plan: none of that may fail but by an error. */
void fuzz_use_graph (const TpGraph *graph);

/* @bytes as a model in memory, which has files that hold just these bytes; and the part
 * of it that its error says can be planned. */
void fuzz_try_model (GBytes *bytes);

#endif
