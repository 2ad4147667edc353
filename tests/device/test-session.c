/* test-session.c: plans made by hand, run and compared with the references. */
#include "config.h"

#include "machine/machine.h"
#include "nest/nest-work.h"
#include "nets.h"
#include "ops/lower.h"
#include "runtime/session-private.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define TOLERANCE 1e-5

static void
test_one_device (gconstpointer name)
{
  if (!net_need_devices (name))
    return;
  for (gsize i = 0; i < NET_N_ALL; i++)
    {
      g_autoptr (TpGraph) raw = net_load (net_all[i]);
      g_autoptr (TpGraph) graph = net_load_prepared (net_all[i]);
      g_autoptr (TpPlan) raw_plan = net_plan (raw, name, "0");
      g_autoptr (TpPlan) plan = net_plan (graph, name, "0");

      net_check (raw, raw_plan, TOLERANCE);
      net_check (graph, plan, TOLERANCE);
    }
}

static void
test_mixed (gconstpointer devices)
{
  int n_rounds = g_getenv ("TPLAN_TEST_FULL") != NULL ? 4 : 2;

  if (!net_need_devices (devices))
    return;
  for (gsize i = 0; i < NET_N_ALL; i++)
    for (int round = 0; round < n_rounds; round++)
      {
        g_autoptr (TpGraph) graph = net_load_prepared (net_all[i]);
        g_autoptr (TpPlan) plan = net_plan_random (graph, devices);

        net_check (graph, plan, TOLERANCE);
      }
}

/* ---- transfers ------------------------------------------------------------- */

/* net_branches, nodes add view1 view2 tanh turn mul sub relu: where they are,
 * and the transfers "tensor>device" that follow. */
static const struct
{
  const char *places, *transfers;
} transfer_cases[] = {
  { "00000000", "" },
  { "11111111", "x>1 z>1 b>0 p>0 q>0" },
  { "10000000", "x>1 z>1 a>0" },     /* once, for tanh, mul and relu */
  { "00010000", "a>1 t>0" },         /* through two views */
  { "01100000", "" },                /* views alone move nothing */
  { "00000010", "z>1 b>1 p>0" },
  { "00000001", "a>1 q>0" },
  { "00010001", "a>1 t>0 q>0" },     /* two readers there, one transfer */
};

static char *
list_transfers (const TpSession *session, const TpGraph *graph)
{
  g_autoptr (GString) list = g_string_new (NULL);
  int n;
  const TpSessionStep *steps = tp_session_get_steps (session, &n);

  for (int i = 0; i < n; i++)
    if (steps[i].node < 0)
      g_string_append_printf (list, "%s%s>%d", list->len > 0 ? " " : "",
                              graph->tensors[steps[i].tensor].name,
                              steps[i].device);
  return g_string_free (g_steal_pointer (&list), FALSE);
}

static void
assert_same_transfers (const char *found, const char *expected)
{
  g_auto (GStrv) a = g_strsplit (found, " ", -1);
  g_auto (GStrv) b = g_strsplit (expected, " ", -1);

  for (int i = 0; a[i] != NULL; i++)
    if (!g_strv_contains ((const char *const *) b, a[i]))
      g_error ("transfer %s is not among '%s'", a[i], expected);
  g_assert_cmpint (g_strv_length (a), ==, g_strv_length (b));
}

static void
test_transfers (void)
{
  g_autoptr (TpGraph) graph = net_load (net_branches);

  g_assert_cmpint (graph->n_nodes, ==, 8);
  for (gsize i = 0; i < G_N_ELEMENTS (transfer_cases); i++)
    {
      g_autoptr (GError) error = NULL;
      g_autoptr (TpPlan) plan = net_plan (graph, "ref ref",
                                          transfer_cases[i].places);
      g_autoptr (TpSession) session = tp_session_new (graph, plan, NULL,
                                                      &error);
      g_autofree char *found = NULL;

      g_assert_no_error (error);
      found = list_transfers (session, graph);
      assert_same_transfers (found, transfer_cases[i].transfers);
      net_check (graph, plan, TOLERANCE);
    }
}

