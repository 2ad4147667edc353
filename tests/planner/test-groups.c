/* test-groups.c: the checker's groups, which it finds by itself, against the planner's;
 * and groups that may not be. */
#include "config.h"

#include "fuse-case.h"
#include "ir/plan.h"
#include "planner/check/check-fusion.h"
#include "planner/check/check-groups.h"
#include "planner/check/check-offers.h"
#include "planner/fuse.h"
#include "planner/offer.h"

#include <string.h>

/* ---- the same as the planner ---------------------------------------------- */

static void
check_one (const TpGraph *graph, const char *const *left_out)
{
  g_autoptr (TpGroups) have = tp_checker_find_groups (graph, left_out);
  g_autoptr (TpGroups) want = tp_fuse_find_all (graph, left_out);
  g_autofree char *has = fuse_case_write (have, graph);
  g_autofree char *should = fuse_case_write (want, graph);

  g_assert_cmpstr (has, ==, should);
}

/* Whatever rules are left out. */
static void
check_all (const TpGraph *graph)
{
  const char *const *rules = tp_fuse_list ();
  guint n = g_strv_length ((char **) rules);

  for (guint i = 0; i <= n; i++)
    g_assert_cmpstr (tp_checker_get_rule ((int) i), ==, rules[i]);
  for (guint set = 0; set < 1u << n; set++)
    {
      const char *left_out[33] = { NULL };

      for (guint i = 0, k = 0; i < n; i++)
        if (set >> i & 1)
          left_out[k++] = rules[i];
      check_one (graph, left_out);
    }
}

/* All matrices of 4 columns, or what is made of them. */
typedef struct
{
  GString *ops;
  GPtrArray *names;           /* char * */
  GArray *rows, *columns;     /* int */
  GHashTable *read;           /* those that some op reads */
} Net;

static void
add_tensor (Net *net, const char *name, int n_rows, int n_columns)
{
  g_ptr_array_add (net->names, g_strdup (name));
  g_array_append_val (net->rows, n_rows);
  g_array_append_val (net->columns, n_columns);
}

static int
get_size (const Net *net, int tensor, gboolean is_rows)
{
  return g_array_index (is_rows ? net->rows : net->columns, int, tensor);
}

/* One of the last few that nobody reads, mostly; of the shape of @like, unless that is
 * -1. */
static int
pick (const Net *net, int like)
{
  int n = (int) net->names->len;

  for (int i = 0; i < 20; i++)
    {
      int from = g_test_rand_int_range (0, 4) > 0 ? MAX (0, n - 3) : 0;
      int tensor = g_test_rand_int_range (from, n);

      if (g_hash_table_contains (net->read, net->names->pdata[tensor])
          && g_test_rand_int_range (0, 10) > 0)
        continue;
      if (like < 0
          || (get_size (net, tensor, TRUE) == get_size (net, like, TRUE)
              && get_size (net, tensor, FALSE) == get_size (net, like, FALSE)))
        return tensor;
    }
  return like < 0 ? 0 : like;
}

static const char *
take (const Net *net, int tensor)
{
  char *name = net->names->pdata[tensor];

  g_hash_table_add (net->read, name);
  return name;
}

/* "type" of @inputs, as JSON, of some device. */
static void
add_op (Net *net, int index, const char *type, const char *inputs,
        const char *attrs)
{
  static const char *const pins[]
      = { ",\"device\":\"cpu\"", ",\"device\":\"opencl:0\"",
          ",\"device\":[\"opencl:0\",\"cpu\"]" };
  int pin = g_test_rand_int_range (0, 12 * G_N_ELEMENTS (pins));

  g_string_append_printf (
      net->ops, "%s{\"name\":\"t%d\",\"type\":\"%s\",\"inputs\":[%s],"
      "\"outputs\":[\"t%d\"]%s%s}", index > 0 ? "," : "", index, type, inputs,
      index, attrs, pin < (int) G_N_ELEMENTS (pins) ? pins[pin] : "");
}

static void
add_join (Net *net, int index, int first)
{
  g_autoptr (GString) inputs = g_string_new (NULL);
  int n = g_test_rand_int_range (1, 5), n_rows = 0;

  for (int i = 0; i < n; i++)
    {
      int tensor = i == 0 ? first : pick (net, -1);

      if (get_size (net, tensor, FALSE) != get_size (net, first, FALSE))
        continue;
      g_string_append_printf (inputs, "%s\"%s\"", n_rows > 0 ? "," : "",
                              take (net, tensor));
      n_rows += get_size (net, tensor, TRUE);
    }
  add_op (net, index, "Concat", inputs->str, ",\"attrs\":{\"axis\":0}");
  add_tensor (net, "", n_rows, get_size (net, first, FALSE));
}

static const struct
{
  const char *type;
  int n_inputs;
  const char *attrs;
} simple[] = {
  { "Relu", 1, "" },
  { "Tanh", 1, "" },
  { "Add", 2, "" },
  { "Mul", 2, "" },
  { "Softmax", 1, "" },
  { "Flatten", 1, ",\"attrs\":{\"axis\":1}" },
  { "Clip", 1, "" },
  { "Softmax", 1, ",\"attrs\":{\"axis\":0}" },
};

