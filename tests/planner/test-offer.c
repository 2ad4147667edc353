/* test-offer.c: of a whole and the chains it holds, which is offered. By enumeration of
 * all that could be, on random times. */
#include "config.h"

#include "ir/costs.h"
#include "planner/fuse.h"
#include "planner/offer.h"
#include "tests/ir/quoted-graph.h"

#include <string.h>

#define MAX_DEVICES 3
#define N_ROUNDS 2000

/* Three that join: of chains, of a chain and single ops, of single ops; and a chain
 * that is in none. */
static const char text[]
    = "{'format':'tplan-graph/1','name':'joins','opset':17,'inputs':[{'name':'x',"
      "'dtype':'float32','shape':[4,4]}],'outputs':['z'],'ops':["
      "{'name':'a','type':'Softmax','inputs':['x'],'outputs':['a']},"
      "{'name':'b','type':'Softmax','inputs':['x'],'outputs':['b']},"
      "{'name':'c','type':'Relu','inputs':['a'],'outputs':['c']},"
      "{'name':'d','type':'Tanh','inputs':['b'],'outputs':['d']},"
      "{'name':'j','type':'Concat','inputs':['c','d'],'outputs':['j'],'attrs':{'axis':0}},"
      "{'name':'e','type':'Relu','inputs':['j'],'outputs':['e']},"
      "{'name':'f','type':'Softmax','inputs':['e'],'outputs':['f']},"
      "{'name':'g','type':'Relu','inputs':['f'],'outputs':['g']},"
      "{'name':'h','type':'Softmax','inputs':['e'],'outputs':['h']},"
      "{'name':'k','type':'Concat','inputs':['e','h','g'],'outputs':['k'],'attrs':{'axis':0}},"
      "{'name':'l','type':'Softmax','inputs':['k'],'outputs':['l']},"
      "{'name':'m','type':'Softmax','inputs':['k'],'outputs':['m']},"
      "{'name':'n','type':'Concat','inputs':['l','m'],'outputs':['n'],'attrs':{'axis':0}},"
      "{'name':'y','type':'Softmax','inputs':['n'],'outputs':['y']},"
      "{'name':'z','type':'Relu','inputs':['y'],'outputs':['z']}]}";

/* One whole, of a chain of three parts, of which one has two. */
static const char deep[]
    = "{'format':'tplan-graph/1','name':'deep','opset':17,'inputs':[{'name':'x',"
      "'dtype':'float32','shape':[4,4]}],'outputs':['k'],'ops':["
      "{'name':'p','type':'Relu','inputs':['x'],'outputs':['p']},"
      "{'name':'q','type':'Tanh','inputs':['p'],'outputs':['q']},"
      "{'name':'m','type':'MatMul','inputs':['q','x'],'outputs':['m']},"
      "{'name':'r','type':'Relu','inputs':['m'],'outputs':['r']},"
      "{'name':'s','type':'Softmax','inputs':['r'],'outputs':['s']},"
      "{'name':'t','type':'MatMul','inputs':['s','x'],'outputs':['t']},"
      "{'name':'u','type':'Relu','inputs':['t'],'outputs':['u']},"
      "{'name':'k','type':'Concat','inputs':['u','x'],'outputs':['k'],'attrs':{'axis':0}}]}";

/* A sum of two, of which it goes with the later, or what reads it with both. */
static const char torn[]
    = "{'format':'tplan-graph/1','name':'torn','opset':17,'inputs':[{'name':'x',"
      "'dtype':'float32','shape':[4,4]}],'outputs':['k'],'ops':["
      "{'name':'a','type':'Softmax','inputs':['x'],'outputs':['a']},"
      "{'name':'b','type':'Softmax','inputs':['x'],'outputs':['b']},"
      "{'name':'c','type':'Relu','inputs':['b'],'outputs':['c']},"
      "{'name':'s','type':'Add','inputs':['a','c'],'outputs':['s']},"
      "{'name':'r','type':'Relu','inputs':['s'],'outputs':['r']},"
      "{'name':'k','type':'MatMul','inputs':['r','x'],'outputs':['k']}]}";

typedef struct
{
  const char *text;           /* (nullable): that of joins */
  TpGraph *graph;
  TpGroups *all;
  int n_devices;
  TpCosts *costs;
} Case;

/* That of a kernel, times @quarters / 4. */
static gint64
random_time (gboolean has_gaps, int quarters)
{
  return has_gaps && g_test_rand_int_range (0, 12) == 0
             ? TP_COST_NONE
             : g_test_rand_int_range (1, 40) * quarters / 4;
}

