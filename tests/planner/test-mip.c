/* test-mip.c: placements of middling graphs against a mixed integer program. */
#include "config.h"

#include "place-case.h"
#include "random-graph.h"

#include <glpk.h>

typedef struct
{
  glp_prob *problem;
  const TpTestCase *test;
} Mip;

/* A column in [0, 1] with cost @cost. */
static int
add_column (Mip *mip, double cost)
{
  int column = glp_add_cols (mip->problem, 1);

  glp_set_col_bnds (mip->problem, column, GLP_DB, 0, 1);
  glp_set_obj_coef (mip->problem, column, cost);
  return column;
}

/* a * @x + b * @y <= @limit; y may be 0. */
static void
add_row (Mip *mip, int x, double a, int y, double b, double limit)
{
  int row = glp_add_rows (mip->problem, 1);
  int columns[] = { 0, x, y };
  double values[] = { 0, a, b };

  glp_set_row_bnds (mip->problem, row, GLP_UP, 0, limit);
  glp_set_mat_row (mip->problem, row, y > 0 ? 2 : 1, columns, values);
}

/* Column i + 1 is 1 when node i is on the device. */
static double
add_nodes (Mip *mip)
{
  const TpTestCase *test = mip->test;
  double constant = 0;

  for (int i = 0; i < test->graph->n_nodes; i++)
    {
      const char *const *pins = test->graph->nodes[i].pins;
      gint64 host = tp_costs_node (test->costs, i, 0)->time_ns;
      gint64 device = tp_costs_node (test->costs, i, 1)->time_ns;
      gboolean no_host = host == TP_COST_NONE
                         || (pins && !g_strv_contains (pins, "cpu"));
      gboolean no_device = device == TP_COST_NONE
                           || (pins && !g_strv_contains (pins, "opencl:0"));
      int column = add_column (mip, 0);

      glp_set_col_kind (mip->problem, column, GLP_BV);
      if (no_host || no_device)
        glp_set_col_bnds (mip->problem, column, GLP_FX, no_host, no_host);
      host = no_host ? 0 : host;
      device = no_device ? 0 : device;
      glp_set_obj_coef (mip->problem, column, device - host);
      constant += host;
    }
  return constant;
}

/* Side of the producer; @constant when it is no column. */
typedef struct
{
  int column;                 /* 0: none */
  double constant;
} Side;

/* @copy >= 1 when @reader is on the second device (first: is not) and @home is
 * not (is). */
static void
add_copy_row (Mip *mip, int copy, Side reader, Side home, gboolean is_second)
{
  int sign = is_second ? 1 : -1, n = 1, row = glp_add_rows (mip->problem, 1);
  int columns[4] = { 0, copy };
  double values[4] = { 0, -1 };
  double limit = sign * (home.constant - reader.constant);

  if (reader.column > 0)
    columns[++n] = reader.column, values[n] = sign;
  if (home.column > 0)
    columns[++n] = home.column, values[n] = -sign;
  glp_set_row_bnds (mip->problem, row, GLP_UP, 0, limit);
  glp_set_mat_row (mip->problem, row, n, columns, values);
}

/* A column for the copy of @tensor to device @to, with a row for each reader. */
static void
add_copy (Mip *mip, int index, int to)
{
  const TpCosts *costs = mip->test->costs;
  const TpTensor *tensor = &mip->test->graph->tensors[index];
  int from = tensor->producer < 0 ? TP_COSTS_HOST : 1 - to;
  /* what comes from the caller is on neither device */
  Side home = { tensor->producer + 1, tensor->producer < 0 ? 1 - to : 0 };
  int copy
      = add_column (mip, tp_costs_copy (costs, index, from, to).time_ns);

  if (tensor->is_output && tensor->producer >= 0 && costs->host == to)
    add_copy_row (mip, copy, (Side){ 0, to }, home, to == 1);
  for (int k = 0; k < tensor->n_consumers; k++)
    add_copy_row (mip, copy, (Side){ tensor->consumers[k] + 1, 0 }, home,
                  to == 1);
}