static void
add_simple (Net *net, int index, int first)
{
  int row = g_test_rand_int_range (0, G_N_ELEMENTS (simple));
  g_autofree char *inputs
      = simple[row].n_inputs == 1
            ? g_strdup_printf ("\"%s\"", take (net, first))
            : g_strdup_printf ("\"%s\",\"%s\"", take (net, first),
                               take (net, pick (net, first)));

  add_op (net, index, simple[row].type, inputs, simple[row].attrs);
  add_tensor (net, "", get_size (net, first, TRUE), get_size (net, first, FALSE));
}

/* With weights, which have 4 rows and columns, on either side. */
static void
add_product (Net *net, int index, int first)
{
  gboolean is_left = get_size (net, first, FALSE) == 4;
  int n_rows = is_left ? get_size (net, first, TRUE) : 4;
  g_autofree char *inputs = NULL;

  if (!is_left && get_size (net, first, TRUE) != 4)
    {
      add_simple (net, index, first);
      return;
    }
  inputs = g_strdup_printf (is_left ? "\"%s\",\"n\"" : "\"n\",\"%s\"",
                            take (net, first));
  add_op (net, index, "MatMul", inputs, "");
  add_tensor (net, "", n_rows, is_left ? 4 : get_size (net, first, FALSE));
}

static void
add_turned (Net *net, int index, int first)
{
  g_autofree char *inputs = g_strdup_printf ("\"%s\"", take (net, first));
  gboolean is_flat = g_test_rand_bit ();
  int n_rows = get_size (net, first, TRUE), n = get_size (net, first, FALSE);

  add_op (net, index, is_flat ? "Flatten" : "Transpose", inputs,
          is_flat ? ",\"attrs\":{\"axis\":0}" : "");
  add_tensor (net, "", is_flat ? 1 : n, is_flat ? n_rows * n : n_rows);
}

static void
add_any (Net *net, int index)
{
  int first = pick (net, -1), what = g_test_rand_int_range (0, 10);
  char *name;

  if (what == 0)
    add_turned (net, index, first);
  else if (what < 3)
    add_join (net, index, first);
  else if (what < 5)
    add_product (net, index, first);
  else
    add_simple (net, index, first);
  name = g_strdup_printf ("t%d", index);
  g_free (net->names->pdata[net->names->len - 1]);
  net->names->pdata[net->names->len - 1] = name;
}

/* What nobody reads, and some others, are outputs. */
static TpGraph *
finish_net (Net *net)
{
  g_autoptr (GString) outputs = g_string_new (NULL);
  FuseCase it = { .name = "random" };

  for (guint i = 1; i < net->names->len; i++)
    if (!g_hash_table_contains (net->read, net->names->pdata[i])
        || g_test_rand_int_range (0, 20) == 0)
      g_string_append_printf (outputs, "%s\"%s\"", outputs->len > 0 ? "," : "",
                              (char *) net->names->pdata[i]);
  it.outputs = outputs->str;
  it.ops = net->ops->str;
  return fuse_case_load (&it);
}

static TpGraph *
make_random (int n_ops)
{
  Net net = { g_string_new (NULL), g_ptr_array_new_with_free_func (g_free),
              g_array_new (FALSE, FALSE, sizeof (int)),
              g_array_new (FALSE, FALSE, sizeof (int)),
              g_hash_table_new (g_str_hash, g_str_equal) };
  TpGraph *graph;

  add_tensor (&net, "m", 4, 4);
  for (int i = 0; i < n_ops; i++)
    add_any (&net, i);
  graph = finish_net (&net);
  g_hash_table_unref (net.read);
  g_string_free (net.ops, TRUE);
  g_ptr_array_unref (net.names);
  g_array_unref (net.rows);
  g_array_unref (net.columns);
  return graph;
}

#define N_RANDOM 300

static gboolean
is_accepted (const TpGraph *graph, const TpGroups *groups,
             const char *const *no_fuse)
{
  g_autoptr (TpPlan) plan = tp_plan_new ();
  g_autoptr (GPtrArray) reasons = g_ptr_array_new_with_free_func (g_free);
  gboolean is_good;

  plan->version = 2;
  plan->all_groups = tp_groups_new ();
  plan->no_fuse = g_strdupv ((char **) no_fuse);
  for (int i = 0; i < groups->n_groups; i++)
    tp_groups_add (plan->all_groups, groups->groups[i].nodes,
                   groups->groups[i].n_nodes);
  is_good = tp_checker_check_groups (plan, graph, reasons);
  g_assert_cmpint (is_good, ==, reasons->len == 0);
  return is_good;
}