static void
fill_costs (const Case *it, gboolean has_gaps)
{
  TpCosts *costs = it->costs;

  for (int d = 0; d < it->n_devices; d++)
    {
      for (int i = 0; i < costs->n_nodes; i++)
        tp_costs_node (costs, i, d)->time_ns = random_time (has_gaps, 4);
      for (int i = 0; i < costs->n_groups; i++)
        *tp_costs_group (costs, i, d)
            = (TpCost){ .time_ns = random_time (
                            has_gaps, 3 * it->all->groups[i].n_nodes),
                        .is_estimated = has_gaps && g_test_rand_bit () };
      for (int i = 0; i < costs->n_groups; i++)
        if (has_gaps && g_test_rand_int_range (0, 6) == 0)
          tp_costs_group (costs, i, d)->time_ns = TP_COST_NONE;
    }
  if (!g_test_rand_bit ())
    return;
  costs->kernels = g_new0 (int, costs->n_nodes + costs->n_groups + 1);
  for (int i = 0; i < costs->n_nodes + costs->n_groups; i++)
    costs->kernels[i] = g_test_rand_int_range (0, 6);
}

static void
case_init (Case *it, int n_devices, gboolean has_gaps)
{
  static const char *const devices[MAX_DEVICES + 1] = { "p", "q", "r", NULL };

  it->graph = test_load_quoted (it->text != NULL ? it->text : text);
  it->all = tp_fuse_find_all (it->graph, NULL, NULL);
  it->n_devices = n_devices;
  it->costs = tp_costs_new (n_devices, devices, it->graph, it->all);
  fill_costs (it, has_gaps);
}

static void
case_clear (Case *it)
{
  tp_graph_unref (it->graph);
  tp_groups_free (it->all);
  tp_costs_unref (it->costs);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Case, case_clear)

static int
find_group (const TpGroups *groups, const TpGroup *group)
{
  for (int i = 0; i < groups->n_groups; i++)
    if (groups->groups[i].n_nodes == group->n_nodes
        && memcmp (groups->groups[i].nodes, group->nodes,
                   group->n_nodes * sizeof (int)) == 0)
      return i;
  return -1;
}

/* All ops on @device, with @groups of those of the case; TP_COST_NONE: they cannot. */
static gint64
sum_times (const Case *it, const TpGroups *groups, int device)
{
  gint64 sum = 0;

  for (int i = 0; i < it->costs->n_nodes; i++)
    {
      gint64 time_ns = tp_costs_node (it->costs, i, device)->time_ns;

      if (time_ns == TP_COST_NONE)
        return TP_COST_NONE;
      sum += time_ns;
    }
  for (int g = 0; g < groups->n_groups; g++)
    {
      int row = find_group (it->all, &groups->groups[g]);
      gint64 fused = tp_costs_group (it->costs, row, device)->time_ns, apart = 0;

      for (int k = 0; k < groups->groups[g].n_nodes; k++)
        apart += tp_costs_node (it->costs, groups->groups[g].nodes[k], device)
                     ->time_ns;
      sum -= fused < apart ? apart - fused : 0;
    }
  return sum;
}

/* Those of the case whose bit is in @set. */
static TpGroups *
pick_groups (const Case *it, unsigned set)
{
  TpGroups *groups = tp_groups_new ();

  for (int i = 0; i < it->all->n_groups; i++)
    if (set & 1u << i)
      tp_groups_add (groups, it->all->groups[i].nodes,
                     it->all->groups[i].n_nodes);
  return groups;
}

/* Each op at most once, and no group left out that could still be taken. */
static gboolean
is_complete (const Case *it, const TpGroups *groups)
{
  int n_in[64] = { 0 };

  for (int g = 0; g < groups->n_groups; g++)
    for (int k = 0; k < groups->groups[g].n_nodes; k++)
      if (n_in[groups->groups[g].nodes[k]]++ > 0)
        return FALSE;
  for (int g = 0; g < it->all->n_groups; g++)
    {
      gboolean is_free = TRUE;

      for (int k = 0; k < it->all->groups[g].n_nodes; k++)
        is_free &= n_in[it->all->groups[g].nodes[k]] == 0;
      if (is_free)
        return FALSE;
    }
  return TRUE;
}

static void
check_allows (const char *of, int n_groups, int n_choices)
{
  g_auto (Case) it = { .text = of };
  int n = 0;

  case_init (&it, 1, FALSE);
  g_assert_cmpint (it.all->n_groups, ==, n_groups);
  for (unsigned set = 0; set < 1u << it.all->n_groups; set++)
    {
      g_autoptr (TpGroups) groups = pick_groups (&it, set);
      gboolean is_good = is_complete (&it, groups);

      /* half of the chains of a whole are complete, and no choice */
      if (tp_offer_allows (it.all, groups))
        g_assert_true (is_good);
      n += tp_offer_allows (it.all, groups);
    }
  g_assert_cmpint (n, ==, n_choices);
}