/* Returns what fetching outputs costs however they are placed. */
static double
add_tensors (Mip *mip)
{
  const TpTestCase *test = mip->test;
  double constant = 0;

  for (int i = 0; i < test->graph->n_tensors; i++)
    {
      const TpTensor *tensor = &test->graph->tensors[i];
      int producer = tensor->producer + 1;
      gint64 fetch[2];

      if (tp_tensor_is_constant (tensor) || tensor->state > 0)
        continue;
      for (int d = 0; d < 2; d++)
        {
          add_copy (mip, i, d);
          fetch[d] = tp_costs_copy (test->costs, i, d, TP_COSTS_HOST).time_ns;
        }
      if (!tensor->is_output || producer == 0
          || test->costs->host != TP_COSTS_HOST)
        continue;
      constant += fetch[0];
      glp_set_obj_coef (mip->problem, producer,
                        glp_get_obj_coef (mip->problem, producer) + fetch[1]
                            - fetch[0]);
    }
  return constant;
}

/* A group's gain is had when all members are there. */
static void
add_groups (Mip *mip)
{
  const TpTestCase *test = mip->test;

  for (int g = 0; g < test->groups->n_groups; g++)
    for (int d = 0; d < 2; d++)
      {
        const TpGroup *group = &test->groups->groups[g];
        gint64 fused = tp_costs_group (test->costs, g, d)->time_ns, gain = 0;
        gboolean can = fused != TP_COST_NONE;
        int column;

        for (int k = 0; k < group->n_nodes; k++)
          {
            gint64 cost
                = tp_costs_node (test->costs, group->nodes[k], d)->time_ns;

            can = can && cost != TP_COST_NONE;
            gain += can ? cost : 0;
          }
        if (!can || gain <= fused)
          continue;
        column = add_column (mip, -(double) (gain - fused));
        for (int k = 0; k < group->n_nodes; k++)
          add_row (mip, column, 1, group->nodes[k] + 1, d == 0 ? 1 : -1,
                   d == 0 ? 1 : 0);
      }
}

static void
add_equal (Mip *mip, int node, int other)
{
  add_row (mip, node + 1, 1, other + 1, -1, 0);
  add_row (mip, other + 1, 1, node + 1, -1, 0);
}

/* All that read or make what is state, of which there is one. */
static void
add_state (Mip *mip)
{
  const TpGraph *graph = mip->test->graph;
  int first = -1;

  for (int i = 0; i < graph->n_tensors; i++)
    for (int k = -1; k < graph->tensors[i].n_consumers; k++)
      {
        const TpTensor *it = &graph->tensors[i];
        int node = k < 0 ? it->producer : it->consumers[k];

        if (it->state == 0 || node < 0)
          continue;
        if (first >= 0 && first != node)
          add_equal (mip, first, node);
        first = first < 0 ? node : first;
      }
}

/* Ops of one name are on one device. */
static void
add_together (Mip *mip)
{
  const TpGraph *graph = mip->test->graph;

  for (int i = 0; i < graph->n_nodes; i++)
    for (int k = 0; k < i && graph->nodes[i].colocation != NULL; k++)
      if (g_strcmp0 (graph->nodes[i].colocation, graph->nodes[k].colocation)
          == 0)
        add_equal (mip, i, k);
}

static double
solve_mip (const TpTestCase *test)
{
  Mip mip = { glp_create_prob (), test };
  glp_iocp options;
  double value = add_nodes (&mip);

  value += add_tensors (&mip);
  add_groups (&mip);
  add_together (&mip);
  add_state (&mip);
  glp_init_iocp (&options);
  options.presolve = GLP_ON;
  g_assert_cmpint (glp_intopt (mip.problem, &options), ==, 0);
  value += glp_mip_obj_val (mip.problem);
  glp_delete_prob (mip.problem);
  return value;
}

static void
test_mip (void)
{
  glp_term_out (GLP_OFF);
  for (int round = 0; round < 60; round++)
    {
      TpTestSpec spec = tp_test_spec_together (20 + round);
      g_autoptr (TpTestCase) test = tp_test_case_new (&spec);
      g_autoptr (TpPlan) plan = tp_test_place (test, "time");

      g_assert_cmpfloat_with_epsilon (solve_mip (test), plan->cost_ns, 0.01);
    }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/mip/random", test_mip);
  return g_test_run ();
}
