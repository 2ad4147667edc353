/* test-given.c: groups of which the graph says what they cost as one kernel, against all
 * placements there are: what they cost is added up from the numbers the graph is made of. */
#include <glib.h>
#include <string.h>
#include <tplan.h>

#define MAX_OPS 7
#define N_ROUNDS 120
#define NONE G_MAXINT64

static const char *const devices[]
    = { "sim:desktop-cpu", "sim:desktop-gpu", "sim:laptop-gpu", NULL };

#define N_DEVICES 3

/* Tensor 0 is the input, tensor 1 + i is what op i makes. */
typedef struct
{
  int n_ops, n_devices;
  int inputs[MAX_OPS][2];     /* tensors */
  gint64 costs[MAX_OPS][N_DEVICES];
  gint64 copies[MAX_OPS + 1][N_DEVICES][2]; /* to it, from it */
  gboolean has_several;       /* groups may have several results */
  gboolean is_output[MAX_OPS]; /* also where it is read */
  int group_of[MAX_OPS];      /* -1: none */
  int n_groups;
  gint64 group_costs[MAX_OPS][N_DEVICES];
} Case;

static gint64
draw_cost (int most)
{
  return g_test_rand_int_range (0, 6) == 0 ? NONE
                                           : g_test_rand_int_range (1, most);
}

static gboolean
reads (const Case *it, int op, int tensor)
{
  return it->inputs[op][0] == tensor || it->inputs[op][1] == tensor;
}

/* Whether some op reads what @op makes, and all that do are of @group; of one that may
 * have several results, whether others that do come after @last. */
static gboolean
may_be_in (const Case *it, int op, int group, int last)
{
  gboolean is_read = it->has_several;

  for (int i = 0; i < it->n_ops; i++)
    if (reads (it, i, 1 + op))
      {
        if (it->group_of[i] != group && (!it->has_several || i < last))
          return FALSE;
        is_read = TRUE;
      }
  return is_read;
}

/* Whether anything but what its last op makes leaves @group. */
static gboolean
leaves_early (const Case *it, int group)
{
  int last = it->n_ops - 1;

  while (it->group_of[last] != group)
    last--;
  for (int op = 0; op < last; op++)
    for (int i = 0; i < it->n_ops && it->group_of[op] == group; i++)
      if (it->is_output[op] || (reads (it, i, 1 + op) && i > last))
        return TRUE;
  return FALSE;
}

/* From @last up, as far as nothing else is read outside. */
static void
draw_group (Case *it, int last)
{
  int n = 1, group = it->n_groups;

  it->group_of[last] = group;
  for (int i = last - 1; i >= 0; i--)
    if (it->group_of[i] < 0 && g_test_rand_int_range (0, 4) > 0
        && may_be_in (it, i, group, last))
      {
        it->group_of[i] = group;
        n++;
      }
  if (n == 1)
    {
      it->group_of[last] = -1;
      return;
    }
  for (int d = 0; d < it->n_devices; d++)
    it->group_costs[group][d]
        = g_test_rand_bit () ? NONE : draw_cost (60 * n);
  it->group_costs[group][g_test_rand_int_range (0, it->n_devices)]
      = g_test_rand_int_range (1, 40 * n);
  it->n_groups++;
}

static gboolean
is_read (const Case *it, int op)
{
  for (int i = 0; i < it->n_ops; i++)
    if (reads (it, i, 1 + op))
      return TRUE;
  return FALSE;
}

