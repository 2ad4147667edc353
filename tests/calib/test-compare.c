/* test-compare.c: kernels held against their nests before they are timed: none
 * that is right is condemned, one that computes something else is. */
#include "config.h"

#include "../ir/op-support.h"
#include "calib/compare.h"
#include "runtime/devices.h"
#include "schedule/program.h"

#include <stdio.h>
#include <string.h>

static const struct
{
  int opset;
  const char *text;
} cases[] = {
#include "../ir/op-cases.inc"
};

/* All of @graph on @device, node by node, compiled; @has_rivals: as of
 * tp_chain_new(). */
static TpChain *
make_chain (TpDevice *device, const TpGraph *graph, const TpKeys *keys,
            const gboolean *has_rivals, gboolean is_relaxed)
{
  g_autoptr (TpArray) links = tp_array_new (sizeof (int));
  TpArray *const passes[TP_N_PASSES] = { links };
  g_autoptr (GError) error = NULL;
  g_autofree int *all = NULL; /* links: rivals are some, too */
  TpChain *chain;

  for (int i = 0; i < keys->n; i++)
    if (keys->keys[i].is_lowerable && !keys->keys[i].is_free)
      tp_array_append_val (links, i);
  chain = tp_chain_new (
      device, graph, &(TpChainWanted) { .keys = keys, .passes = passes,
                                       .has_rivals = has_rivals,
                                       .is_relaxed = is_relaxed }, &error);
  g_assert_no_error (error);
  all = g_new (int, chain->n_links + 1);
  for (int i = 0; i < chain->n_links; i++)
    all[i] = i;
  tp_chain_compile (chain, all, chain->n_links, &error);
  g_assert_no_error (error);
  return chain;
}

/* What ops are given here is not of their domain: what comes of that is not to be
 * judged. Half of them, or all. */
static void
test_right (gconstpointer data)
{
  TpDevice *device = (TpDevice *) data;
  int step = g_getenv ("TPLAN_TEST_FULL") != NULL ? 1 : 2;

  for (gsize i = g_test_rand_int_range (0, step); i < G_N_ELEMENTS (cases);
       i += step)
    {
      gboolean is_group = g_str_has_prefix (cases[i].text, "group;");
      g_autoptr (GError) error = NULL;
      g_autoptr (TpGraph) graph = test_graph_new (
          cases[i].opset, cases[i].text + (is_group ? 6 : 0), &error);
      g_autoptr (TpKeys) keys = NULL;
      g_autoptr (TpChain) chain = NULL;

      g_assert_no_error (error);
      test_graph_set_layout (graph, i % TEST_N_LAYOUTS);
      keys = tp_keys_new (graph, NULL, TRUE);
      chain = make_chain (device, graph, keys, NULL, FALSE);
      for (int k = 0; k < chain->n_links; k++)
        if (!tp_compare_link (chain, k, &error))
          g_error ("%s: %s", cases[i].text, error->message);
    }
}

/* Each of two kernels of like buffers in place of the other. */
static void
test_wrong (gconstpointer data)
{
  static const char *const texts[] = {
    "in x 7 33;Tanh x -> y;Exp y -> z",
    "in x 200 300;Neg x -> y;Abs y -> z",
    "in x 16 16;const w 16 16;const v 16 16;MatMul x w -> y;MatMul y v -> z",
    "in x 4 256;Softmax x -> y;Relu y -> z",
    "int64 x 4 9;Add x x -> y;Mul y y -> z",
  };
  TpDevice *device = (TpDevice *) data;

  for (gsize i = 0; i < G_N_ELEMENTS (texts); i++)
    {
      g_autoptr (GError) error = NULL;
      g_autoptr (TpGraph) graph = test_graph_new (17, texts[i], NULL);
      g_autoptr (TpKeys) keys = tp_keys_new (graph, NULL, TRUE);
      g_autoptr (TpChain) chain = make_chain (device, graph, keys, NULL, FALSE);
      TpLaunch *first = chain->links[0].launch;

      g_assert_cmpint (chain->n_links, ==, 2);
      chain->links[0].launch = chain->links[1].launch;
      chain->links[1].launch = first;
      g_assert_false (tp_compare_link (chain, 0, &error));
      g_assert_error (error, TPLAN_ERROR, TPLAN_ERROR_FAILED);
      g_assert_nonnull (strstr (error->message, "wrong"));
      /* it is said again, of each place of the kernel */
      g_clear_error (&error);
      g_assert_false (tp_compare_link (chain, 0, &error));
    }
}

