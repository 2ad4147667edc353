/* test-onnx-if-bad.c: an If that cannot be read says what is amiss, and where. */
#include "config.h"

#include "tests/ir/onnx-if-support.h"
#include "tests/ir/onnx-support.h"

static void
test_unknown_shapes (void)
{
  static const gint64 two[] = { 1, 1 };
  Msg *graph = graph_new ();
  Msg *flat = branch_new (NODES (node_new ("Flatten", "x", NULL, "o"),
                                 node_new ("MatMul", "x", "o", "p")), "p", NULL);
  Msg *sum = node_new ("ReduceSum", "x", NULL, "s");

  add_condition (graph, "c", ASKED);
  msg_take (graph, 1, if_new ("c", branch_new (NODES (sum), "s", NULL),
                              branch_new (NULL, "x", NULL), "y"));
  assert_fails (graph, TPLAN_ERROR_UNSUPPORTED,
                "m.onnx: graph.node?0?: op 'If_?': condition 'c' is not known before "
                "a run, and the branches give float32 ?1, 1? and float32 "
                "?2, 3?: make them alike*--dim*");
  graph = graph_new ();
  add_condition (graph, "c", ASKED);
  msg_take (graph, 1, if_new ("c", flat, branch_new (NULL, "x", NULL), "y"));
  assert_fails (graph, TPLAN_ERROR_INPUT,
                "m.onnx: graph.node?0?.attribute?1?.g.node?1?: op 'MatMul_1': *; it "
                "is in a branch of an If whose condition 'c' is not known*");
  graph = graph_new ();
  add_bool_input (graph, "c", 2, two);
  msg_take (graph, 5, float_new ("v", 1));
  msg_take (graph, 1, if_new ("c", branch_new (NULL, "v", NULL),
                              branch_new (NULL, "v", NULL), "y"));
  assert_fails (graph, TPLAN_ERROR_UNSUPPORTED, "*op 'If_?': condition 'c' has 2 "
                "dimensions, the branches give 0: make it a scalar");
}

static void
test_bad_condition (void)
{
  static const gint64 values[] = { 1, 2 }, dims[] = { 2 };
  Msg *graph = graph_new ();

  msg_take (graph, 5, ints_new ("c", 1, values));
  msg_take (graph, 1, if_new ("c", yes_new (), no_new (), "y"));
  assert_fails (graph, TPLAN_ERROR_INPUT, "m.onnx: graph.node?0?: op 'If_?': input "
                "'c' is int64, must be bool*");
  graph = graph_new ();
  add_bool_input (graph, "c", 1, dims);
  msg_take (graph, 1, if_new ("c", yes_new (), no_new (), "y"));
  assert_fails (graph, TPLAN_ERROR_INPUT,
                "*op 'If_?': condition 'c' has 2 elements, must have one");
  graph = graph_new ();
  msg_take (graph, 1, if_new ("c", yes_new (), no_new (), "y"));
  assert_fails (graph, TPLAN_ERROR_INPUT, "*gives the tensor 'c'*");
}

/* A condition that hangs on what is chosen by it. */
static void
test_cycle (void)
{
  Msg *graph = graph_new ();

  msg_take (graph, 1, if_new ("c", yes_new (), no_new (), "y"));
  msg_take (graph, 1, node_new ("Greater", "y", "x", "c"));
  assert_fails (graph, TPLAN_ERROR_INPUT, "*the ops form a cycle*");
}

static void
assert_branches_fail (Msg *yes, Msg *no, const char *pattern)
{
  Msg *graph = graph_new (), *node = node_new ("If", "c", NULL, "y");

  add_condition (graph, "c", ASKED);
  if (yes != NULL)
    add_branch (node, "then_branch", yes);
  if (no != NULL)
    add_branch (node, "else_branch", no);
  msg_take (graph, 1, node);
  assert_fails (graph, TPLAN_ERROR_INPUT, pattern);
}

static void
test_bad_branches (void)
{
  static const gint64 dims[] = { 2, 3 };
  Msg *takes = yes_new (), *twice = yes_new (), *unnamed = yes_new ();

  msg_take (takes, 11, value_new ("i", 2, dims));
  msg_take (twice, 5, float_new ("t", 1));
  msg_take (unnamed, 12, msg_new ());
  assert_branches_fail (NULL, no_new (), "*graph.node?0?): If has no then_branch*");
  assert_branches_fail (yes_new (), NULL, "*If has no else_branch*");
  assert_branches_fail (takes, no_new (), "*(graph.node?0?.attribute?0?.g): *takes "
                        "no inputs*");
  assert_branches_fail (twice, no_new (), "*.g.node?0?: tensor 'If#0:t' is already "
                        "defined at graph.node?0?.attribute?0?.g.initializer?0?*");
  assert_branches_fail (unnamed, no_new (), "*g.output?1?): *has no name*");
  assert_branches_fail (branch_new (NULL, "x", "x"), no_new (),
                        "*If has 1 outputs, then_branch gives 2 and else_branch "
                        "1: *");
  assert_branches_fail (branch_new (NULL, "nowhere", NULL), no_new (),
                        "*graph.node?0?.inputs?1?: *'nowhere'*");
}

static void
test_outputs (void)
{
  Msg *graph = graph_new (), *node = if_new ("c", yes_new (), no_new (), "y");

  add_condition (graph, "c", ASKED);
  msg_string (node, 2, "z");
  msg_take (graph, 1, node);
  assert_fails (graph, TPLAN_ERROR_INPUT, "*If has 2 outputs, then_branch gives 1 "
                "and else_branch 1: *");
}

/* Names of a branch are known there alone. */
static void
test_hidden (void)
{
  Msg *graph = graph_new ();

  add_condition (graph, "c", ASKED);
  msg_take (graph, 1, if_new ("c", yes_new (), no_new (), "z"));
  msg_take (graph, 1, node_new ("Add", "z", "t", "y"));
  assert_fails (graph, TPLAN_ERROR_INPUT, "*node?1?.inputs?1?: *'t'*");
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/onnx-if-bad/unknown-shapes", test_unknown_shapes);
  g_test_add_func ("/onnx-if-bad/condition", test_bad_condition);
  g_test_add_func ("/onnx-if-bad/cycle", test_cycle);
  g_test_add_func ("/onnx-if-bad/branches", test_bad_branches);
  g_test_add_func ("/onnx-if-bad/outputs", test_outputs);
  g_test_add_func ("/onnx-if-bad/hidden", test_hidden);
  return g_test_run ();
}
