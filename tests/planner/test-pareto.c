/* test-pareto.c: all corners of what placements take of two things, against all
 * placements. */
#include "config.h"

#include "place-case.h"
#include "planner/break-even.h"
#include "planner/pareto.h"
#include "random-rates.h"

#include <stdlib.h>

#define MAX_OPS 9

typedef struct
{
  gint64 x, y;
} Point;

__extension__ typedef __int128 Wide;

static int
compare (const void *a, const void *b)
{
  const Point *p = a, *q = b;

  if (p->x != q->x)
    return p->x < q->x ? -1 : 1;
  return (p->y > q->y) - (p->y < q->y);
}

/* Of all placements. */
static int
list_points (const TpTestCase *test, TpAim first, TpAim second, Point *out)
{
  int n = test->graph->n_nodes, n_points = 0;
  guint8 devices[MAX_OPS + 1] = { 0 };

  do
    {
      gint64 totals[TP_N_AIMS];

      if (tp_test_case_take (test, devices, totals))
        out[n_points++] = (Point){ totals[first], totals[second] };
    }
  while (tp_test_step_devices (devices, n, test->costs->n_devices));
  qsort (out, n_points, sizeof *out, compare);
  return n_points;
}

/* A corner is no worse than a mean of two others in both, nor than another. */
static gboolean
is_corner (const Point *points, int n, int index)
{
  const Point *it = &points[index];

  for (int i = 0; i < n; i++)
    {
      const Point *a = &points[i];

      if ((a->x != it->x || a->y != it->y) && a->x <= it->x && a->y <= it->y)
        return FALSE;
      for (int k = i + 1; k < n && a->x < it->x; k++)
        {
          const Point *b = &points[k];

          if (b->x > it->x
              && (Wide) (it->y - a->y) * (b->x - a->x)
                     >= (Wide) (b->y - a->y) * (it->x - a->x))
            return FALSE;
        }
    }
  return TRUE;
}

/* Those that are corners, each once. */
static int
keep_corners (const Point *points, int n, Point *out)
{
  int n_kept = 0;

  for (int i = 0; i < n; i++)
    if ((i == 0 || compare (&points[i], &points[i - 1]) != 0)
        && is_corner (points, n, i))
      out[n_kept++] = points[i];
  return n_kept;
}

static TpPareto *
find (const TpTestCase *test, const TpAim *pair)
{
  g_autoptr (GError) error = NULL;
  const TpParetoTask task
      = { test->graph, test->groups, test->costs, NULL, 2, pair };
  TpPareto *pareto = tp_pareto_find (&task, &error);

  g_assert_no_error (error);
  return pareto;
}

static const TpAim pairs[][2] = { { TP_AIM_TIME, TP_AIM_ENERGY },
                                  { TP_AIM_TIME, TP_AIM_PRICE },
                                  { TP_AIM_ENERGY, TP_AIM_PRICE } };

static void
test_brute_force (void)
{
  static Point points[1 << MAX_OPS], corners[1 << MAX_OPS];
  int n_inner = 0;

  for (int round = 0; round < 900; round++)
    {
      TpTestSpec spec
          = tp_test_spec_random (g_test_rand_int_range (1, MAX_OPS));
      const TpAim *pair = pairs[round % 3];
      g_autoptr (TpTestCase) test = tp_test_case_new (&spec);
      g_autoptr (TpPareto) pareto = NULL;
      int n;

      tp_test_case_rate (test);
      pareto = find (test, pair);
      n = list_points (test, pair[0], pair[1], points);
      n = keep_corners (points, n, corners);
      g_assert_true (pareto->is_complete);
      g_assert_cmpint (pareto->n_points, ==, n);
      g_assert_cmpint (pareto->n_plans, <=, 2 * n + 1);
      for (int i = 0; i < n; i++)
        {
          const gint64 *totals = pareto->plans[i]->rate_proof->totals;

          tp_test_assert_checked (pareto->plans[i], test->graph);
          g_assert_cmpint (totals[pair[0]], ==, corners[i].x);
          g_assert_cmpint (totals[pair[1]], ==, corners[i].y);
        }
      n_inner += MAX (n - 2, 0);
    }
  g_test_message ("%d corners between ends", n_inner);
  g_assert_cmpint (n_inner, >, 50);
}

/* On three devices and more, where each is proved to be the least; the same points then,
 * but that weights may be too coarse for some. */