static void
test_allows (void)
{
  check_allows (text, 8, 1 << 2);
  check_allows (deep, 6, 4);
  check_allows (torn, 3, 3);
}

/* On one device the choice is the cheapest of all. */
static void
test_cheapest (void)
{
  for (int round = 0; round < N_ROUNDS; round++)
    {
      g_auto (Case) it = { .text = round % 3 == 0 ? torn : round % 2 ? deep : text };
      g_autoptr (TpCosts) costs = NULL;
      g_autoptr (TpGroups) chosen = NULL;
      gint64 least = G_MAXINT64;

      case_init (&it, 1, FALSE);
      costs = tp_costs_new (1, (const char *const *) it.costs->devices, it.graph,
                            it.all);
      memcpy (costs->nodes, it.costs->nodes, sizeof (TpCost) * costs->n_nodes);
      memcpy (costs->groups, it.costs->groups, sizeof (TpCost) * costs->n_groups);
      chosen = tp_offer_choose (it.all, it.graph, costs);
      for (unsigned set = 0; set < 1u << it.all->n_groups; set++)
        {
          g_autoptr (TpGroups) groups = pick_groups (&it, set);

          if (is_complete (&it, groups))
            least = MIN (least, sum_times (&it, groups, 0));
        }
      g_assert_cmpint (sum_times (&it, chosen, 0), ==, least);
    }
}

/* Rows of the groups that are left, and what they are measurements of. */
static void
check_costs (const Case *it, const TpGroups *chosen, const TpCosts *left)
{
  int rows[64], n = 0;
  g_autofree char *digest = tp_costs_compute_digest (left);

  for (int i = 0; i < left->n_nodes; i++)
    rows[n++] = i;
  for (int g = 0; g < chosen->n_groups; g++)
    rows[n++] = left->n_nodes + find_group (it->all, &chosen->groups[g]);
  g_assert_cmpint (left->n_groups, ==, chosen->n_groups);
  for (int g = 0; g < left->n_groups; g++)
    for (int d = 0; d < it->n_devices; d++)
      g_assert_cmpmem (
          tp_costs_group (left, g, d), sizeof (TpCost),
          tp_costs_group (it->costs, rows[left->n_nodes + g] - left->n_nodes, d),
          sizeof (TpCost));
  if (left->n_groups < it->all->n_groups)
    g_assert_cmpstr (left->digest, ==, digest);
  for (int i = 0; i < n && left->kernels != NULL; i++)
    for (int k = 0; k < n; k++)
      {
        g_assert_cmpint (left->kernels[i], <=, i + 1);
        g_assert_cmpint (left->kernels[i] == left->kernels[k], ==,
                         it->costs->kernels[rows[i]]
                             == it->costs->kernels[rows[k]]);
      }
}

/* On no device is a choice dearer than the chains, whole. */
static void
test_no_loss (void)
{
  const char *disabled[] = { "concat", NULL };
  int n_wholes = 0, n_chains = 0, n_parts = 0;

  for (int round = 0; round < N_ROUNDS; round++)
    {
      gboolean is_deep = round % 2;
      g_auto (Case) it = { .text = is_deep ? deep : text };
      g_autoptr (TpCosts) costs = NULL;
      g_autoptr (TpGroups) chosen = NULL, chains = NULL;

      case_init (&it, g_test_rand_int_range (1, MAX_DEVICES + 1),
                 round % 3 > 0);
      costs = tp_costs_new (it.n_devices, (const char *const *) it.costs->devices,
                            it.graph, it.all);
      memcpy (costs->nodes, it.costs->nodes,
              sizeof (TpCost) * costs->n_nodes * it.n_devices);
      memcpy (costs->groups, it.costs->groups,
              sizeof (TpCost) * costs->n_groups * it.n_devices);
      if (it.costs->kernels != NULL)
        costs->kernels = g_memdup2 (it.costs->kernels,
                                    sizeof (int) * (costs->n_nodes + costs->n_groups));
      chosen = tp_offer_choose (it.all, it.graph, costs);
      chains = tp_fuse_find (it.graph, disabled);
      g_assert_true (tp_offer_allows (it.all, chosen));
      for (int d = 0; d < it.n_devices; d++)
        g_assert_cmpint (sum_times (&it, chosen, d), <=,
                         sum_times (&it, chains, d));
      check_costs (&it, chosen, costs);
      n_wholes += !is_deep
                  && find_group (chosen, &it.all->groups[it.all->n_groups - 3])
                         >= 0;
      n_chains += !is_deep && find_group (chosen, &it.all->groups[0]) >= 0;
      n_parts += is_deep && find_group (chosen, &it.all->groups[0]) >= 0;
    }
  g_assert_cmpint (n_wholes, >, N_ROUNDS / 40);
  g_assert_cmpint (n_chains, >, N_ROUNDS / 40);
  g_assert_cmpint (n_parts, >, N_ROUNDS / 200);
}

