/* test-maxflow.c: maximum flows against simple oracles, and by their own proof:
 * a feasible flow as large as a cut. */
#include "config.h"

#include "planner/maxflow-force.h"
#include "planner/maxflow.h"

#include <string.h>
#ifdef HAVE_GLPK
#include <glpk.h>
#endif

typedef struct
{
  int u, v;
  gint64 capacity, reverse;
} TestPair;

typedef struct
{
  int n;
  gint64 *from_source, *to_sink;
  GArray *pairs;
} Case;

static Case *
case_new (int n)
{
  Case *c = g_new0 (Case, 1);

  c->n = n;
  c->from_source = g_new0 (gint64, n);
  c->to_sink = g_new0 (gint64, n);
  c->pairs = g_array_new (FALSE, FALSE, sizeof (TestPair));
  return c;
}

static void
case_free (Case *c)
{
  g_free (c->from_source);
  g_free (c->to_sink);
  g_array_unref (c->pairs);
  g_free (c);
}
G_DEFINE_AUTOPTR_CLEANUP_FUNC (Case, case_free)

static void
case_add (Case *c, int u, int v, gint64 capacity, gint64 reverse)
{
  TestPair pair = { u, v, capacity, reverse };

  if (u != v)
    g_array_append_val (c->pairs, pair);
}

static TpFlow *
case_build (const Case *c, gint64 effort)
{
  TpFlow *flow = tp_flow_new (c->n);

  for (int v = 0; v < c->n; v++)
    tp_flow_add_terminal (flow, v, c->from_source[v], c->to_sink[v]);
  for (guint k = 0; k < c->pairs->len; k++)
    {
      TestPair *pair = &g_array_index (c->pairs, TestPair, k);
      tp_flow_add_pair (flow, pair->u, pair->v, pair->capacity, pair->reverse);
    }
  tp_flow_set_effort (flow, effort);
  return flow;
}

/* Capacity of the cut with sink side @is_sink. */
static gint64
case_cut (const Case *c, const guint8 *is_sink)
{
  gint64 sum = 0;

  for (int v = 0; v < c->n; v++)
    sum += is_sink[v] ? c->from_source[v] : c->to_sink[v];
  for (guint k = 0; k < c->pairs->len; k++)
    {
      TestPair *pair = &g_array_index (c->pairs, TestPair, k);
      if (!is_sink[pair->u] && is_sink[pair->v])
        sum += pair->capacity;
      if (is_sink[pair->u] && !is_sink[pair->v])
        sum += pair->reverse;
    }
  return sum;
}

/* The flow is feasible and worth @value, and so is the cut. */
static void
assert_proved (const Case *c, TpFlow *flow, gint64 value)
{
  g_autofree gint64 *balance = g_new0 (gint64, c->n);
  g_autofree guint8 *is_sink = g_new0 (guint8, c->n);
  gint64 sent = 0;

  for (int v = 0; v < c->n; v++)
    {
      gint64 in, out;

      tp_flow_get_terminal (flow, v, &in, &out);
      g_assert_true (in >= 0 && in <= c->from_source[v]);
      g_assert_true (out >= 0 && out <= c->to_sink[v]);
      balance[v] += in - out;
      sent += out;
    }
  for (guint k = 0; k < c->pairs->len; k++)
    {
      TestPair *pair = &g_array_index (c->pairs, TestPair, k);
      gint64 net = tp_flow_get_pair (flow, k);

      g_assert_true (net <= pair->capacity && -net <= pair->reverse);
      balance[pair->u] -= net;
      balance[pair->v] += net;
    }
  for (int v = 0; v < c->n; v++)
    g_assert_cmpint (balance[v], ==, 0);
  g_assert_cmpint (sent, ==, value);
  tp_flow_get_sink_side (flow, is_sink);
  g_assert_cmpint (case_cut (c, is_sink), ==, value);
}