/* Predictions of the plan reach the steps they are for. */
static void
test_predictions (void)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (TpGraph) graph = net_load (net_mlp);
  g_autoptr (TpPlan) plan = net_plan (graph, "ref ref", "0010");
  g_autoptr (TpSession) session = NULL;
  const TpSessionStep *steps;
  gint64 sum = 0;
  int n;

  plan->n_transfers = 1;
  plan->transfers = g_new0 (TpTransfer, 1);
  plan->transfers[0] = (TpTransfer){ .tensor = graph->nodes[1].outputs[0],
                                     .from = 0, .to = 1, .time_ns = 1000 };
  for (int i = 0; i < 4; i++)
    plan->placements[i].time_ns = 1 << i;
  session = tp_session_new (graph, plan, NULL, &error);
  g_assert_no_error (error);
  steps = tp_session_get_steps (session, &n);
  g_assert_cmpint (n, ==, 6);
  for (int i = 0; i < n; i++)
    sum += steps[i].predicted_ns;
  g_assert_cmpint (sum, ==, 1015);
}

/* ---- groups and bad plans --------------------------------------------------- */

static int
find_node (const TpGraph *graph, const char *name)
{
  for (int i = 0; i < graph->n_nodes; i++)
    if (strcmp (graph->nodes[i].name, name) == 0)
      return i;
  g_assert_not_reached ();
}

static void
test_groups (gconstpointer devices)
{
  g_autoptr (TpGraph) graph = net_load_prepared (net_mlp);
  g_autoptr (TpPlan) plan = NULL;
  int nodes[] = { find_node (graph, "fc1"), find_node (graph, "relu") };

  if (!net_need_devices (devices))
    return;
  plan = net_plan (graph, devices, "0");
  tp_groups_add (plan->groups, nodes, 2);
  net_check (graph, plan, TOLERANCE);
}

static void
assert_refused (TpGraph *graph, TpPlan *plan, int code)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (TpSession) session = tp_session_new (graph, plan, NULL, &error);

  g_assert_null (session);
  g_assert_error (error, TPLAN_ERROR, code);
}

static void
test_bad_placements (void)
{
  g_autoptr (TpGraph) graph = net_load_prepared (net_mlp);
  g_autoptr (TpPlan) plan = net_plan (graph, "ref", "0");

  plan->placements[1].device = 1;
  assert_refused (graph, plan, TPLAN_ERROR_INPUT);
  plan->placements[1].device = -1;
  assert_refused (graph, plan, TPLAN_ERROR_INPUT);
  plan->placements[1].device = 0;
  plan->placements[1].node = 0;
  assert_refused (graph, plan, TPLAN_ERROR_INPUT);
  plan->placements[1].node = graph->n_nodes;
  assert_refused (graph, plan, TPLAN_ERROR_INPUT);
  plan->n_placements--;
  assert_refused (graph, plan, TPLAN_ERROR_INPUT);
}

static void
test_bad_devices (void)
{
  g_autoptr (TpGraph) graph = net_load_prepared (net_mlp);
  g_autoptr (TpPlan) unknown = net_plan (graph, "abacus", "0");
  g_autoptr (TpPlan) numbered = net_plan (graph, "opencl:99", "0");
  g_autoptr (TpPlan) profile = net_plan (graph, "sim:no-such", "0");
  g_autoptr (GError) error = NULL;

  assert_refused (graph, unknown, TPLAN_ERROR_DEVICE);
  assert_refused (graph, numbered, TPLAN_ERROR_DEVICE);
  g_assert_null (tp_session_new (graph, profile, NULL, &error));
  g_assert_nonnull (error);
}

static void
test_bad_groups (void)
{
  g_autoptr (TpGraph) graph = net_load (net_branches);
  int hiding[] = { find_node (graph, "add"), find_node (graph, "mul") };
  int backwards[] = { find_node (graph, "sub"), find_node (graph, "mul") };
  int far[] = { find_node (graph, "add"), graph->n_nodes };

  if (!net_need_devices ("cpu"))
    return;
  for (int i = 0; i < 3; i++)
    {
      g_autoptr (GError) error = NULL;
      g_autoptr (TpPlan) plan = net_plan (graph, "cpu", "0");
      g_autoptr (TpSession) session = NULL;

      tp_groups_add (plan->groups, i == 0   ? hiding
                                   : i == 1 ? backwards
                                            : far, 2);
      session = tp_session_new (graph, plan, NULL, &error);
      g_assert_null (session);
      g_assert_nonnull (error);
    }
}

/* ---- schedules -------------------------------------------------------------- */