/* Of @groups, which are the first of all. */
static TpCosts *
copy_costs (const Case *it, const TpGroups *groups)
{
  TpCosts *costs = tp_costs_new (
      it->n_devices, (const char *const *) it->costs->devices, it->graph, groups);

  memcpy (costs->nodes, it->costs->nodes,
          sizeof (TpCost) * costs->n_nodes * it->n_devices);
  memcpy (costs->groups, it->costs->groups,
          sizeof (TpCost) * costs->n_groups * it->n_devices);
  return costs;
}

/* What is chosen of the groups of the first reading alone. */
static TpGroups *
choose_of_first (const Case *it)
{
  g_autoptr (TpGroups) first = tp_groups_new ();
  g_autoptr (TpCosts) costs = NULL;

  for (int i = 0; i < it->all->n_groups; i++)
    if (!it->all->groups[i].is_second)
      tp_groups_add_copy (first, &it->all->groups[i]);
  costs = copy_costs (it, first);
  return tp_offer_choose (first, it->graph, costs);
}

/* No device loses by the second reading, and where it is taken some gains. */
static void
test_readings (void)
{
  int n_second = 0;

  for (int round = 0; round < N_ROUNDS; round++)
    {
      g_auto (Case) it = { .text = torn };
      g_autoptr (TpGroups) chosen = NULL, of_first = NULL;
      g_autoptr (TpCosts) costs = NULL;
      gboolean has_gaps = round % 2, is_less = FALSE;

      case_init (&it, g_test_rand_int_range (1, MAX_DEVICES + 1), has_gaps);
      costs = copy_costs (&it, it.all);
      of_first = choose_of_first (&it);
      chosen = tp_offer_choose (it.all, it.graph, costs);
      g_assert_true (tp_offer_allows (it.all, chosen));
      for (int d = 0; d < it.n_devices; d++)
        {
          g_assert_cmpint (sum_times (&it, chosen, d), <=,
                           sum_times (&it, of_first, d));
          is_less |= sum_times (&it, chosen, d) < sum_times (&it, of_first, d);
        }
      if (!has_gaps) /* nothing keeps all ops from a device */
        g_assert_cmpint (chosen->groups[0].is_second, ==, is_less);
      n_second += is_less;
    }
  g_assert_cmpint (n_second, >, N_ROUNDS / 20);
  g_assert_cmpint (n_second, <, N_ROUNDS);
}

/* What its pins keep from being a whole is offered as chains. */
static void
test_pins (void)
{
  static const char *const elsewhere[] = { "q", NULL };
  g_auto (Case) it = { NULL };
  g_autoptr (TpGroups) chosen = NULL, again = NULL;

  case_init (&it, 2, FALSE);
  for (int d = 0; d < 2; d++)
    for (int i = 0; i < it.costs->n_nodes + it.costs->n_groups; i++)
      (i < it.costs->n_nodes ? tp_costs_node (it.costs, i, d)
                             : tp_costs_group (it.costs, i - it.costs->n_nodes, d))
          ->time_ns = 10;
  for (int g = 0; g < it.costs->n_groups - 3; g++)
    tp_costs_group (it.costs, g, 0)->time_ns = 9;
  it.graph->nodes[0].pins = elsewhere;
  chosen = tp_offer_choose (it.all, it.graph, it.costs);
  it.graph->nodes[0].pins = NULL;
  g_assert_cmpint (find_group (chosen, &it.all->groups[0]), >=, 0);
  g_assert_cmpint (find_group (chosen, &it.all->groups[it.all->n_groups - 3]), ==,
                   -1);
  g_assert_cmpint (find_group (chosen, &it.all->groups[it.all->n_groups - 2]), >=, 0);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/offer/allows", test_allows);
  g_test_add_func ("/offer/cheapest", test_cheapest);
  g_test_add_func ("/offer/readings", test_readings);
  g_test_add_func ("/offer/no-loss", test_no_loss);
  g_test_add_func ("/offer/pins", test_pins);
  return g_test_run ();
}