/* What goes through each pair is the same when all else is freed. */
static void
settle_and_compare (const Case *c, TpFlow *flow)
{
  g_autofree gint64 *nets = g_new0 (gint64, c->pairs->len + 1);

  for (guint k = 0; k < c->pairs->len; k++)
    nets[k] = tp_flow_get_pair (flow, k);
  tp_flow_settle (flow);
  for (guint k = 0; k < c->pairs->len; k++)
    g_assert_cmpint (tp_flow_get_pair (flow, k), ==, nets[k]);
}

static gint64
solve_and_prove (const Case *c, gint64 effort)
{
  g_autoptr (TpFlow) flow = case_build (c, effort);
  gint64 value = tp_flow_solve (flow);

  assert_proved (c, flow, value);
  if (effort == 0)
    g_assert_true (tp_flow_has_switched (flow));
  settle_and_compare (c, flow);
  return value;
}

static Case *
case_random (int n, int n_pairs, int max)
{
  Case *c = case_new (n);

  for (int v = 0; v < n; v++)
    {
      if (g_test_rand_int_range (0, 3) > 0)
        c->from_source[v] = g_test_rand_int_range (0, max);
      if (g_test_rand_int_range (0, 3) > 0)
        c->to_sink[v] = g_test_rand_int_range (0, max);
    }
  for (int k = 0; k < n_pairs; k++)
    case_add (c, g_test_rand_int_range (0, n), g_test_rand_int_range (0, n),
              g_test_rand_int_range (0, max),
              g_test_rand_bit () ? g_test_rand_int_range (0, max) : 0);
  return c;
}

/* The least cut over all sets; of equal ones the smallest sink side. @forced:
 * a vertex and its side, or -1. */
static gint64
brute_force (const Case *c, int forced, gboolean to_sink, guint8 *out_is_sink)
{
  gint64 best = G_MAXINT64;
  int best_size = G_MAXINT;

  for (guint set = 0; set < 1u << c->n; set++)
    {
      guint8 is_sink[16];
      int size = 0;
      gint64 cut;

      for (int v = 0; v < c->n; v++)
        size += is_sink[v] = (set >> v) & 1;
      if (forced >= 0 && is_sink[forced] != to_sink)
        continue;
      cut = case_cut (c, is_sink);
      if (cut > best || (cut == best && size >= best_size))
        continue;
      best = cut;
      best_size = size;
      memcpy (out_is_sink, is_sink, c->n);
    }
  return best;
}

static void
test_brute_force (void)
{
  for (int round = 0; round < 300; round++)
    {
      int n = g_test_rand_int_range (1, 10);
      g_autoptr (Case) c = case_random (n, 2 * n, round % 2 ? 4 : 1000);
      guint8 expected[16], found[16];
      gint64 best = brute_force (c, -1, FALSE, expected);

      for (int effort = 0; effort <= 64; effort += 32)
        {
          g_autoptr (TpFlow) flow = case_build (c, effort);

          g_assert_cmpint (tp_flow_solve (flow), ==, best);
          assert_proved (c, flow, best);
          tp_flow_get_sink_side (flow, found);
          g_assert_cmpmem (found, n, expected, n);
        }
    }
}

/* Of all vertices at once: with many scans what all cuts say, with few no more. */
static void
check_forced (const Case *c, gint64 value, TpFlow *many, TpFlow *few)
{
  gint64 limit = g_test_rand_bit () ? 1 << 30 : g_test_rand_int_range (1, 50);
  TpFlowForced exact[16], least[16];
  guint8 wanted[16], unused[16], is_sink[16];

  tp_flow_get_sink_side (many, is_sink);
  for (int v = 0; v < c->n; v++)
    wanted[v] = g_test_rand_int_range (0, 4) > 0;
  tp_flow_force_all (many, wanted, limit, 1 << 20, exact);
  tp_flow_force_all (few, wanted, limit, g_test_rand_int_range (0, 200),
                     least);
  for (int v = 0; v < c->n; v++)
    {
      gint64 growth = brute_force (c, v, !is_sink[v], unused) - value;

      if (!wanted[v])
        continue;
      g_assert_true (exact[v].is_exact);
      g_assert_cmpint (exact[v].amount, ==, MIN (growth, limit));
      g_assert_cmpint (least[v].amount, >=, 0);
      g_assert_cmpint (least[v].amount, <=, exact[v].amount);
      if (least[v].is_exact)
        g_assert_cmpint (least[v].amount, ==, exact[v].amount);
    }
}

