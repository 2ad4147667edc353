/* test-names.c: what is named once for all that are alike has the names, and the numbers,
 * that each would have by itself. */
#include "config.h"

#include "../ir/random-model.h"
#include "calib/lookup.h"
#include "format/graph-load.h"
#include "planner/fuse.h"

#include <string.h>

static void
check_key (const TpKey *quick, const TpKey *full)
{
  g_assert_cmpstr (quick->digest, ==, full->digest);
  g_assert_cmpstr (quick->dtype, ==, full->dtype);
  g_assert_cmpstr (quick->reason, ==, full->reason);
  g_assert_cmpint (quick->is_lowerable, ==, full->is_lowerable);
  g_assert_cmpint (quick->has_reference, ==, full->has_reference);
  g_assert_cmpint (quick->is_free, ==, full->is_free);
  g_assert_cmpint (quick->is_opaque, ==, full->is_opaque);
  g_assert_cmpint (quick->n_nodes, ==, full->n_nodes);
}

/* What is told of one that was alike. */
static void
check_description (const TpKey *quick, const TpKey *full)
{
  g_assert_cmpstr (quick->family, ==, full->family);
  g_assert_cmpstr (quick->label, ==, full->label);
  g_assert_cmpmem (&quick->work, sizeof quick->work, &full->work,
                   sizeof full->work);
}

/* By comparing with all before. */
static int
number (const TpKeys *keys, int row)
{
  const TpKey *key = &keys->keys[row];

  if (key->digest == NULL)
    return 0;
  for (int i = 0; i < row; i++)
    if (keys->keys[i].digest != NULL
        && strcmp (keys->keys[i].digest, key->digest) == 0
        && strcmp (keys->keys[i].dtype, key->dtype) == 0)
      return i + 1;
  return row + 1;
}

/* With lowered nests kept each row is lowered and named by itself. */
static void
check (const TpGraph *graph)
{
  g_autoptr (TpGroups) groups = tp_fuse_find_all (graph, NULL, NULL);
  g_autoptr (TpKeys) keys = tp_keys_new (graph, groups, TRUE);
  g_autoptr (TpKeys) copied = tp_keys_new (graph, groups, FALSE);
  g_autoptr (TpNames) names = tp_names_new (graph, groups);
  g_autofree int *kernels = tp_names_number_kernels (names);
  g_autofree int *others = tp_lookup_number_kernels (copied);

  g_assert_cmpint (names->n, ==, keys->n);
  for (int i = 0; i < keys->n; i++)
    {
      check_key (tp_names_get (names, i), &keys->keys[i]);
      check_key (&copied->keys[i], &keys->keys[i]);
      check_description (&copied->keys[i], &keys->keys[i]);
      g_assert_cmpint (kernels[i], ==, number (keys, i));
      g_assert_cmpint (others[i], ==, kernels[i]);
    }
}

static void
test_blocks (void)
{
  g_autoptr (TpGraph) graph = full_model ();

  check (graph);
}

static void
test_random (void)
{
  for (int i = 0; i < 20; i++)
    {
      g_autoptr (TpGraph) graph = random_model (g_test_rand_int_range (1, 60));

      check (graph);
    }
}

/* All that are in @folder. */
static int
check_networks (const char *folder)
{
  g_autoptr (GDir) dir = g_dir_open (folder, 0, NULL);
  const char *name;
  int n = 0;

  while (dir != NULL && (name = g_dir_read_name (dir)) != NULL)
    if (g_str_has_suffix (name, ".json"))
      {
        g_autofree char *path = g_build_filename (folder, name, NULL);
        g_autoptr (GError) error = NULL;
        g_autoptr (TpGraph) graph = tp_graph_load (path, NULL, &error);

        g_assert_no_error (error);
        check (graph);
        n++;
      }
  return n;
}

static void
test_networks (void)
{
  g_autofree char *source
      = g_test_build_filename (G_TEST_DIST, "..", "..", "examples", NULL);
  g_autofree char *built
      = g_test_build_filename (G_TEST_BUILT, "..", "..", "examples", NULL);

  g_assert_cmpint (check_networks (source) + check_networks (built), >, 0);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/names/blocks", test_blocks);
  g_test_add_func ("/names/random", test_random);
  g_test_add_func ("/names/networks", test_networks);
  return g_test_run ();
}
