/* test-groups.c: the checker's groups, which it finds by itself, against the planner's;
 * and groups that may not be. */
#include "config.h"

#include "fuse-case.h"
#include "ir/plan.h"
#include "planner/check/check-readings.h"
#include "planner/check/check-groups.h"
#include "planner/fuse.h"
#include "planner/offer.h"
#include "random-net.h"

#include <string.h>

/* ---- the same as the planner ---------------------------------------------- */

#define N_RANDOM 300

static gboolean
is_accepted (const TpGraph *graph, const TpGroups *groups,
             const char *const *no_fuse)
{
  g_autoptr (TpPlan) plan = tp_plan_new ();
  g_autoptr (GPtrArray) reasons = g_ptr_array_new_with_free_func (g_free);
  gboolean is_good;

  plan->all_groups = tp_groups_new ();
  plan->no_fuse = g_strdupv ((char **) no_fuse);
  for (int i = 0; i < groups->n_groups; i++)
    tp_groups_add (plan->all_groups, groups->groups[i].nodes,
                   groups->groups[i].n_nodes);
  is_good = tp_checker_check_groups (plan, graph, reasons);
  g_assert_cmpint (is_good, ==, reasons->len == 0);
  return is_good;
}

/* Between the rules and what the graph gives, those of the checker are the planner's:
 * what is given is there, and nothing else of its ops. */
static void
test_given (void)
{
  static const char *const cpu[] = { "cpu", NULL };
  int n_claimed = 0, n_made = 0;

  for (int round = 0; round < N_RANDOM / 3; round++)
    {
      g_autoptr (TpGraph) graph
          = random_net_new (round % 2 == 0, g_test_rand_int_range (4, 60));
      g_autoptr (TpGroups) groups = NULL;
      int n = 0;

      fuse_case_give (graph);
      fuse_case_compare_all (graph);
      groups = tp_fuse_find_all (graph, NULL, cpu);
      for (int i = 0; i < groups->n_groups; i++)
        {
          const TpGroup *it = &groups->groups[i];
          const TpGivenGroup *own
              = tp_graph_find_group (graph, it->nodes, it->n_nodes);

          if (own != NULL && tp_given_group_counts (own, cpu))
            {
              n++;
              n_claimed += it->is_claimed;
              n_made += !it->is_claimed;
              continue;
            }
          for (int k = 0; k < it->n_nodes; k++)
            {
              int given = graph->group_of == NULL
                              ? -1 : graph->group_of[it->nodes[k]];

              g_assert_true (given < 0
                             || !tp_given_group_counts (&graph->groups[given],
                                                        cpu));
            }
        }
      for (int i = 0; i < graph->n_groups; i++)
        n -= tp_given_group_counts (&graph->groups[i], cpu);
      g_assert_cmpint (n, ==, 0);
    }
  g_assert_cmpint (MIN (n_claimed, n_made), >, 20);
}

/* ---- what is said of those that are given --------------------------------- */

typedef struct
{
  TpGraph *graph;
  TpPlan *plan;
  int first;                  /* of all groups, that the graph gives */
} Given;

static gboolean
is_held (const TpGroup *inner, const TpGroup *outer)
{
  int n = 0;

  for (int i = 0; i < outer->n_nodes && n < inner->n_nodes; i++)
    n += outer->nodes[i] == inner->nodes[n];
  return n == inner->n_nodes;
}

/* Those of @family that no group after them holds. */
static TpGroups *
list_outer (const TpGroups *family)
{
  TpGroups *outer = tp_groups_new ();

  for (int i = 0; i < family->n_groups; i++)
    {
      gboolean is_outer = TRUE;

      for (int k = i + 1; k < family->n_groups; k++)
        is_outer &= !is_held (&family->groups[i], &family->groups[k]);
      if (is_outer)
        tp_groups_add_copy (outer, &family->groups[i]);
    }
  return outer;
}

static TpPlan *
make_given_plan (const TpGraph *graph)
{
  static const char *const devices[] = { "cpu", "gpu", NULL };
  g_autoptr (TpPlan) plan = tp_plan_new ();
  g_autoptr (TpGroups) family
      = tp_fuse_find_all (graph, (const char *const[]){ "concat", NULL }, devices);

  plan->n_devices = 2;
  plan->devices = g_strdupv ((char **) devices);
  plan->all_groups = list_outer (family);
  plan->no_fuse = g_strdupv ((char *[]){ (char *) "concat", NULL });
  plan->costs = tp_costs_new (2, devices, graph, plan->all_groups);
  for (int i = 0; i < 2 * graph->n_nodes; i++)
    if (g_test_rand_int_range (0, 20) > 0)
      plan->costs->nodes[i].time_ns = g_test_rand_int_range (0, 50);
  for (int d = 0; d < 2; d++)
    tp_costs_take_given (plan->costs, graph, plan->all_groups, d);
  return g_steal_pointer (&plan);
}