/* One tensor that all others read, as the copy of it: who forces them passes it
 * every time, and may not look at all of them there. */
static void
test_force_fan (void)
{
  const int n = 5000;
  g_autoptr (TpFlow) flow = tp_flow_new (n + 1);
  g_autofree guint8 *wanted = g_new (guint8, n + 1);
  g_autofree TpFlowForced *forced = g_new (TpFlowForced, n + 1);

  memset (wanted, 1, n + 1);
  tp_flow_add_terminal (flow, n, 100, 0);
  for (int v = 0; v < n; v++)
    {
      tp_flow_add_terminal (flow, v, 10 + v, 0);
      tp_flow_add_pair (flow, n, v, 1000, 0);
    }
  g_assert_cmpint (tp_flow_solve (flow), ==, 0);
  tp_flow_force_all (flow, wanted, G_MAXINT32, 50 * n, forced);
  for (int v = 0; v < n; v++)
    {
      g_assert_true (forced[v].is_exact);
      g_assert_cmpint (forced[v].amount, ==, 110 + v);
    }
}

static void
test_force (void)
{
  for (int round = 0; round < 300; round++)
    {
      int n = g_test_rand_int_range (1, 10);
      g_autoptr (Case) c = case_random (n, 3 * n, round % 2 ? 4 : 1000);
      g_autoptr (TpFlow) flow = case_build (c, round % 3 ? 64 : 0);
      gint64 value = tp_flow_solve (flow);
      g_autoptr (TpFlow) copy = tp_flow_dup (flow);

      check_forced (c, value, flow, copy);
    }
}

/* Both methods agree where no oracle can follow. */
static void
assert_methods_agree (const Case *c)
{
  gint64 first = solve_and_prove (c, G_MAXINT32);

  g_assert_cmpint (solve_and_prove (c, TP_FLOW_EFFORT), ==, first);
  g_assert_cmpint (solve_and_prove (c, 1), ==, first);
  g_assert_cmpint (solve_and_prove (c, 0), ==, first);
}

static void
test_random_large (void)
{
  for (int round = 0; round < 20; round++)
    {
      g_autoptr (Case) c = case_random (2000, 2000 * (1 + round % 5), 100);
      assert_methods_agree (c);
    }
}

static void
test_grid (void)
{
  int side = 60;
  g_autoptr (Case) c = case_new (side * side);

  for (int i = 0; i < side * side; i++)
    {
      c->from_source[i] = g_test_rand_int_range (0, 200);
      c->to_sink[i] = g_test_rand_int_range (0, 200);
      if (i % side + 1 < side)
        case_add (c, i, i + 1, g_test_rand_int_range (0, 80),
                  g_test_rand_int_range (0, 80));
      if (i / side + 1 < side)
        case_add (c, i, i + side, g_test_rand_int_range (0, 80),
                  g_test_rand_int_range (0, 80));
    }
  assert_methods_agree (c);
}

/* A million vertices in a row: nothing may recurse. The whole flow passes every
 * arc when only the ends touch a terminal. */
static void
test_chain (gconstpointer data)
{
  int n = 1000000;
  gboolean only_ends = GPOINTER_TO_INT (data);
  g_autoptr (Case) c = case_new (n);

  for (int v = 0; v < n; v++)
    {
      if (!only_ends || v == 0)
        c->from_source[v] = g_test_rand_int_range (1, 1000);
      if (!only_ends || v == n - 1)
        c->to_sink[v] = g_test_rand_int_range (1, 1000);
      if (v + 1 < n)
        case_add (c, v, v + 1, g_test_rand_int_range (1, 400),
                  g_test_rand_int_range (1, 400));
    }
  g_assert_cmpint (solve_and_prove (c, TP_FLOW_EFFORT), >, 0);
  if (only_ends)
    g_assert_cmpint (solve_and_prove (c, 0), >, 0);
}

/* A hub whose parent arc fills up again and again, one unit at a time: the
 * first method looks through all its arcs each time, and must give up. */