static void
draw_case (Case *it, int n_devices, gboolean has_several)
{
  memset (it, 0, sizeof *it);
  it->has_several = has_several;
  it->n_ops = g_test_rand_int_range (3, MAX_OPS + 1);
  it->n_devices = n_devices;
  for (int t = 0; t <= it->n_ops; t++)
    for (int d = 1; d < n_devices; d++)
      for (int k = 0; k < 2; k++)
        it->copies[t][d][k] = g_test_rand_int_range (1, 40);
  for (int i = 0; i < it->n_ops; i++)
    {
      it->group_of[i] = -1;
      for (int k = 0; k < 2; k++)
        it->inputs[i][k]
            = g_test_rand_int_range (MAX (0, i - 2), i + 1);
      for (int d = 0; d < n_devices; d++)
        it->costs[i][d] = draw_cost (100);
      it->costs[i][0] = g_test_rand_int_range (1, 150);
    }
  for (int i = 0; i < it->n_ops; i++)
    it->is_output[i] = !is_read (it, i)
                       || (has_several && g_test_rand_int_range (0, 5) == 0);
  for (int i = it->n_ops - 1; i > 0; i--)
    if (it->group_of[i] < 0 && g_test_rand_int_range (0, 3) > 0)
      draw_group (it, i);
}

/* ---- the graph ------------------------------------------------------------ */

static void
write_costs (GString *out, const gint64 *costs, int n)
{
  gboolean is_first = TRUE;

  g_string_append (out, "\"cost\":{");
  for (int d = 0; d < n; d++)
    if (costs[d] != NONE)
      {
        g_string_append_printf (out, "%s\"%s\":%" G_GINT64_FORMAT,
                                is_first ? "" : ",", devices[d], costs[d]);
        is_first = FALSE;
      }
  g_string_append_c (out, '}');
}

static void
write_groups (GString *out, const Case *it)
{
  for (int g = 0; g < it->n_groups; g++)
    {
      gboolean is_first = TRUE;

      g_string_append (out, g == 0 ? "\"groups\":[{\"ops\":[" : ",{\"ops\":[");
      for (int i = it->n_ops - 1; i >= 0; i--) /* in whatever order */
        if (it->group_of[i] == g)
          {
            g_string_append_printf (out, "%s\"op%d\"", is_first ? "" : ",", i);
            is_first = FALSE;
          }
      g_string_append (out, "],");
      write_costs (out, it->group_costs[g], it->n_devices);
      g_string_append (out, g + 1 == it->n_groups ? "}]," : "}");
    }
}

static void
write_ends (GString *out, const Case *it)
{
  const char *comma = "";

  g_string_append (out, "\"outputs\":[");
  for (int i = 0; i < it->n_ops; i++)
    {
      if (!it->is_output[i])
        continue;
      g_string_append_printf (out, "%s\"t%d\"", comma, 1 + i);
      comma = ",";
    }
  g_string_append (out, "],\"copies\":{");
  for (int t = 0; t <= it->n_ops && it->n_devices > 1; t++)
    {
      g_string_append_printf (out, "%s\"t%d\":{", t > 0 ? "," : "", t);
      for (int d = 1; d < it->n_devices; d++)
        g_string_append_printf (
            out, "%s\"%s\":{\"to\":%" G_GINT64_FORMAT ",\"from\":%"
            G_GINT64_FORMAT "}", d > 1 ? "," : "", devices[d],
            it->copies[t][d][0], it->copies[t][d][1]);
      g_string_append_c (out, '}');
    }
  g_string_append (out, "},");
}

static TplanGraph *
make_graph (const Case *it)
{
  g_autoptr (GString) out = g_string_new (
      "{\"format\":\"tplan-graph/1\",\"inputs\":[{\"name\":\"t0\","
      "\"shape\":[4]}],");
  g_autoptr (GBytes) bytes = NULL;
  g_autoptr (GError) error = NULL;
  TplanGraph *graph;

  write_groups (out, it);
  write_ends (out, it);
  g_string_append (out, "\"ops\":[");
  for (int i = 0; i < it->n_ops; i++)
    {
      g_string_append_printf (
          out, "%s{\"name\":\"op%d\",\"type\":\"Fancy\",\"inputs\":[\"t%d\","
          "\"t%d\"],\"outputs\":[\"t%d\"],\"shapes\":[[4]],", i == 0 ? "" : ",",
          i, it->inputs[i][0], it->inputs[i][1], 1 + i);
      write_costs (out, it->costs[i], it->n_devices);
      g_string_append_c (out, '}');
    }
  g_string_append (out, "]}");
  bytes = g_bytes_new (out->str, out->len);
  graph = tplan_graph_new_from_bytes (bytes, NULL, &error);
  g_assert_no_error (error);
  return graph;
}