static gboolean
is_good_plan (const Given *it)
{
  g_autoptr (GPtrArray) reasons = g_ptr_array_new_with_free_func (g_free);

  return tp_checker_check_groups (it->plan, it->graph, reasons);
}

/* FALSE: it has no figure. */
static gboolean
spoil_time (Given *it)
{
  TpCost *cost = tp_costs_group (it->plan->costs, it->first,
                                 g_test_rand_int_range (0, 2));

  if (cost->time_ns == TP_COST_NONE)
    return FALSE;
  cost->time_ns += g_test_rand_bit () && cost->time_ns > 0 ? -1 : 1;
  return tp_costs_find_given (it->graph,
                              &it->plan->all_groups->groups[it->first],
                              cost == tp_costs_group (it->plan->costs,
                                                      it->first, 0)
                                  ? "cpu" : "gpu")
         != NULL;
}

static gboolean
spoil_spread (Given *it)
{
  TpCost *cost = tp_costs_group (it->plan->costs, it->first, 0);

  cost->spread_ns++;
  return cost->time_ns != TP_COST_NONE
         && tp_costs_find_given (it->graph,
                                 &it->plan->all_groups->groups[it->first],
                                 "cpu")
                != NULL;
}

static gboolean
spoil_none (Given *it)
{
  TpCost *cost = tp_costs_group (it->plan->costs, it->first, 0);
  gboolean was_there = cost->time_ns != TP_COST_NONE;

  cost->time_ns = TP_COST_NONE;
  return was_there;
}

/* Where one of its ops cannot be. */
static gboolean
spoil_there (Given *it)
{
  const TpGroup *group = &it->plan->all_groups->groups[it->first];

  tp_costs_node (it->plan->costs, group->nodes[0], 0)->time_ns = TP_COST_NONE;
  return tp_costs_group (it->plan->costs, it->first, 0)->time_ns
         != TP_COST_NONE;
}

static gboolean
spoil_dropped (Given *it)
{
  g_autoptr (TpGroups) old = g_steal_pointer (&it->plan->all_groups);

  it->plan->all_groups = tp_groups_new ();
  for (int i = 0; i < old->n_groups; i++)
    if (i != it->first)
      tp_groups_add (it->plan->all_groups, old->groups[i].nodes,
                     old->groups[i].n_nodes);
  return TRUE;
}

static gboolean
spoil_shorter (Given *it)
{
  TpGroup *group = &it->plan->all_groups->groups[it->first];

  group->n_nodes--;
  return TRUE;
}

/* Those that the rules would make. */
static gboolean
spoil_parts (Given *it)
{
  g_autoptr (TpGroups) old = g_steal_pointer (&it->plan->all_groups);

  it->plan->all_groups
      = tp_fuse_find (it->graph, (const char *const[]){ "concat", NULL });
  return old->groups[it->first].is_claimed;
}

static void
test_given_lies (void)
{
  static gboolean (*const lies[]) (Given *it)
      = { spoil_time, spoil_spread, spoil_none, spoil_there,
          spoil_dropped, spoil_shorter, spoil_parts };
  int counts[G_N_ELEMENTS (lies)] = { 0 };

  for (int round = 0; round < 2 * N_RANDOM; round++)
    {
      g_autoptr (TpGraph) graph = random_net_new (TRUE, 20);
      g_autoptr (TpPlan) plan = NULL;
      Given it = { graph, NULL, 0 };
      int lie = round % (int) G_N_ELEMENTS (lies);

      fuse_case_give (graph);
      it.plan = plan = make_given_plan (graph);
      g_assert_true (is_good_plan (&it));
      if (graph->n_groups == 0)
        continue;
      it.first = plan->all_groups->n_groups
                 - g_test_rand_int_range (1, graph->n_groups + 1);
      if (!lies[lie] (&it))
        continue;
      counts[lie]++;
      g_assert_false (is_good_plan (&it));
    }
  for (gsize i = 0; i < G_N_ELEMENTS (lies); i++)
    g_assert_cmpint (counts[i], >, 5);
}