static void
test_hub (void)
{
  int n = 3000, hub = 0;
  g_autoptr (Case) c = case_new (2 * n + 1);
  g_autoptr (TpFlow) flow = NULL;
  gint64 value;

  for (int i = 0; i < n; i++)
    {
      c->from_source[1 + i] = 1;
      case_add (c, 1 + i, hub, 1, 0);
      c->to_sink[1 + n + i] = 1;
      case_add (c, hub, 1 + n + i, 1, 0);
    }
  flow = case_build (c, TP_FLOW_EFFORT);
  value = tp_flow_solve (flow);
  g_assert_cmpint (value, ==, n);
  assert_proved (c, flow, value);
  g_assert_true (tp_flow_has_switched (flow));
}

/* Ladders whose shortest paths get longer with every phase. */
static void
test_ladder (void)
{
  int k = 300;
  g_autoptr (Case) c = case_new (2 * k);

  c->from_source[0] = c->from_source[k] = G_MAXINT32;
  c->to_sink[k - 1] = c->to_sink[2 * k - 1] = G_MAXINT32;
  for (int i = 0; i < k; i++)
    {
      if (i + 1 < k)
        {
          case_add (c, i, i + 1, k - i, i);
          case_add (c, k + i, k + i + 1, i + 1, 1);
        }
      case_add (c, i, k + i, 1, 1);
      case_add (c, i, 2 * k - 1 - i, 1, 0);
    }
  assert_methods_agree (c);
}

/* Infinite arcs as the planner uses them: one more than all finite ones. */
static void
test_infinite (void)
{
  gint64 infinite = (G_GINT64_CONSTANT (1) << 62);
  gint64 big = infinite / 4 - 1;
  g_autoptr (Case) c = case_new (4);

  c->from_source[0] = infinite;
  c->to_sink[3] = infinite;
  case_add (c, 0, 1, infinite, big);
  case_add (c, 1, 2, big, 0);
  case_add (c, 0, 2, big, 0);
  case_add (c, 2, 3, infinite, 0);
  g_assert_cmpint (solve_and_prove (c, TP_FLOW_EFFORT), ==, 2 * big);
  g_assert_cmpint (solve_and_prove (c, 0), ==, 2 * big);
}

/* Carried on after capacities rose, a flow is as large as one found anew; the
 * flow it was copied from stays. */
static void
test_raise (void)
{
  for (int round = 0; round < 200; round++)
    {
      int n = g_test_rand_int_range (1, 60);
      g_autoptr (Case) c = case_random (n, 3 * n, 20);
      g_autoptr (TpFlow) before
          = case_build (c, round % 2 ? TP_FLOW_EFFORT : 0);
      gint64 low = tp_flow_solve (before), high;
      g_autoptr (TpFlow) flow = tp_flow_dup (before);

      for (guint k = 0; k < c->pairs->len; k++)
        {
          TestPair *pair = &g_array_index (c->pairs, TestPair, k);
          int more = g_test_rand_int_range (0, 9), back = round % 3;

          pair->capacity += more;
          pair->reverse += back;
          tp_flow_raise_pair (flow, (int) k, more, back);
        }
      for (int v = 0; v < n; v += 3)
        {
          c->from_source[v] += v;
          c->to_sink[v] += 7;
          tp_flow_raise_terminal (flow, v, v, 7);
        }
      high = tp_flow_resume (flow);
      assert_proved (c, flow, high);
      g_assert_cmpint (high, ==, solve_and_prove (c, TP_FLOW_EFFORT));
      g_assert_cmpint (low, <=, high);
      g_assert_cmpint (tp_flow_resume (before), ==, low);
    }
}

/* Other capacities of the same arcs, again and again, are as good as a flow made of
 * them. */