/* ---- all placements ------------------------------------------------------- */

typedef struct
{
  gint64 cost;
  gint64 loads[3 * N_DEVICES]; /* kernels, copies to it, copies from it */
} Sum;

static void
add (Sum *sum, int engine, gint64 time_ns)
{
  sum->cost += time_ns;
  sum->loads[engine] += time_ns;
}

/* Of tensor @t, which is on @home, to all that want it elsewhere. */
static void
add_copies (Sum *sum, const Case *it, const int *places, int t)
{
  int home = t == 0 ? 0 : places[t - 1];
  gboolean wants[N_DEVICES] = { FALSE };

  for (int i = 0; i < it->n_ops; i++)
    if (reads (it, i, t))
      wants[places[i]] = TRUE;
  wants[0] |= t > 0 && it->is_output[t - 1];
  for (int d = 0; d < it->n_devices; d++)
    if (wants[d] && d != home)
      {
        if (home != 0)
          add (sum, 2 * N_DEVICES + home, it->copies[t][home][1]);
        if (d != 0)
          add (sum, N_DEVICES + d, it->copies[t][d][0]);
      }
}

static void
add_gain (Sum *sum, const Case *it, const int *places, int group)
{
  gint64 apart = 0;
  int device = -1;

  for (int i = 0; i < it->n_ops; i++)
    if (it->group_of[i] == group)
      {
        if (device >= 0 && places[i] != device)
          return;
        device = places[i];
        apart += it->costs[i][device];
      }
  if (it->group_costs[group][device] < apart)
    add (sum, device, it->group_costs[group][device] - apart);
}

/* FALSE: some op cannot be there. */
static gboolean
add_up (Sum *sum, const Case *it, const int *places)
{
  memset (sum, 0, sizeof *sum);
  for (int i = 0; i < it->n_ops; i++)
    {
      if (it->costs[i][places[i]] == NONE)
        return FALSE;
      add (sum, places[i], it->costs[i][places[i]]);
    }
  for (int t = 0; t <= it->n_ops; t++)
    add_copies (sum, it, places, t);
  for (int g = 0; g < it->n_groups; g++)
    add_gain (sum, it, places, g);
  return TRUE;
}

/* ---- one run ---------------------------------------------------------------- */

typedef struct
{
  const Case *it;
  const int *places;
  gint64 free[3 * N_DEVICES]; /* engines, as of loads: since when */
  gint64 there[MAX_OPS + 1][N_DEVICES]; /* [tensor]: since when; -1: it is not */
  gint64 last;
} Run;

static gint64
occupy (Run *run, int engine, gint64 since, gint64 time_ns)
{
  run->free[engine] = MAX (run->free[engine], since) + time_ns;
  run->last = MAX (run->last, run->free[engine]);
  return run->free[engine];
}

/* Since when tensor @t is on @to. */
static gint64
bring (Run *run, int t, int to)
{
  int home = t == 0 ? 0 : run->places[t - 1];
  gint64 now = run->there[t][home];

  if (run->there[t][to] >= 0)
    return run->there[t][to];
  if (home != 0)
    now = occupy (run, 2 * N_DEVICES + home, now, run->it->copies[t][home][1]);
  if (to != 0)
    now = occupy (run, N_DEVICES + to, now, run->it->copies[t][to][0]);
  return run->there[t][to] = now;
}

/* What @group saves where it is; 0: it is no kernel. */
static gint64
find_gain (const Case *it, const int *places, int group)
{
  Sum sum = { 0 };

  if (group >= 0)
    add_gain (&sum, it, places, group);
  return -sum.cost;
}

