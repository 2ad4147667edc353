/* test-loans.c: arrays of the caller that kernels read and write in place: which
 * they are, that results are the same bits as by copies, and that nothing of the
 * caller's stays behind. */
#include "config.h"

#include "nets.h"
#include "runtime/host.h"
#include "runtime/session-private.h"

#include <string.h>

#define TOLERANCE 1e-5

/* An output that is read on, and one that nothing reads. */
static const char net_read_on[]
    = "{'format': 'tplan-graph/1', 'name': 'read-on', 'opset': 17,"
      " 'inputs': [{'name': 'x', 'dtype': 'float32', 'shape': [5, 7]},"
      "            {'name': 'y', 'dtype': 'float32', 'shape': [5, 7]}],"
      " 'outputs': ['a', 'b'],"
      " 'ops': ["
      "  {'name': 'first', 'type': 'Add', 'inputs': ['x', 'y'],"
      "   'outputs': ['a']},"
      "  {'name': 'second', 'type': 'Mul', 'inputs': ['a', 'x'],"
      "   'outputs': ['b']}]}";

/* Everything on @device, and the arrays of a run. */
typedef struct
{
  TpGraph *graph;
  TpPlan *plan;
  TpSession *session;
  NetRun *run;
} Case;

static void
case_init (Case *it, const char *text, const char *device)
{
  g_autoptr (GError) error = NULL;

  it->graph = net_load_prepared (text);
  it->plan = net_plan (it->graph, device, "0");
  it->session = tp_session_new (it->graph, it->plan, NULL, &error);
  g_assert_no_error (error);
  it->run = net_run_new (it->graph, TP_DOMAIN_ANY);
}

static void
case_clear (Case *it)
{
  net_run_free (it->run);
  tp_session_free (it->session);
  tp_plan_unref (it->plan);
  tp_graph_unref (it->graph);
}

static void
run_with (const Case *it, void *const *inputs, void *const *outputs)
{
  g_autoptr (GError) error = NULL;

  g_assert_true (tp_session_run (it->session, (const void *const *) inputs,
                                 outputs, &error));
  g_assert_no_error (error);
}

static gint64
size_of_output (const Case *it, int i)
{
  return it->graph->tensors[it->graph->outputs[i]].size_bytes;
}

static void
check_found (const char *text, const char *device, int n_inputs, int n_outputs)
{
  Case it;

  case_init (&it, text, device);
  for (guint i = 0; i < it.session->loans->len; i++)
    {
      const TpSessionLoan *loan
          = &tp_array_index (it.session->loans, TpSessionLoan, i);

      n_inputs -= loan->input >= 0;
      n_outputs -= loan->output >= 0;
      g_assert_true ((loan->input >= 0) != (loan->output >= 0));
    }
  g_assert_cmpint (n_inputs, ==, 0);
  g_assert_cmpint (n_outputs, ==, 0);
  case_clear (&it);
}

/* Of net_ends, x is fed for Relu alone, r and w are one storage, the others no
 * storage at all. A device that binds addresses takes no loans. */
static void
test_found (void)
{
  if (!net_need_devices ("cpu ref"))
    return;
  check_found (net_mlp, "cpu", 1, 1);
  check_found (net_read_on, "cpu", 2, 2);
  check_found (net_ends, "cpu", 1, 0);
  check_found (net_mlp, "ref", 0, 0);
}

/* Arrays of bytes that are no place for a float are copied. */
static void
check_odd (const char *text)
{
  void *inputs[8], *outputs[8];
  Case it;

  case_init (&it, text, "cpu");
  run_with (&it, it.run->inputs, it.run->outputs);
  g_assert_cmpfloat (net_run_get_error (it.run), <=, TOLERANCE);
  for (int i = 0; i < it.graph->n_inputs; i++)
    {
      gint64 size = it.graph->tensors[it.graph->inputs[i]].size_bytes;

      inputs[i] = (char *) g_malloc (size + 1) + 1;
      memcpy (inputs[i], it.run->inputs[i], size);
    }
  for (int i = 0; i < it.graph->n_outputs; i++)
    outputs[i] = (char *) g_malloc0 (size_of_output (&it, i) + 1) + 1;
  run_with (&it, inputs, outputs);
  for (int i = 0; i < it.graph->n_outputs; i++)
    g_assert_cmpmem (outputs[i], size_of_output (&it, i), it.run->outputs[i],
                     size_of_output (&it, i));
  for (int i = 0; i < it.graph->n_inputs; i++)
    g_free ((char *) inputs[i] - 1);
  for (int i = 0; i < it.graph->n_outputs; i++)
    g_free ((char *) outputs[i] - 1);
  case_clear (&it);
}

static void
test_odd (void)
{
  static const char *const nets[]
      = { net_mlp, net_image, net_branches, net_ends, net_read_on };

  if (!net_need_devices ("cpu"))
    return;
  for (gsize i = 0; i < G_N_ELEMENTS (nets); i++)
    check_odd (nets[i]);
}

/* One array for two outputs has the last of them, and what is read on is not
 * disturbed by it; an output over an input is read first and written last. */
static void
test_overlap (void)
{
  g_autofree char *wanted = NULL;
  void *same[2];
  Case it;

  if (!net_need_devices ("cpu"))
    return;
  case_init (&it, net_read_on, "cpu");
  run_with (&it, it.run->inputs, it.run->outputs);
  wanted = g_memdup2 (it.run->outputs[1], size_of_output (&it, 1));
  same[0] = same[1] = it.run->outputs[1];
  memset (same[0], 0xff, size_of_output (&it, 1));
  run_with (&it, it.run->inputs, same);
  g_assert_cmpmem (same[1], size_of_output (&it, 1), wanted,
                   size_of_output (&it, 1));
  same[0] = it.run->outputs[0];
  same[1] = it.run->inputs[0];
  run_with (&it, it.run->inputs, same);
  g_assert_cmpmem (same[1], size_of_output (&it, 1), wanted,
                   size_of_output (&it, 1));
  case_clear (&it);
}

/* After a run buffers are the session's own again. */
static void
test_taken_back (void)
{
  Case it;

  if (!net_need_devices ("cpu"))
    return;
  case_init (&it, net_read_on, "cpu");
  run_with (&it, it.run->inputs, it.run->outputs);
  for (guint i = 0; i < it.session->loans->len; i++)
    {
      const TpSessionLoan *loan
          = &tp_array_index (it.session->loans, TpSessionLoan, i);
      const void *now = tp_host_buf_get_data (
          it.session->slots[0].bufs[loan->storage]);

      for (int k = 0; k < 2; k++)
        g_assert_true (now != it.run->inputs[k] && now != it.run->outputs[k]);
    }
  case_clear (&it);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/loans/found", test_found);
  g_test_add_func ("/loans/odd", test_odd);
  g_test_add_func ("/loans/overlap", test_overlap);
  g_test_add_func ("/loans/taken-back", test_taken_back);
  return g_test_run ();
}