/* Groups have as many ops as they may. */
static void
test_long (void)
{
  for (int round = 0; round < N_RANDOM / 10; round++)
    {
      g_autoptr (TpGraph) graph = random_net_new (TRUE, 150);

      fuse_case_compare_all (graph);
    }
}

static void
test_random (void)
{
  int n_groups = 0, n_long = 0;

  for (int round = 0; round < N_RANDOM; round++)
    {
      g_autoptr (TpGraph) graph
          = random_net_new (FALSE, g_test_rand_int_range (2, round % 10 == 0 ? 300 : 40));
      g_autoptr (TpGroups) groups = tp_fuse_find (graph, NULL);

      fuse_case_compare_all (graph);
      g_assert_true (is_accepted (graph, groups, NULL));
      n_groups += groups->n_groups;
      for (int i = 0; i < groups->n_groups; i++)
        n_long += groups->groups[i].n_nodes > 5;
    }
  g_assert_cmpint (n_groups, >, 3 * N_RANDOM);
  g_assert_cmpint (n_long, >, N_RANDOM / 10);
}

/* ---- what may not be ------------------------------------------------------- */

/* Two convolutions and what follows; a chain; what is added up. */
#define NET                                                                   \
  CONV ("a", "x") "," CONV ("b", "x") "," ADD ("s", "a", "b") ","             \
  RELU ("r", "s") "," NORM ("p", "r") "," CONV ("q", "r") ","                 \
  ADD ("t", "p", "q")
#define NET_GROUPS "b+s+r q+t"
#define JOINED                                                                \
  CONV ("a", "x") "," CONV ("b", "x") "," RELU ("r", "a") ","                 \
  RELU ("t", "b") "," JOIN ("u", Q ("r") "," Q ("t"))