/* The kernel whose last op is @last, and what the caller wants of it. */
static void
run_kernel (Run *run, int last, gboolean is_whole)
{
  const Case *it = run->it;
  int device = run->places[last], group = it->group_of[last];
  gint64 ready = 0, end, time_ns = 0;

  for (int i = 0; i <= last; i++)
    for (int k = 0; k < 2 && (i == last || (is_whole && it->group_of[i] == group)); k++)
      {
        int t = it->inputs[i][k];
        gboolean is_own = is_whole && t > 0 && it->group_of[t - 1] == group;

        ready = MAX (ready, is_own ? 0 : bring (run, t, device));
        time_ns += k == 0 ? it->costs[i][device] : 0;
      }
  time_ns -= is_whole ? find_gain (it, run->places, group) : 0;
  end = occupy (run, device, ready, time_ns);
  for (int i = 0; i <= last; i++)
    if (i == last || (is_whole && it->group_of[i] == group))
      {
        run->there[1 + i][device] = end;
        if (it->is_output[i])
          bring (run, 1 + i, 0);
      }
}

static gboolean
is_last (const Case *it, int op)
{
  for (int i = op + 1; i < it->n_ops; i++)
    if (it->group_of[i] == it->group_of[op])
      return FALSE;
  return TRUE;
}

/* When all is done by @places, each engine with what it has to do in the order of ops. */
static gint64
run_all (const Case *it, const int *places)
{
  Run run = { .it = it, .places = places };

  memset (run.there, -1, sizeof run.there);
  run.there[0][0] = 0;
  for (int i = 0; i < it->n_ops; i++)
    {
      gboolean is_whole = find_gain (it, places, it->group_of[i]) > 0;

      if (!is_whole || is_last (it, i))
        run_kernel (&run, i, is_whole);
    }
  return run.last;
}

/* ---- the least -------------------------------------------------------------- */

/* @out_end: of runs in which engines work at once in the order of ops. */
static void
find_least_with (const Case *it, gint64 *out_cost, gint64 *out_load,
                 gint64 *out_end)
{
  int places[MAX_OPS] = { 0 };

  *out_cost = *out_load = *out_end = NONE;
  for (int i = 0; i < it->n_ops;)
    {
      Sum sum;

      if (add_up (&sum, it, places))
        {
          gint64 load = 0;

          for (int e = 0; e < 3 * N_DEVICES; e++)
            load = MAX (load, sum.loads[e]);
          *out_cost = MIN (*out_cost, sum.cost);
          *out_load = MIN (*out_load, load);
          *out_end = MIN (*out_end, run_all (it, places));
        }
      for (i = 0; i < it->n_ops && ++places[i] == it->n_devices; i++)
        places[i] = 0;
    }
}

static void
find_least (const Case *it, gint64 *out_cost, gint64 *out_load)
{
  gint64 end;

  find_least_with (it, out_cost, out_load, &end);
}

/* ---- tests ---------------------------------------------------------------- */

static TplanCosts *
open_costs (int n_devices)
{
  const char *names[N_DEVICES + 1] = { NULL };
  g_autoptr (GError) error = NULL;
  TplanCosts *costs;

  for (int d = 0; d < n_devices; d++)
    names[d] = devices[d];
  costs = tplan_costs_open ("no-such-table.db", names, 1, &error);
  g_assert_no_error (error);
  return costs;
}

static TplanPlan *
make_plan (const TplanGraph *graph, int n_devices, const char *objective)
{
  const TplanOptimizeOptions how = { .objective = objective };
  g_autoptr (GError) error = NULL;
  g_autoptr (TplanCosts) costs = open_costs (n_devices);
  g_autoptr (TplanPlan) plan = NULL;
  gboolean is_good;

  plan = tplan_graph_optimize_full (graph, costs, &how, &error);
  g_assert_no_error (error);
  is_good = tplan_plan_check (plan, &error);
  g_assert_no_error (error);
  g_assert_true (is_good);
  return g_steal_pointer (&plan);
}

