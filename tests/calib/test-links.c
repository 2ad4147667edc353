/* test-links.c: in each pass over a graph every op runs once, alone or in the group that
 * the pass wants. */
#include "config.h"

#include "calib/links.h"
#include "format/graph-load.h"
#include "planner/fuse.h"

typedef struct
{
  TpGraph *graph;
  TpGroups *groups;
  TpKeys *keys;
  GHashTable *failed;
} Case;

static void
case_init (Case *it)
{
  g_autofree char *path = g_test_build_filename (G_TEST_DIST, "..", "plans",
                                                 "joined.json", NULL);
  g_autoptr (GError) error = NULL;

  it->graph = tp_graph_load (path, NULL, &error);
  g_assert_no_error (error);
  it->groups = tp_fuse_find_all (it->graph, NULL, NULL);
  it->keys = tp_keys_new (it->graph, it->groups, FALSE);
  it->failed = g_hash_table_new (g_str_hash, g_str_equal);
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

/* How many kernels @pass is, of which *@out_n are of groups. */
static int
count_kernels (const Case *it, int pass, int *out_n)
{
  g_autoptr (TpArray) links
      = tp_links_list (it->keys, "sim:laptop-cpu", it->failed, pass);
  int n_met[64] = { 0 }, last = -1;

  *out_n = 0;
  for (guint i = 0; i < links->len; i++)
    {
      const TpKey *key = &it->keys->keys[tp_array_index (links, int, i)];

      *out_n += key->n_nodes > 1;
      for (int k = 0; k < key->n_nodes; k++)
        n_met[key->nodes[k]]++;
      g_assert_cmpint (key->nodes[key->n_nodes - 1], >, last);
      last = key->nodes[key->n_nodes - 1];
    }
  for (int i = 0; i < it->graph->n_nodes; i++)
    g_assert_cmpint (n_met[i], ==, 1);
  return links->len;
}

/* Convolutions and pool of a whole, and one before. */
static void
test_passes (void)
{
  g_auto (Case) it = { NULL };
  int n;

  case_init (&it);
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

  case_init (&it);
  g_hash_table_add (it.failed, it.keys->keys[it.keys->n - 1].digest);
  g_assert_cmpint (count_kernels (&it, TP_PASS_FUSED, &n), ==, 5);
  g_assert_cmpint (n, ==, 3);
  g_assert_cmpint (count_kernels (&it, TP_PASS_CHAINS, &n), ==, 5);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/links/passes", test_passes);
  g_test_add_func ("/links/failed", test_failed);
  return g_test_run ();
}