/* What the unit that begins with @node is compiled to. */
static char *
dup_schedule (TpGraph *graph, TpPlan *plan, int node)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (TpSession) session = tp_session_new (graph, plan, NULL, &error);

  g_assert_no_error (error);
  for (int i = 0; i < session->execution->units->n; i++)
    {
      const TpPlacedUnit *unit = &session->execution->units->units[i];

      if (unit->nodes[0] == node)
        return g_strdup (session->devices[unit->device]
                             .code->schedules[session->units[i].index]);
    }
  g_assert_not_reached ();
}

/* A schedule of the plan is what runs, of a node and of a group. */
static void
test_schedule (void)
{
  g_autoptr (TpGraph) graph = net_load_prepared (net_mlp);
  int nodes[] = { find_node (graph, "fc1"), find_node (graph, "relu") };

  if (!net_need_devices ("cpu"))
    return;
  for (int is_group = FALSE; is_group <= TRUE; is_group++)
    {
      g_autoptr (TpPlan) plan = net_plan (graph, "cpu", "0");
      g_autofree char *first = NULL;
      g_autofree char *second = NULL;
      TpPlacement *place = &plan->placements[nodes[0]];
      char *unroll;

      if (is_group)
        tp_groups_add (plan->groups, nodes, 2);
      first = dup_schedule (graph, plan, nodes[0]);
      unroll = strstr (first, "unroll=8");
      g_assert_nonnull (unroll);
      unroll[strlen ("unroll=")] = '2';
      place->schedule = g_strdup (first);
      second = dup_schedule (graph, plan, nodes[0]);
      g_assert_cmpstr (second, ==, first);
      net_check (graph, plan, TOLERANCE);
    }
}

/* One that is for something else is not passed over in silence. */
static void
test_bad_schedule (void)
{
  static const char *const bad[] = {
    "reference", "contract lanes=8", "reduce lanes=4 sums=1 points=1",
    "window lanes=1 cut=1x1 tile=1 unroll=1 flat=0 points=999999",
  };
  g_autoptr (TpGraph) graph = net_load_prepared (net_mlp);

  if (!net_need_devices ("cpu"))
    return;
  for (gsize i = 0; i < G_N_ELEMENTS (bad); i++)
    {
      g_autoptr (GError) error = NULL;
      g_autoptr (TpPlan) plan = net_plan (graph, "cpu", "0");

      plan->placements[find_node (graph, "fc1")].schedule = g_strdup (bad[i]);
      g_assert_null (tp_session_new (graph, plan, NULL, &error));
      g_assert_error (error, TPLAN_ERROR, TPLAN_ERROR_INPUT);
      g_test_message ("%s", error->message);
      g_assert_true (g_str_has_prefix (error->message, "op 'fc1': schedule"));
      g_assert_true (g_str_has_suffix (error->message, "`tplan optimize`"));
    }
}

/* ---- running ---------------------------------------------------------------- */

static void
test_profiled (gconstpointer devices)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (TpGraph) graph = net_load_prepared (net_image);
  g_autoptr (NetRun) run = net_run_new (graph, TP_DOMAIN_ANY);
  g_autoptr (TpPlan) plan = net_plan (graph, devices, "01");
  g_autoptr (TpSession) session = NULL;
  const TpSessionStep *steps;
  int n;

  if (!net_need_devices (devices))
    return;
  session = tp_session_new (graph, plan, NULL, &error);
  g_assert_no_error (error);
  steps = tp_session_get_steps (session, &n);
  for (int i = 0; i < n; i++)
    g_assert_cmpint (steps[i].measured_ns, ==, 0);
  g_assert_true (tp_session_run_profiled (
      session, (const void *const *) run->inputs, run->outputs, &error));
  g_assert_cmpfloat (net_run_get_error (run), <=, TOLERANCE);
  for (int i = 0; i < n; i++)
    g_assert_cmpint (steps[i].measured_ns, >, 0);
  g_assert_cmpint (tp_session_get_time_ns (session), >, 0);
}

