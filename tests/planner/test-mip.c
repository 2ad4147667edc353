/* test-mip.c: placements of middling graphs against a mixed integer program. */
#include "config.h"

#include "planner/planner.h"
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

/* copy >= reader's side - producer's side, and the other way round. */
static void
add_tensors (Mip *mip)
{
  const TpTestCase *test = mip->test;

  for (int i = 0; i < test->graph->n_tensors; i++)
    {
      const TpTensor *tensor = &test->graph->tensors[i];
      int producer = tensor->producer + 1;
      int there, back;

      if (tp_tensor_is_constant (tensor))
        continue;
      there = add_column (mip, tp_costs_copy (test->costs, i, 0, 1).time_ns);
      back = add_column (mip, tp_costs_copy (test->costs, i, 1, 0).time_ns);
      if (tensor->is_output && producer > 0)
        add_row (mip, producer, 1, back, -1, 0);
      for (int k = 0; k < tensor->n_consumers; k++)
        {
          int columns[] = { 0, tensor->consumers[k] + 1, there, producer };
          double values[] = { 0, 1, -1, -1 };
          int row = glp_add_rows (mip->problem, 1);

          glp_set_row_bnds (mip->problem, row, GLP_UP, 0, 0);
          glp_set_mat_row (mip->problem, row, producer > 0 ? 3 : 2, columns,
                           values);
          if (producer == 0)
            continue;
          row = glp_add_rows (mip->problem, 1);
          columns[2] = back;
          values[1] = -1;
          values[3] = 1;
          glp_set_row_bnds (mip->problem, row, GLP_UP, 0, 0);
          glp_set_mat_row (mip->problem, row, 3, columns, values);
        }
    }
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

static double
solve_mip (const TpTestCase *test)
{
  Mip mip = { glp_create_prob (), test };
  glp_iocp options;
  double value = add_nodes (&mip);

  add_tensors (&mip);
  add_groups (&mip);
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
      TpTestSpec spec = tp_test_spec_random (20 + round);
      g_autoptr (TpTestCase) test = tp_test_case_new (&spec);
      g_autoptr (TpPlan) plan = tp_place (test->graph, test->groups,
                                          test->costs, "time", NULL);

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