/* @groups are wrong, by the rules but @disabled. */
static const FuseCase wrong[] = {
  { "none", Q ("t"), NET, "", NULL },
  { "first-dropped", Q ("t"), NET, "q+t", NULL },
  { "last-dropped", Q ("t"), NET, "b+s+r", NULL },
  { "reversed", Q ("t"), NET, "r+s+b q+t", NULL },
  { "groups-turned", Q ("t"), NET, "q+t b+s+r", NULL },
  { "one-op", Q ("t"), NET, "b+s+r q", NULL },
  { "op-twice", Q ("t"), NET, "b+s+r q+q+t", NULL },
  { "group-twice", Q ("t"), NET, "b+s+r b+s+r q+t", NULL },
  { "overlap", Q ("t"), NET, "b+s+r r+q+t", NULL },
  { "end-cut-off", Q ("t"), NET, "b+s q+t", NULL },
  { "start-cut-off", Q ("t"), NET, "s+r q+t", NULL },
  { "gap", Q ("t"), NET, "b+r q+t", NULL },
  { "unconnected", Q ("t"), NET, "a+p b+s+r q+t", NULL },
  { "both-readings", Q ("t"), NET, "b+s+r a+s+r q+t", NULL },
  { "second-cut-off", Q ("t"), NET, "q+t a+s", NULL },
  { "second-before-first", Q ("t"), NET, "a+s+r q+t", NULL },
  { "second-without-rule", Q ("t"), NET, "q+t a+s+r", "epilogue" },
  { "both-convolutions", Q ("t"), NET, "a+b+s+r q+t", NULL },
  { "value-leaves", Q ("t"), NET, "b+s+r+p q+t", NULL },
  { "not-convex", Q ("t"), NET, "b+s+r+p+t", NULL },
  { "everything", Q ("t"), NET, "a+b+s+r+p+q+t", NULL },
  { "other-reader", Q ("t"), NET, "b+s+r p+r", NULL },
  { "two-of-one-bundle", Q ("t"), NET, "b+s+r q+t p+t", NULL },
  { "rule-left-out", Q ("t"), NET, NET_GROUPS, "epilogue" },
  { "no-such-rule", Q ("t"), NET, NET_GROUPS, "frobnicate" },
  { "value-is-output", Q ("a") "," Q ("r"), CONV ("a", "x") "," RELU ("r", "a"),
    "a+r", NULL },
  { "another-shape", Q ("t"), RELU ("r", "v") "," ADD ("t", "r", "m"), "r+t",
    NULL },
  { "narrow", Q ("t"), ADD ("s", "s32", "s32") "," ADD ("t", "s", "s32"), "s+t",
    NULL },
  { "rounding", Q ("r"),
    OP ("b", "Cast", Q ("m"), ",\"attrs\":{\"to\":10}") ","
    OP ("r", "Cast", Q ("b"), ",\"attrs\":{\"to\":1}"), "b+r", NULL },
  { "pins-apart", Q ("t"), OP ("r", "Relu", Q ("x"), ",\"device\":\"cpu\"") ","
    OP ("t", "Tanh", Q ("r"), ",\"device\":\"opencl:0\""), "r+t", NULL },
  { "as-weights", Q ("a"), RELU ("r", "m") "," MATMUL ("a", "m", "r"), "r+a",
    NULL },
  { "two-contractions", Q ("b"), CONV ("a", "x") "," CONV ("b", "a"), "a+b",
    NULL },
  { "view-splits", Q ("r"),
    RELU ("a", "m") "," RESHAPE ("f", "a") "," RELU ("r", "f"), "a+f+r", NULL },
  { "view-first", Q ("r"), OP ("f", "Flatten", Q ("x"), "") "," RELU ("r", "f"),
    "f+r", NULL },
  { "reduction-in-columns", Q ("o"), MATMUL ("a", "m", "n") ","
    OP ("p", "ReduceMean", Q ("a"), ",\"attrs\":{\"axes\":[0]}") ","
    MATMUL ("o", "p", "n"), "a+p+o", NULL },
  { "attention-twice", Q ("t"), MATMUL ("a", "m", "n") "," SOFTMAX ("p", "a") ","
    MATMUL ("o", "p", "n") "," SOFTMAX ("q", "o") "," MATMUL ("t", "q", "n"),
    "a+p+o+q+t", NULL },
  { "attention-in-parts", Q ("o"), MATMUL ("a", "m", "n") "," SOFTMAX ("p", "a")
    "," MATMUL ("o", "p", "n"), "p+o", NULL },
  { "recurrences", Q ("u"), RNN ("a") "," RNN ("b") ","
    JOIN ("u", Q ("a") "," Q ("b")), "a+b+u", NULL },
  { "whole-and-chain", Q ("u"), JOINED, "a+r a+b+r+t+u", NULL },
  { "half-a-whole", Q ("u"), JOINED, "a+r+u", NULL },
  { "half-its-chains", Q ("u"), JOINED, "a+r", NULL },
  { "whole-left-out", Q ("u"), JOINED, "a+b+r+t+u", "concat" },
  { "part-twice", Q ("u"), CONV ("a", "x") "," JOIN ("u", Q ("a") "," Q ("a")),
    "a+u", NULL },
};

static int
find_op (const TpGraph *graph, const char *name)
{
  for (int i = 0; i < graph->n_nodes; i++)
    if (strcmp (graph->nodes[i].name, name) == 0)
      return i;
  g_assert_not_reached ();
}

static TpGroups *
read_groups (const TpGraph *graph, const char *text)
{
  TpGroups *groups = tp_groups_new ();
  g_auto (GStrv) lists = g_strsplit (text, " ", -1);

  for (int i = 0; lists[i] != NULL; i++)
    {
      g_auto (GStrv) names = g_strsplit (lists[i], "+", -1);
      int nodes[64], n = 0;

      for (; names[n] != NULL; n++)
        nodes[n] = find_op (graph, names[n]);
      tp_groups_add (groups, nodes, n);
    }
  return groups;
}

static void
test_wrong (gconstpointer data)
{
  const FuseCase *it = data;
  const char *const no_fuse[] = { it->disabled, NULL };
  g_autoptr (TpGraph) graph = fuse_case_load (it);
  g_autoptr (TpGroups) right = tp_checker_find_groups (graph, no_fuse, NULL);
  g_autoptr (TpGroups) groups = read_groups (graph, it->groups);

  fuse_case_compare_all (graph);
  if (g_strcmp0 (it->disabled, "frobnicate") != 0)
    {
      g_autoptr (TpGroups) offered = tp_fuse_find (graph, no_fuse);

      g_assert_true (is_accepted (graph, offered, no_fuse));
    }
  g_assert_false (is_accepted (graph, groups, no_fuse));
}