static void
test_set (void)
{
  for (int round = 0; round < 60; round++)
    {
      int n = g_test_rand_int_range (1, 60);
      g_autoptr (Case) c = case_random (n, 3 * n, 20);
      g_autoptr (TpFlow) flow
          = case_build (c, round % 2 ? TP_FLOW_EFFORT : 0);

      tp_flow_solve (flow);
      for (int again = 0; again < 5; again++)
        {
          gint64 value;

          for (guint k = 0; k < c->pairs->len; k++)
            {
              TestPair *pair = &g_array_index (c->pairs, TestPair, k);

              pair->capacity = g_test_rand_int_range (0, 20);
              pair->reverse = g_test_rand_int_range (0, 3);
              tp_flow_set_pair (flow, (int) k, pair->capacity, pair->reverse);
            }
          for (int v = 0; v < n; v++)
            {
              c->from_source[v] = g_test_rand_int_range (0, 10);
              c->to_sink[v] = g_test_rand_int_range (0, 10);
              tp_flow_set_terminal (flow, v, c->from_source[v],
                                    c->to_sink[v]);
            }
          value = tp_flow_resume (flow);
          assert_proved (c, flow, value);
          g_assert_cmpint (value, ==, solve_and_prove (c, TP_FLOW_EFFORT));
        }
    }
}

static void
test_empty (void)
{
  g_autoptr (Case) none = case_new (0);
  g_autoptr (Case) apart = case_new (3);

  apart->from_source[0] = 5;
  apart->to_sink[2] = 5;
  case_add (apart, 0, 1, 0, 7);
  g_assert_cmpint (solve_and_prove (none, TP_FLOW_EFFORT), ==, 0);
  g_assert_cmpint (solve_and_prove (apart, TP_FLOW_EFFORT), ==, 0);
  g_assert_cmpint (solve_and_prove (apart, 0), ==, 0);
}

#ifdef HAVE_GLPK
static void
set_edge (glp_graph *graph, int from, int to, gint64 capacity)
{
  glp_arc *arc = glp_add_arc (graph, from, to);
  double value = capacity;

  memcpy (arc->data, &value, sizeof value);
}

static void
test_glpk (void)
{
  for (int round = 0; round < 30; round++)
    {
      int n = g_test_rand_int_range (10, 200);
      g_autoptr (Case) c = case_random (n, 4 * n, 50);
      glp_graph *graph = glp_create_graph (0, 2 * sizeof (double));
      double value;

      glp_add_vertices (graph, n + 2);
      for (int v = 0; v < n; v++)
        {
          set_edge (graph, n + 1, v + 1, c->from_source[v]);
          set_edge (graph, v + 1, n + 2, c->to_sink[v]);
        }
      for (guint k = 0; k < c->pairs->len; k++)
        {
          TestPair *pair = &g_array_index (c->pairs, TestPair, k);
          set_edge (graph, pair->u + 1, pair->v + 1, pair->capacity);
          set_edge (graph, pair->v + 1, pair->u + 1, pair->reverse);
        }
      g_assert_cmpint (glp_maxflow_ffalg (graph, n + 1, n + 2, 0, &value,
                                          sizeof (double), -1),
                       ==, 0);
      g_assert_cmpint (solve_and_prove (c, TP_FLOW_EFFORT), ==, value);
      g_assert_cmpint (solve_and_prove (c, 0), ==, value);
      glp_delete_graph (graph);
    }
}
#endif

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/maxflow/empty", test_empty);
  g_test_add_func ("/maxflow/brute-force", test_brute_force);
  g_test_add_func ("/maxflow/force", test_force);
  g_test_add_func ("/maxflow/force-fan", test_force_fan);
  g_test_add_func ("/maxflow/random-large", test_random_large);
  g_test_add_func ("/maxflow/grid", test_grid);
  g_test_add_data_func ("/maxflow/chain", GINT_TO_POINTER (FALSE), test_chain);
  g_test_add_data_func ("/maxflow/chain-ends", GINT_TO_POINTER (TRUE),
                        test_chain);
  g_test_add_func ("/maxflow/hub", test_hub);
  g_test_add_func ("/maxflow/ladder", test_ladder);
  g_test_add_func ("/maxflow/infinite", test_infinite);
  g_test_add_func ("/maxflow/raise", test_raise);
  g_test_add_func ("/maxflow/set", test_set);
#ifdef HAVE_GLPK
  g_test_add_func ("/maxflow/glpk", test_glpk);
#endif
  return g_test_run ();
}
