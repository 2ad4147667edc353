/* test-states.c: what stays on a device from run to run, by a decoder whose caches do:
 * a prompt and then tokens give what the whole sequence gives at once. */
#include <glib.h>
#include <math.h>
#include <string.h>
#include <tplan.h>

#define N_PROMPT 4
#define N_ALL 7
#define N_PLACES 8
#define WIDTH 16
#define N_OUT 8
#define N_CACHE (1 * N_PLACES * 4)

/* %d: tokens of a run. */
static const char model[]
    = "{\"format\": \"tplan-graph/1\", \"name\": \"decoder\", \"opset\": 18,"
      " \"inputs\": [{\"name\": \"x\", \"shape\": [1, %d, 16]},"
      " {\"name\": \"past.key\", \"shape\": [1, 1, 8, 4]},"
      " {\"name\": \"past.value\", \"shape\": [1, 1, 8, 4]},"
      " {\"name\": \"last\", \"shape\": [1], \"dtype\": \"int32\"}],"
      " \"outputs\": [\"y\", \"present.key\", \"present.value\"],"
      " \"initializers\": [{\"name\": \"w\", \"shape\": [16, 16],"
      " \"random\": {\"seed\": 1}}, {\"name\": \"c\", \"shape\": [8, 2],"
      " \"random\": {\"seed\": 2}}, {\"name\": \"s\", \"shape\": [8, 2],"
      " \"random\": {\"seed\": 3}}, {\"name\": \"n\", \"shape\": [],"
      " \"dtype\": \"int32\", \"data\": [8]}],"
      " \"ops\": [{\"type\": \"MatMul\", \"inputs\": [\"x\", \"w\"],"
      " \"outputs\": [\"q\"]},"
      " {\"type\": \"com.microsoft.GroupQueryAttention\", \"inputs\": [\"q\", \"\","
      " \"\", \"past.key\", \"past.value\", \"last\", \"n\", \"c\", \"s\"],"
      " \"outputs\": [\"y\", \"present.key\", \"present.value\"],"
      " \"attrs\": {\"num_heads\": 2, \"kv_num_heads\": 1, \"do_rotary\": 1}}]}";
static const char *const states[] = { "present.*=past.*", NULL };

typedef struct
{
  TplanPlan *plan;
  TplanSession *session;
} Net;

static void
net_clear (Net *net)
{
  tplan_session_free (net->session);
  tplan_plan_free (net->plan);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Net, net_clear)

/* @n_in_flight: at most; 0: one. FALSE: there is no such device. */
static gboolean
net_init_in_flight (Net *net, const char *device, int n_tokens, int n_in_flight)
{
  const TplanSessionOptions how
      = { .n_threads = 1, .n_in_flight = n_in_flight };
  const char *const devices[] = { device, NULL };
  const TplanLoadOptions options = { .states = states };
  g_autofree char *text = g_strdup_printf (model, n_tokens);
  g_autoptr (GBytes) bytes = g_bytes_new (text, strlen (text));
  g_autoptr (GError) error = NULL;
  g_autoptr (TplanGraph) graph
      = tplan_graph_new_from_bytes (bytes, &options, &error);
  g_autoptr (TplanCosts) costs = NULL;

  g_assert_no_error (error);
  costs = tplan_costs_open ("none.db", devices, 1, &error);
  if (costs != NULL)
    net->plan = tplan_graph_optimize (graph, costs, NULL, &error);
  if (net->plan != NULL)
    net->session = tplan_session_new_full (net->plan, &how, &error);
  if (net->session != NULL)
    return TRUE;
  g_assert_error (error, TPLAN_ERROR, TPLAN_ERROR_DEVICE);
  g_test_skip (error->message);
  return FALSE;
}

static gboolean
net_init (Net *net, const char *device, int n_tokens)
{
  return net_init_in_flight (net, device, n_tokens, 0);
}

/* @n tokens from the @first on. */
static void
run (const Net *net, const float *x, int first, int n, float *y)
{
  const gint32 last = first + n - 1;
  const void *const inputs[] = { x + first * WIDTH, &last };
  void *const outputs[] = { y + first * N_OUT };
  g_autoptr (GError) error = NULL;

  tplan_session_run (net->session, inputs, outputs, &error);
  g_assert_no_error (error);
}

static void
draw (float *x)
{
  for (int i = 0; i < N_ALL * WIDTH; i++)
    x[i] = (float) g_test_rand_double_range (-1.0, 1.0);
}