/* Each bundle by either reading: those of the second come last. */
static void
test_readings (void)
{
  static const char *const right[]
      = { "b+s+r q+t", "q+t a+s+r", "b+s+r p+t", "a+s+r p+t" };
  g_autoptr (TpGraph) graph
      = fuse_case_load (&(FuseCase){ .outputs = Q ("t"), .ops = NET });

  for (gsize i = 0; i < G_N_ELEMENTS (right); i++)
    {
      g_autoptr (TpGroups) groups = read_groups (graph, right[i]);
      g_autoptr (TpGroups) family = tp_fuse_find_all (graph, NULL, NULL);

      g_assert_true (is_accepted (graph, groups, NULL));
      g_assert_true (tp_offer_allows (family, groups));
    }
}

/* Nodes that there are not, and too many. */
static void
test_numbers (void)
{
  static const int strange[][2] = { { -1, 0 }, { 0, 1000 }, { G_MININT, G_MAXINT } };
  g_autoptr (TpGraph) graph
      = fuse_case_load (&(FuseCase){ .outputs = Q ("t"), .ops = NET });
  int many[40];

  for (int i = 0; i < 40; i++)
    many[i] = i;
  for (gsize i = 0; i <= G_N_ELEMENTS (strange); i++)
    {
      g_autoptr (TpGroups) groups = tp_groups_new ();

      if (i == G_N_ELEMENTS (strange))
        tp_groups_add (groups, many, 40);
      else
        tp_groups_add (groups, strange[i], 2);
      g_assert_false (is_accepted (graph, groups, NULL));
    }
}

/* ---- spoilt at random ------------------------------------------------------ */

/* Of @from, but one op more or less somewhere. */
static TpGroups *
spoil (const TpGroups *from, int n_nodes)
{
  TpGroups *groups = tp_groups_new ();
  int which = g_test_rand_int_range (0, from->n_groups);

  for (int i = 0; i < from->n_groups; i++)
    {
      int nodes[64], n = 0, extra = g_test_rand_int_range (0, n_nodes);
      int left_out = i == which && g_test_rand_bit ()
                         ? g_test_rand_int_range (0, from->groups[i].n_nodes)
                         : -1;
      gboolean is_in = FALSE;

      for (int k = 0; k < from->groups[i].n_nodes; k++)
        is_in |= from->groups[i].nodes[k] == extra;
      if (i == which && left_out < 0 && is_in)
        left_out = 0;
      for (int k = 0; k < from->groups[i].n_nodes; k++)
        {
          int node = from->groups[i].nodes[k];

          if (i == which && left_out < 0 && extra < node
              && (k == 0 || extra > from->groups[i].nodes[k - 1]))
            nodes[n++] = extra;
          if (k != left_out)
            nodes[n++] = node;
        }
      if (i == which && left_out < 0 && n == from->groups[i].n_nodes)
        nodes[n++] = extra;
      tp_groups_add (groups, nodes, n);
    }
  return groups;
}

/* A whole without what makes its one part may be its chain. */
static void
test_spoilt (void)
{
  int n_refused = 0;

  for (int round = 0; round < N_RANDOM; round++)
    {
      g_autoptr (TpGraph) graph = random_net_new (FALSE, g_test_rand_int_range (5, 40));
      g_autoptr (TpGroups) groups = tp_fuse_find (graph, NULL);
      g_autoptr (TpGroups) family = tp_fuse_find_all (graph, NULL, NULL);
      g_autoptr (TpGroups) spoilt
          = groups->n_groups == 0 ? NULL : spoil (groups, graph->n_nodes);

      if (spoilt == NULL)
        continue;
      g_assert_cmpint (is_accepted (graph, spoilt, NULL), ==,
                       tp_offer_allows (family, spoilt));
      n_refused += !is_accepted (graph, spoilt, NULL);
    }
  g_assert_cmpint (n_refused, >, N_RANDOM / 2);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/groups/given", test_given);
  g_test_add_func ("/groups/given-lies", test_given_lies);
  g_test_add_func ("/groups/random", test_random);
  g_test_add_func ("/groups/long", test_long);
  g_test_add_func ("/groups/readings", test_readings);
  g_test_add_func ("/groups/numbers", test_numbers);
  g_test_add_func ("/groups/spoilt", test_spoilt);
  for (gsize i = 0; i < G_N_ELEMENTS (wrong); i++)
    {
      g_autofree char *path = g_strconcat ("/groups/", wrong[i].name, NULL);

      g_test_add_data_func (path, &wrong[i], test_wrong);
    }
  return g_test_run ();
}