static void
test_several (void)
{
  static Point points[1 << 12], corners[1 << 12];
  int n_complete = 0, n_rounds = 300;

  for (int round = 0; round < n_rounds; round++)
    {
      TpTestSpec spec = tp_test_spec_random (g_test_rand_int_range (1, 7));
      const TpAim *pair = pairs[round % 3];
      g_autoptr (TpTestCase) test = NULL;
      g_autoptr (TpPareto) pareto = NULL;
      int n;

      spec.n_devices = 3 + round % 2;
      spec.host = round % 5 == 0 ? TP_COSTS_HOST : round % spec.n_devices;
      test = tp_test_case_new (&spec);
      tp_test_case_rate (test);
      pareto = find (test, pair);
      n = list_points (test, pair[0], pair[1], points);
      n = keep_corners (points, n, corners);
      for (int i = 0; i < pareto->n_points; i++)
        tp_test_assert_checked (pareto->plans[i], test->graph);
      g_assert_cmpint (pareto->n_proved, <=, pareto->n_plans);
      if (!pareto->is_complete)
        continue;
      n_complete++;
      g_assert_cmpint (pareto->n_points, ==, n);
      for (int i = 0; i < n; i++)
        {
          const gint64 *totals = pareto->plans[i]->rate_proof->totals;

          g_assert_cmpint (totals[pair[0]], ==, corners[i].x);
          g_assert_cmpint (totals[pair[1]], ==, corners[i].y);
        }
    }
  g_test_message ("%d of %d are complete", n_complete, n_rounds);
  g_assert_cmpint (n_complete, >=, n_rounds * 9 / 10);
}

/* What one is worth of the other falls from corner to corner. */
static void
test_rates (void)
{
  for (int round = 0; round < 50; round++)
    {
      TpTestSpec spec = tp_test_spec_random (g_test_rand_int_range (10, 60));
      g_autoptr (TpTestCase) test = tp_test_case_new (&spec);
      g_autoptr (TpPareto) pareto = NULL;

      tp_test_case_rate (test);
      pareto = find (test, pairs[0]);
      g_assert_cmpint (pareto->n_points, >, 0);
      for (int i = 0; i + 1 < pareto->n_points; i++)
        {
          g_assert_cmpfloat (tp_pareto_find_rate (pareto, i), >,
                             tp_pareto_find_rate (pareto, i + 1));
          g_assert_cmpint (pareto->plans[i]->cost_ns, <,
                           pareto->plans[i + 1]->cost_ns);
        }
      g_assert_cmpint (pareto->plans[0]->cost_ns, ==,
                       pareto->plans[0]->bound_ns);
    }
}

/* Times that are so long that worths have to be rounded: what is found is the same,
 * or it is said that something may lack. */
static void
test_large (void)
{
  static Point points[1 << MAX_OPS], corners[1 << MAX_OPS];
  int n_incomplete = 0;

  for (int round = 0; round < 100; round++)
    {
      TpTestSpec spec = { .n_ops = 7, .max_cost = 1 << 30, .host = round % 2 };
      g_autoptr (TpTestCase) test = tp_test_case_new (&spec);
      g_autoptr (TpPareto) pareto = NULL;
      int n, at = 0;

      tp_test_case_rate (test);
      for (int d = 0; d < 2; d++)
        {
          test->costs->rates[d].busy_mw *= 1009;
          test->costs->rates[d].idle_mw *= 1013;
          test->costs->rates[d].busy_mw += test->costs->rates[d].idle_mw;
        }
      tp_costs_seal (test->costs);
      pareto = find (test, pairs[0]);
      n = list_points (test, TP_AIM_TIME, TP_AIM_ENERGY, points);
      n = keep_corners (points, n, corners);
      for (int i = 0; i < n && at < pareto->n_points; i++)
        at += pareto->plans[at]->rate_proof->totals[0] == corners[i].x
              && pareto->plans[at]->rate_proof->totals[1] == corners[i].y;
      g_assert_cmpint (at, ==, pareto->n_points);
      if (pareto->is_complete)
        g_assert_cmpint (n, ==, pareto->n_points);
      n_incomplete += !pareto->is_complete;
    }
  g_test_message ("%d of 100 are not known to be complete", n_incomplete);
}

/* ---- prices --------------------------------------------------------------- */

/* What a placement costs with nothing paid for a device, and how that rises with its
 * price. */
typedef struct
{
  gint64 fixed, rising;
  gboolean is_used;           /* the device is */
} Offer;

static int
list_offers (TpTestCase *test, int device, Offer *out)
{
  int n = test->graph->n_nodes, n_devices = test->costs->n_devices, n_offers = 0;
  gint64 *price = &test->costs->rates[device].price, kept = *price;
  guint8 devices[MAX_OPS + 1] = { 0 };

  do
    {
      gint64 free[TP_N_AIMS], paid[TP_N_AIMS];

      *price = 0;
      if (tp_test_case_take (test, devices, free))
        {
          *price = 1;
          tp_test_case_take (test, devices, paid);
          out[n_offers] = (Offer){ free[TP_AIM_PRICE],
                                   paid[TP_AIM_PRICE] - free[TP_AIM_PRICE], FALSE };
          for (int k = 0; k < n; k++)
            out[n_offers].is_used |= devices[k] == device;
          n_offers++;
        }
    }
  while (tp_test_step_devices (devices, n, n_devices));
  *price = kept;
  return n_offers;
}