static void
test_decode (gconstpointer device)
{
  g_auto (Net) whole = { 0 }, prompt = { 0 }, token = { 0 };
  float x[N_ALL * WIDTH], want[N_ALL * N_OUT], got[N_ALL * N_OUT];
  float cache[N_CACHE];
  g_autoptr (GError) error = NULL;

  if (!net_init (&whole, device, N_ALL) || !net_init (&prompt, device, N_PROMPT)
      || !net_init (&token, device, 1))
    return;
  draw (x);
  run (&whole, x, 0, N_ALL, want);
  run (&prompt, x, 0, N_PROMPT, got);
  for (int i = 0; i < 2; i++)
    {
      static const char *const names[] = { "past.key", "past.value" };

      tplan_session_get_state (prompt.session, names[i], cache, &error);
      g_assert_no_error (error);
      tplan_session_set_state (token.session, names[i], cache, &error);
      g_assert_no_error (error);
    }
  for (int i = N_PROMPT; i < N_ALL; i++)
    run (&token, x, i, 1, got);
  for (int i = 0; i < N_ALL * N_OUT; i++)
    g_assert_cmpfloat_with_epsilon (got[i], want[i], 1e-5);
  g_assert_cmpfloat (fabs (want[0] - want[N_OUT]), >, 1e-4);
}

/* Tokens that are all submitted before the first is done go one after the other. */
static void
test_in_flight (gconstpointer device)
{
  g_auto (Net) whole = { 0 }, token = { 0 };
  float x[N_ALL * WIDTH], want[N_ALL * N_OUT], got[N_ALL * N_OUT];
  gint32 last[N_ALL];
  TplanRun *runs[N_ALL];
  g_autoptr (GError) error = NULL;

  if (!net_init (&whole, device, N_ALL)
      || !net_init_in_flight (&token, device, 1, 3))
    return;
  draw (x);
  run (&whole, x, 0, N_ALL, want);
  for (int i = 0; i < N_ALL; i++)
    {
      const void *const inputs[] = { x + i * WIDTH, &last[i] };
      void *const outputs[] = { got + i * N_OUT };

      last[i] = i;
      runs[i] = tplan_session_submit (token.session, inputs, outputs, &error);
      g_assert_no_error (error);
    }
  for (int i = 0; i < N_ALL; i++)
    {
      tplan_run_wait (runs[i], &error);
      g_assert_no_error (error);
      tplan_run_free (runs[i]);
    }
  for (int i = 0; i < N_ALL * N_OUT; i++)
    g_assert_cmpfloat_with_epsilon (got[i], want[i], 1e-5);
}

/* Zeros to begin with, and whenever they are asked for. */
static void
test_reset (void)
{
  g_auto (Net) net = { 0 };
  float x[N_ALL * WIDTH], first[N_OUT], again[N_OUT], later[N_ALL * N_OUT];
  float cache[N_CACHE];
  g_autoptr (GError) error = NULL;
  gboolean differs = FALSE;

  if (!net_init (&net, "ref", 1))
    return;
  draw (x);
  tplan_session_get_state (net.session, "past.key", cache, &error);
  g_assert_no_error (error);
  for (int i = 0; i < N_CACHE; i++)
    g_assert_cmpfloat (cache[i], ==, 0.0f);
  run (&net, x, 0, 1, first);
  tplan_session_get_state (net.session, "past.key", cache, &error);
  g_assert_no_error (error);
  for (int i = 0; i < N_CACHE; i++)
    differs |= cache[i] != 0.0f;
  g_assert_true (differs);
  run (&net, x, 1, 1, later);
  tplan_session_set_state (net.session, "past.key", NULL, &error);
  tplan_session_set_state (net.session, "past.value", NULL, &error);
  g_assert_no_error (error);
  run (&net, x, 0, 1, again);
  g_assert_cmpmem (first, sizeof first, again, sizeof again);
}

static void
test_list (void)
{
  g_auto (Net) net = { 0 };
  const TplanTensor *its;
  float cache[N_CACHE];
  g_autoptr (GError) error = NULL;
  int n = 0;

  if (!net_init (&net, "ref", 1))
    return;
  its = tplan_graph_get_states (tplan_plan_get_graph (net.plan), &n);
  g_assert_cmpint (n, ==, 2);
  g_assert_cmpstr (its[0].name, ==, "past.key");
  g_assert_cmpint (its[0].size_bytes, ==, sizeof cache);
  g_assert_cmpstr (its[1].name, ==, "past.value");
  tplan_graph_get_inputs (tplan_plan_get_graph (net.plan), &n);
  g_assert_cmpint (n, ==, 2);
  tplan_graph_get_outputs (tplan_plan_get_graph (net.plan), &n);
  g_assert_cmpint (n, ==, 1);
  g_assert_false (
      tplan_session_get_state (net.session, "x", cache, &error));
  g_assert_error (error, TPLAN_ERROR, TPLAN_ERROR_USAGE);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_data_func ("/states/decode/ref", "ref", test_decode);
  g_test_add_data_func ("/states/decode/cpu", "cpu", test_decode);
  g_test_add_data_func ("/states/decode/opencl", "opencl:0", test_decode);
  g_test_add_data_func ("/states/in-flight/ref", "ref", test_in_flight);
  g_test_add_data_func ("/states/in-flight/cpu", "cpu", test_in_flight);
  g_test_add_func ("/states/reset", test_reset);
  g_test_add_func ("/states/list", test_list);
  return g_test_run ();
}