/* All on a made-up machine: the time is what the machine says. */
static void
test_simulated (void)
{
  static const char machine[] = "gflops=10,gbps=10,launch=7us,link=1GB/s+5us";
  g_autoptr (GError) error = NULL;
  g_autoptr (TpMachine) its = tp_machine_parse (machine, &error);
  g_autofree char *devices = g_strconcat ("ref sim:", machine, NULL);
  g_autoptr (TpGraph) graph = net_load_prepared (net_mlp);
  g_autoptr (TpPlan) plan = net_plan (graph, devices, "1");
  g_autoptr (NetRun) run = net_run_new (graph, TP_DOMAIN_ANY);
  g_autoptr (TpSession) session = tp_session_new (graph, plan, NULL, &error);
  gint64 expected = 0;

  g_assert_no_error (error);
  for (int i = 0; i < graph->n_nodes; i++)
    {
      g_autoptr (TpLowered) lowered = tp_lower_nodes (graph, &i, 1, &error);
      TpWork work;

      tp_lowered_count_work (lowered, &work);
      expected += tp_machine_estimate_ns (its, &work);
    }
  expected += tp_machine_transfer_ns (its, 5 * 37 * 4)
              + tp_machine_transfer_ns (its, 5 * 11 * 4);
  for (int i = 0; i < 2; i++)
    {
      g_assert_true (tp_session_run (session, (const void *const *) run->inputs,
                                     run->outputs, &error));
      g_assert_cmpint (tp_session_get_time_ns (session), ==, expected);
      g_assert_cmpfloat (net_run_get_error (run), <=, TOLERANCE);
    }
}

static gpointer
run_often (gpointer name)
{
  g_autoptr (TpGraph) graph = net_load_prepared (net_image);
  g_autoptr (TpPlan) plan = net_plan (graph, name, "0");
  g_autoptr (GError) error = NULL;
  g_autoptr (NetRun) run = net_run_new (graph, TP_DOMAIN_ANY);
  TpDeviceOptions options = { .n_threads = 2 };
  g_autoptr (TpSession) session = tp_session_new (graph, plan, &options,
                                                  &error);
  double most = session == NULL ? G_MAXDOUBLE : 0;

  for (int i = 0; i < 50 && session != NULL; i++)
    {
      net_run_clear_outputs (run);
      if (!tp_session_run (session, (const void *const *) run->inputs,
                           run->outputs, &error))
        return GINT_TO_POINTER (FALSE);
      most = MAX (most, net_run_get_error (run));
    }
  return GINT_TO_POINTER (most <= TOLERANCE);
}

static void
test_several (void)
{
  const char *names[] = { "cpu", "cpu", "ref", "cpu" };
  GThread *threads[G_N_ELEMENTS (names)];

  if (!net_need_devices ("cpu"))
    return;
  for (gsize i = 0; i < G_N_ELEMENTS (names); i++)
    threads[i] = g_thread_new (names[i], run_often, (gpointer) names[i]);
  for (gsize i = 0; i < G_N_ELEMENTS (names); i++)
    g_assert_true (GPOINTER_TO_INT (g_thread_join (threads[i])));
}

static void
add_tests_of_pairs (void)
{
  for (gsize i = 0; i < NET_N_PAIRS; i++)
    {
      g_autofree char *path = g_strconcat ("/session/mixed/", net_pairs[i], NULL);

      g_test_add_data_func (path, net_pairs[i], test_mixed);
    }
  g_test_add_data_func ("/session/groups/cpu", "cpu", test_groups);
  g_test_add_data_func ("/session/groups/opencl", "opencl:0", test_groups);
  g_test_add_data_func ("/session/groups/ref", "ref", test_groups);
  g_test_add_data_func ("/session/profiled/cpu ref", "cpu ref", test_profiled);
  g_test_add_data_func ("/session/profiled/cpu opencl", "cpu opencl:0",
                        test_profiled);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_data_func ("/session/one-device/cpu", "cpu", test_one_device);
  g_test_add_data_func ("/session/one-device/opencl", "opencl:0",
                        test_one_device);
  g_test_add_data_func ("/session/one-device/ref", "ref", test_one_device);
  g_test_add_data_func ("/session/one-device/sim", "sim:server-gpu",
                        test_one_device);
  add_tests_of_pairs ();
  g_test_add_func ("/session/transfers", test_transfers);
  g_test_add_func ("/session/predictions", test_predictions);
  g_test_add_func ("/session/bad-placements", test_bad_placements);
  g_test_add_func ("/session/bad-devices", test_bad_devices);
  g_test_add_func ("/session/bad-groups", test_bad_groups);
  g_test_add_func ("/session/schedule", test_schedule);
  g_test_add_func ("/session/bad-schedule", test_bad_schedule);
  g_test_add_func ("/session/simulated", test_simulated);
  g_test_add_func ("/session/several", test_several);
  return g_test_run ();
}
