/* test-links.c: in each pass over a graph every op runs once, alone or in the group that
 * the pass wants, and every group runs in some pass. */
#include "config.h"

#include "calib/links.h"
#include "format/graph-load.h"
#include "planner/fuse.h"

#include "../ir/random-model.h"

typedef struct
{
  TpGraph *graph;
  TpGroups *groups;
  TpKeys *keys;
  GHashTable *failed;
} Case;

/* Takes @graph. */
static void
case_take (Case *it, TpGraph *graph)
{
  it->graph = graph;
  it->groups = tp_fuse_find_all (it->graph, NULL, NULL);
  it->keys = tp_keys_new (it->graph, it->groups, FALSE);
  it->failed = g_hash_table_new (g_str_hash, g_str_equal);
}

static void
case_init (Case *it, const char *name)
{
  g_autofree char *path = g_test_build_filename (G_TEST_DIST, "..", "plans",
                                                 name, NULL);
  g_autoptr (GError) error = NULL;
  TpGraph *graph = tp_graph_load (path, NULL, &error);

  g_assert_no_error (error);
  case_take (it, graph);
}

static void
case_clear (Case *it)
{
  g_hash_table_unref (it->failed);
  tp_keys_free (it->keys);
  tp_groups_free (it->groups);
  tp_graph_unref (it->graph);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Case, case_clear)

static gboolean
may_run (const Case *it, int key)
{
  const char *reason;

  return !it->keys->keys[key].is_free
         && tp_key_is_runnable (&it->keys->keys[key], "sim:laptop-cpu", &reason);
}

/* How many kernels @pass is, of which *@out_n are of groups. @has_run (nullable): keys
 * that are among them are marked. */
static int
run_pass (const Case *it, int pass, gboolean *has_run, int *out_n)
{
  g_autoptr (TpArray) links
      = tp_links_list (it->keys, "sim:laptop-cpu", it->failed, pass);
  g_autofree int *n_met = g_new0 (int, it->graph->n_nodes + 1);
  int last = -1;

  *out_n = 0;
  for (guint i = 0; i < links->len; i++)
    {
      int index = tp_array_index (links, int, i);
      const TpKey *key = &it->keys->keys[index];

      if (has_run != NULL)
        has_run[index] = TRUE;
      *out_n += key->n_nodes > 1;
      for (int k = 0; k < key->n_nodes; k++)
        n_met[key->nodes[k]]++;
      g_assert_cmpint (key->nodes[key->n_nodes - 1], >, last);
      last = key->nodes[key->n_nodes - 1];
    }
  for (int i = 0; i < it->graph->n_nodes && (pass < TP_PASS_SECOND || links->len > 0); i++)
    g_assert_true (n_met[i] == 1 || (n_met[i] == 0 && !may_run (it, i)));
  return links->len;
}

static int
count_kernels (const Case *it, int pass, int *out_n)
{
  return run_pass (it, pass, NULL, out_n);
}

static void
check_all_run (const Case *it)
{
  g_autofree gboolean *has_run = g_new0 (gboolean, it->keys->n + 1);
  int n;

  for (int pass = 0; pass < TP_N_PASSES; pass++)
    run_pass (it, pass, has_run, &n);
  for (int i = 0; i < it->keys->n; i++)
    g_assert_true (has_run[i] == may_run (it, i));
}

/* Convolutions and pool of a whole, and one before. */
static void
test_passes (void)
{
  g_auto (Case) it = { NULL };
  int n;

  case_init (&it, "joined.json");
  g_assert_cmpint (it.groups->n_groups, ==, 4);
  g_assert_cmpint (count_kernels (&it, TP_PASS_FUSED, &n), ==, 2);
  g_assert_cmpint (n, ==, 2);
  g_assert_cmpint (count_kernels (&it, TP_PASS_NODES, &n), ==, 8);
  g_assert_cmpint (n, ==, 0);
  g_assert_cmpint (count_kernels (&it, TP_PASS_CHAINS, &n), ==, 5);
  g_assert_cmpint (n, ==, 3);
}

/* Without the whole its chains are the largest there are. */
static void
test_failed (void)
{
  g_auto (Case) it = { NULL };
  int n;

  case_init (&it, "joined.json");
  g_hash_table_add (it.failed, it.keys->keys[it.keys->n - 1].digest);
  g_assert_cmpint (count_kernels (&it, TP_PASS_FUSED, &n), ==, 5);
  g_assert_cmpint (n, ==, 3);
  g_assert_cmpint (count_kernels (&it, TP_PASS_CHAINS, &n), ==, 5);
}

/* Products of one attention: with the sum, with the scale before, and all of it. */
static void
test_nested (void)
{
  g_auto (Case) it = { NULL };
  int n;

  case_init (&it, "nested.json");
  g_assert_cmpint (it.groups->n_groups, ==, 3);
  g_assert_cmpint (count_kernels (&it, TP_PASS_FUSED, &n), ==, 1);
  g_assert_cmpint (count_kernels (&it, TP_PASS_CHAINS, &n), ==, 4);
  g_assert_cmpint (count_kernels (&it, TP_PASS_CHAINS + 1, &n), ==, 3);
  check_all_run (&it);
}

static void
test_random (void)
{
  for (int i = 0; i < 100; i++)
    {
      g_auto (Case) it = { NULL };

      case_take (&it, random_model (g_test_rand_int_range (1, 40)));
      check_all_run (&it);
    }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/links/passes", test_passes);
  g_test_add_func ("/links/failed", test_failed);
  g_test_add_func ("/links/nested", test_nested);
  g_test_add_func ("/links/random", test_random);
  return g_test_run ();
}
