/* fuzz-plan.c: plans for one graph, by the calls that a program makes. The input
 * is a plan without its last two lines. */
#include "config.h"

#include "fuzz/fuzz.h"
#include "fuzz/use-plan.h"

int
LLVMFuzzerTestOneInput (const guint8 *data, gsize size)
{
  static GBytes *graph;

  if (graph == NULL)
    graph = fuzz_get_file ("FUZZ_GRAPH");
  fuzz_use_plan ((const char *) data, size, graph);
  return 0;
}