static void
test_least (gconstpointer data)
{
  int n_devices = GPOINTER_TO_INT (data), n_groups = 0, n_less = 0, n_early = 0;

  for (int round = 0; round < N_ROUNDS; round++)
    {
      Case it, without;
      g_autoptr (TplanGraph) graph = NULL;
      g_autoptr (TplanPlan) plan = NULL;
      gint64 cost, load, alone;

      draw_case (&it, n_devices, round % 2 == 0);
      graph = make_graph (&it);
      plan = make_plan (graph, n_devices, "time");
      find_least (&it, &cost, &load);
      g_assert_cmpint (tplan_plan_get_cost_ns (plan), ==, cost);
      without = it;
      without.n_groups = 0;
      find_least (&without, &alone, &load);
      n_groups += it.n_groups;
      for (int g = 0; g < it.n_groups; g++)
        n_early += leaves_early (&it, g);
      n_less += cost < alone;
    }
  g_assert_cmpint (n_groups, >, N_ROUNDS / 2);
  g_assert_cmpint (n_early, >, N_ROUNDS / 8);
  g_assert_cmpint (n_less, >, N_ROUNDS / 8); /* groups mattered */
}

/* As the file says; @key: with what comes between. */
static gint64
get_number (const TplanPlan *plan, const char *key)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GBytes) bytes = tplan_plan_to_bytes (plan, &error);
  gsize size;
  const char *text = g_bytes_get_data (bytes, &size);
  const char *at = g_strstr_len (text, size, key);

  g_assert_no_error (error);
  g_assert_nonnull (at);
  return g_ascii_strtoll (at + strlen (key), NULL, 10);
}

/* Where engines work at once: what is found is what some placement has, and proved; groups of
 * several results let all of these leave when they end. */
static void
test_overlap (gconstpointer data)
{
  int n_devices = GPOINTER_TO_INT (data), n_least = 0, n_soonest = 0;

  for (int round = 0; round < N_ROUNDS / 2; round++)
    {
      Case it;
      g_autoptr (TplanGraph) graph = NULL;
      g_autoptr (TplanPlan) busy = NULL, soon = NULL;
      gint64 cost, load, end, busiest, run_ns;

      draw_case (&it, n_devices, round % 2 == 0);
      graph = make_graph (&it);
      find_least_with (&it, &cost, &load, &end);
      busy = make_plan (graph, n_devices, "throughput");
      soon = make_plan (graph, n_devices, "makespan");
      busiest = get_number (busy, "\"load_ns\": ");
      g_assert_cmpint (busiest, >=, load);
      n_least += busiest == load;
      run_ns = tplan_plan_get_run_ns (soon);
      g_assert_cmpint (run_ns, >=, load); /* the busiest is done no sooner */
      g_assert_cmpint (run_ns, <=, cost); /* nor later than one by one */
      g_assert_cmpint (get_number (soon, "\"span_bound_ns\": "), <=, end);
      n_soonest += run_ns <= end;
    }
  g_assert_cmpint (n_least, >=, N_ROUNDS / 2 * 9 / 10);
  g_assert_cmpint (n_soonest, >=, N_ROUNDS / 2 * 9 / 10);
}

/* Those of other devices change nothing. */
static void
test_others (void)
{
  for (int round = 0; round < N_ROUNDS / 4; round++)
    {
      Case it;
      g_autoptr (TplanGraph) graph = NULL;
      g_autoptr (TplanPlan) plan = NULL;
      gint64 cost, load;

      draw_case (&it, 3, FALSE);
      for (int g = 0; g < it.n_groups; g++)
        {
          it.group_costs[g][0] = it.group_costs[g][1] = NONE;
          it.group_costs[g][2] = 1;
        }
      graph = make_graph (&it);
      plan = make_plan (graph, 2, "time");
      it.n_devices = 2;
      it.n_groups = 0;
      find_least (&it, &cost, &load);
      g_assert_cmpint (tplan_plan_get_cost_ns (plan), ==, cost);
    }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_data_func ("/given/least-1", GINT_TO_POINTER (1), test_least);
  g_test_add_data_func ("/given/least-2", GINT_TO_POINTER (2), test_least);
  g_test_add_data_func ("/given/least-3", GINT_TO_POINTER (3), test_least);
  g_test_add_data_func ("/given/overlap-2", GINT_TO_POINTER (2), test_overlap);
  g_test_add_data_func ("/given/overlap-3", GINT_TO_POINTER (3), test_overlap);
  g_test_add_func ("/given/others", test_others);
  return g_test_run ();
}