/* The most that any placement with an op on @device may cost an hour and still cost
 * less than all without; -1: none may; TP_RATE_MAX: any price, or there is nothing
 * without. */
static gint64
try_prices (TpTestCase *test, int device)
{
  static Offer offers[1 << 12];
  int n = list_offers (test, device, offers);
  gint64 without = TP_COST_NONE, best = -1;

  for (int i = 0; i < n; i++)
    if (!offers[i].is_used)
      without = MIN (without, offers[i].fixed);
  for (int i = 0; i < n; i++)
    {
      gint64 saved = without - offers[i].fixed, rising = offers[i].rising;

      if (offers[i].is_used && saved > 0)
        best = MAX (best, rising == 0 ? TP_RATE_MAX : (saved - 1) / rising);
    }
  return without == TP_COST_NONE ? TP_RATE_MAX : MIN (best, TP_RATE_MAX);
}

static TpBreakEven
find_even (const TpTestCase *test, int device)
{
  const TpBreakEvenTask task
      = { test->graph, test->groups, test->costs, NULL };
  g_autoptr (GError) error = NULL;
  TpBreakEven even;

  g_assert_true (tp_break_even_find (&task, device, &even, &error));
  g_assert_no_error (error);
  g_assert_cmpint (even.device, ==, device);
  return even;
}

/* TRUE: it is a price. */
static gboolean
check_even (const TpBreakEven *even, gint64 most)
{
  if (most >= TP_RATE_MAX)
    g_assert_cmpint (even->kind, ==, TP_BREAK_EVEN_ALWAYS);
  else if (most < 0)
    g_assert_cmpint (even->kind, ==, TP_BREAK_EVEN_NEVER);
  else
    {
      g_assert_cmpint (even->kind, ==, TP_BREAK_EVEN_BELOW);
      g_assert_cmpint (even->price, ==, most);
    }
  return even->kind == TP_BREAK_EVEN_BELOW;
}

static void
test_break_even (void)
{
  int n_below = 0;

  for (int round = 0; round < 600; round++)
    {
      TpTestSpec spec
          = tp_test_spec_random (g_test_rand_int_range (1, MAX_OPS));
      g_autoptr (TpTestCase) test = NULL;
      TpBreakEven even;

      spec.host = round % 2;
      test = tp_test_case_new (&spec);
      tp_test_case_rate (test);
      /* low prices ask for one after the other */
      test->costs->rates[spec.host].price *= round % 4 < 2 ? 1000 : 1;
      even = find_even (test, 1 - spec.host);
      g_assert_true (even.is_proved);
      n_below += check_even (&even, try_prices (test, 1 - spec.host));
    }
  g_assert_cmpint (n_below, >, 50);
}

/* Of each device beside the host, at the prices of the others. */
static void
test_break_even_several (void)
{
  int n_below = 0, n_proved = 0, n_asked = 0;

  for (int round = 0; round < 200; round++)
    {
      TpTestSpec spec = tp_test_spec_random (g_test_rand_int_range (1, 7));
      g_autoptr (TpTestCase) test = NULL;

      spec.n_devices = 3 + round % 2;
      spec.host = round % 5 == 0 ? TP_COSTS_HOST : round % spec.n_devices;
      test = tp_test_case_new (&spec);
      tp_test_case_rate (test);
      for (int d = 0; d < spec.n_devices; d++)
        {
          TpBreakEven even;

          if (d == spec.host)
            continue;
          test->costs->rates[d].price *= 100;
          even = find_even (test, d);
          n_asked++;
          if (!even.is_proved)
            continue;
          n_proved++;
          n_below += check_even (&even, try_prices (test, d));
        }
    }
  g_test_message ("%d of %d are proved, %d are prices", n_proved, n_asked,
                  n_below);
  g_assert_cmpint (n_proved, >=, n_asked * 9 / 10);
  g_assert_cmpint (n_below, >, 50);
}

static void
test_refused (void)
{
  TpTestSpec spec = { .n_ops = 3, .max_cost = 9 };
  g_autoptr (TpTestCase) test = tp_test_case_new (&spec);
  const TpParetoTask task
      = { test->graph, test->groups, test->costs, NULL, 2, pairs[0] };
  g_autoptr (GError) error = NULL;

  g_assert_null (tp_pareto_find (&task, &error));
  g_assert_error (error, TPLAN_ERROR, TPLAN_ERROR_USAGE);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/pareto/brute-force", test_brute_force);
  g_test_add_func ("/pareto/several", test_several);
  g_test_add_func ("/pareto/rates", test_rates);
  g_test_add_func ("/pareto/large", test_large);
  g_test_add_func ("/pareto/break-even", test_break_even);
  g_test_add_func ("/pareto/break-even-several", test_break_even_several);
  g_test_add_func ("/pareto/refused", test_refused);
  return g_test_run ();
}