static void
test_random (void)
{
  int n_groups = 0, n_long = 0;

  for (int round = 0; round < N_RANDOM; round++)
    {
      g_autoptr (TpGraph) graph
          = make_random (g_test_rand_int_range (2, round % 10 == 0 ? 300 : 40));
      g_autoptr (TpGroups) groups = tp_fuse_find (graph, NULL);

      check_all (graph);
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
  { "earlier-convolution", Q ("t"), NET, "a+s+r q+t", NULL },
  { "both-convolutions", Q ("t"), NET, "a+b+s+r q+t", NULL },
  { "value-leaves", Q ("t"), NET, "b+s+r+p q+t", NULL },
  { "not-convex", Q ("t"), NET, "b+s+r+p+t", NULL },
  { "everything", Q ("t"), NET, "a+b+s+r+p+q+t", NULL },
  { "other-reader", Q ("t"), NET, "b+s+r p+t", NULL },
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
  g_autoptr (TpGroups) right = tp_checker_find_groups (graph, no_fuse);
  g_autoptr (TpGroups) groups = read_groups (graph, it->groups);

  check_all (graph);
  if (g_strcmp0 (it->disabled, "frobnicate") != 0)
    {
      g_autoptr (TpGroups) offered = tp_fuse_find (graph, no_fuse);

      g_assert_true (is_accepted (graph, offered, no_fuse));
    }
  g_assert_false (is_accepted (graph, groups, no_fuse));
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
      g_autoptr (TpGraph) graph = make_random (g_test_rand_int_range (5, 40));
      g_autoptr (TpGroups) groups = tp_fuse_find (graph, NULL);
      g_autoptr (TpGroups) family = tp_fuse_find_all (graph, NULL);
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

/* ---- which are offered ----------------------------------------------------- */

static const char *const devices[] = { "cpu", "opencl:0", NULL };

static gint64
draw_time (void)
{
  return g_test_rand_int_range (0, 10) == 0 ? TP_COST_NONE
                                            : g_test_rand_int_range (0, 30);
}

static TpCosts *
draw_costs (const TpGraph *graph, const TpGroups *family)
{
  TpCosts *costs = tp_costs_new (2, devices, graph, family);

  costs->kernels = g_new0 (int, costs->n_nodes + costs->n_groups + 1);
  for (int i = 0; i < costs->n_nodes + costs->n_groups; i++)
    costs->kernels[i] = g_test_rand_int_range (0, i + 1);
  for (int i = 0; i < 2 * costs->n_nodes; i++)
    costs->nodes[i] = (TpCost){ .time_ns = draw_time (),
                                .is_estimated = g_test_rand_bit () };
  for (int i = 0; i < 2 * costs->n_groups; i++)
    costs->groups[i] = (TpCost){
      .time_ns = draw_time (),
      .is_estimated = g_test_rand_bit () };
  for (int i = 0; i < 2 * costs->n_groups; i++)
    if (costs->groups[i].time_ns != TP_COST_NONE)
      costs->groups[i].time_ns *= family->groups[i / 2].n_nodes / 2;
  return costs;
}

static void
copy_costs (TpCosts *to, const TpCosts *from)
{
  memcpy (to->nodes, from->nodes, 2 * sizeof (TpCost) * from->n_nodes);
  memcpy (to->groups, from->groups, 2 * sizeof (TpCost) * from->n_groups);
  to->kernels
      = g_memdup2 (from->kernels,
                   sizeof (int) * (gsize) (from->n_nodes + from->n_groups + 1));
}

/* Chosen twice, with the costs that are left. */
static void
test_offered (void)
{
  int n_wholes = 0, n_chains = 0;

  for (int round = 0; round < 3 * N_RANDOM; round++)
    {
      g_autoptr (TpGraph) graph = make_random (g_test_rand_int_range (5, 40));
      g_autoptr (TpGroups) family = tp_fuse_find_all (graph, NULL);
      g_autoptr (TpCosts) costs = draw_costs (graph, family);
      g_autoptr (TpCosts) again = tp_costs_new (2, devices, graph, family);
      g_autoptr (TpGroups) have = NULL, want = NULL;
      g_autofree char *has = NULL, *should = NULL, *digest = NULL, *other = NULL;

      copy_costs (again, costs);
      have = tp_checker_choose (family, graph, costs);
      want = tp_offer_choose (family, graph, again);
      has = fuse_case_write (have, graph);
      should = fuse_case_write (want, graph);
      g_assert_cmpstr (has, ==, should);
      digest = tp_costs_compute_digest (costs);
      other = tp_costs_compute_digest (again);
      g_assert_cmpstr (digest, ==, other);
      g_assert_true (is_accepted (graph, have, NULL));
      n_chains += have->n_groups > 0 && have->n_groups < family->n_groups
                  && have->groups[have->n_groups - 1].n_nodes
                         != family->groups[family->n_groups - 1].n_nodes;
      n_wholes += have->n_groups < family->n_groups;
    }
  g_assert_cmpint (n_wholes, >, N_RANDOM / 10);
  g_assert_cmpint (n_chains, >, N_RANDOM / 10);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/groups/random", test_random);
  g_test_add_func ("/groups/numbers", test_numbers);
  g_test_add_func ("/groups/spoilt", test_spoilt);
  g_test_add_func ("/groups/offered", test_offered);
  for (gsize i = 0; i < G_N_ELEMENTS (wrong); i++)
    {
      g_autofree char *path = g_strconcat ("/groups/", wrong[i].name, NULL);

      g_test_add_data_func (path, &wrong[i], test_wrong);
    }
  return g_test_run ();
}
