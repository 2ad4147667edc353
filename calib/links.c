/* links.c: see links.h. */
#include "config.h"

#include "calib/links.h"

#include "ir/guard.h"

#define N_BEFORE 2            /* kernels run before one that is wanted */

static gboolean
can_run (const TpKey *key, const char *device, GHashTable *failed)
{
  const char *reason;

  return !key->is_free && tp_key_is_runnable (key, device, &reason)
         && !g_hash_table_contains (failed, key->digest);
}

/* How many groups, one within another, @key holds; *@depths of its nodes: how many
 * they are in so far. */
static int
find_depth (const TpKey *key, int *depths)
{
  int depth = 0;

  for (int i = 0; i < key->n_nodes; i++)
    depth = MAX (depth, depths[key->nodes[i]]);
  for (int i = 0; i < key->n_nodes; i++)
    depths[key->nodes[i]] = depth + 1;
  return depth;
}

/* A group comes where its last node was, instead of those that it holds. */
static void
put_group (const TpKeys *keys, int group, int *instead)
{
  const TpKey *key = &keys->keys[group];

  for (int i = 0; i < key->n_nodes; i++)
    instead[key->nodes[i]] = i == key->n_nodes - 1 ? group : -1;
}

static int
get_depth_max (int pass)
{
  switch (pass)
    {
    case TP_PASS_FUSED:
    case TP_PASS_SECOND:
      return G_MAXINT;
    case TP_PASS_NODES:
      return -1;
    default:
      return pass - (pass > TP_PASS_SECOND ? TP_PASS_SECOND_CHAINS : TP_PASS_CHAINS);
    }
}

static gboolean
has_second (const TpKeys *keys)
{
  for (int i = keys->n_nodes; i < keys->n; i++)
    if (keys->keys[i].is_second)
      return TRUE;
  return FALSE;
}

TpArray *
tp_links_list (const TpKeys *keys, const char *device, GHashTable *failed,
               int pass)
{
  g_autoptr (TpArray) links = tp_array_new (sizeof (int));
  g_autofree int *instead = tp_new (int, keys->n_nodes + 1); /* -1: nothing */
  g_autofree int *depths = tp_new0 (int, keys->n_nodes + 1);
  gboolean is_second = pass >= TP_PASS_SECOND;

  if (is_second && !has_second (keys))
    return g_steal_pointer (&links);
  for (int i = 0; i < keys->n_nodes; i++)
    instead[i] = can_run (&keys->keys[i], device, failed) ? i : -1;
  for (int i = keys->n_nodes; i < keys->n; i++) /* what holds others is last */
    if (keys->keys[i].is_second == is_second
        && can_run (&keys->keys[i], device, failed)
        && find_depth (&keys->keys[i], depths) <= get_depth_max (pass))
      put_group (keys, i, instead);
  for (int i = 0; i < keys->n_nodes; i++)
    if (instead[i] >= 0)
      tp_array_append_val (links, instead[i]);
  return g_steal_pointer (&links);
}

void
tp_links_thin (TpArray *links, const gboolean *is_wanted,
               const gboolean *is_covered)
{
  int n_wanted = 0, n = 0;
  g_autofree gboolean *is_due = tp_new0 (gboolean, links->len + 1);

  for (guint i = 0; i < links->len; i++)
    {
      int key = tp_array_index (links, int, i);

      is_due[i] = is_wanted[key] && !is_covered[key];
      n_wanted += is_due[i];
    }
  if (n_wanted * 4 > (int) links->len)
    return;
  for (guint i = 0; i < links->len; i++)
    {
      gboolean is_near = FALSE;

      for (guint j = i; j < MIN (i + 1 + N_BEFORE, links->len); j++)
        is_near |= is_due[j];
      if (is_near)
        tp_array_index (links, int, n++) = tp_array_index (links, int, i);
    }
  tp_array_set_size (links, n);
}