/* A convolution is there directly and by Winograd's filtering, each by a name of
 * its own; another kernel once. */
static void
test_rivals (gconstpointer data)
{
  TpDevice *device = (TpDevice *) data;
  const gboolean has_rivals[] = { TRUE, TRUE };
  g_autoptr (GError) error = NULL;
  g_autoptr (TpGraph) graph = test_graph_new (
      17, "in x 1 32 17 16;const w 32 32 3 3;"
          "Conv x w -> y pads=1,1,1,1;Tanh y -> z", &error);
  g_autoptr (TpKeys) keys = NULL;
  g_autoptr (TpChain) chain = NULL;

  g_assert_no_error (error);
  test_graph_set_layout (graph, TEST_LAYOUT_CHANNELS_LAST);
  keys = tp_keys_new (graph, NULL, TRUE);
  chain = make_chain (device, graph, keys, has_rivals, FALSE);
  g_assert_cmpint (chain->n_links, ==, 3);
  g_assert_cmpint (chain->links[0].key, ==, chain->links[1].key);
  g_assert_cmpstr (chain->links[0].schedule, ==, chain->links[0].rival);
  g_assert_null (chain->links[1].rival);
  g_assert_true (g_str_has_prefix (chain->links[0].schedule, "winograd")
                 != g_str_has_prefix (chain->links[1].schedule, "winograd"));
  g_assert_cmpstr (tp_chain_get_name (chain, 0), !=,
                   tp_chain_get_name (chain, 1));
  for (int i = 0; i < chain->n_links; i++)
    {
      tp_compare_link (chain, i, &error);
      g_assert_no_error (error);
    }
}

/* With larger errors it is there a third time, and right as far as these go. */
static void
test_relaxed (gconstpointer data)
{
  TpDevice *device = (TpDevice *) data;
  const gboolean has_rivals[] = { TRUE };
  g_autoptr (GError) error = NULL;
  g_autoptr (TpGraph) graph = test_graph_new (
      17, "in x 1 512 17 16;const w 32 512 3 3;"
          "Conv x w -> y pads=1,1,1,1", &error);
  g_autoptr (TpKeys) keys = NULL;
  g_autoptr (TpChain) chain = NULL;
  int n_relaxed = 0;

  g_assert_no_error (error);
  test_graph_set_layout (graph, TEST_LAYOUT_CHANNELS_LAST);
  keys = tp_keys_new (graph, NULL, TRUE);
  chain = make_chain (device, graph, keys, has_rivals, TRUE);
  g_assert_cmpint (chain->n_links, ==, 3);
  for (int i = 0; i < chain->n_links; i++)
    {
      n_relaxed += tp_program_is_relaxed (chain->links[i].schedule);
      tp_compare_link (chain, i, &error);
      g_assert_no_error (error);
    }
  g_assert_cmpint (n_relaxed, ==, 1);
}

int
main (int argc, char **argv)
{
  g_autoptr (TpDevice) device = NULL;

  g_test_init (&argc, &argv, NULL);
  device = tp_device_open ("cpu", NULL, NULL);
  if (device == NULL)
    printf ("1..0 # SKIP no cpu device here\n");
  else
    {
      g_test_add_data_func ("/compare/right", device, test_right);
      g_test_add_data_func ("/compare/wrong", device, test_wrong);
      g_test_add_data_func ("/compare/rivals", device, test_rivals);
      g_test_add_data_func ("/compare/relaxed", device, test_relaxed);
    }
  return device != NULL ? g_test_run () : 0;
}
