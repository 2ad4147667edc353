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

/* A group comes where its last node was. Groups that hold others come after these;
 * @is_inside: nodes that are in one, which stay there; NULL: they do not. */
static void
put_group (const TpKeys *keys, int group, int *instead, gboolean *is_inside)
{
  const TpKey *key = &keys->keys[group];

  for (int i = 0; i < key->n_nodes && is_inside != NULL; i++)
    if (is_inside[key->nodes[i]])
      return;
  for (int i = 0; i < key->n_nodes; i++)
    {
      instead[key->nodes[i]] = i == key->n_nodes - 1 ? group : -1;
      if (is_inside != NULL)
        is_inside[key->nodes[i]] = TRUE;
    }
}

TpArray *
tp_links_list (const TpKeys *keys, const char *device, GHashTable *failed,
               int pass)
{
  g_autoptr (TpArray) links = tp_array_new (sizeof (int));
  g_autofree int *instead = tp_new (int, keys->n_nodes + 1); /* -1: nothing */
  g_autofree gboolean *is_inside
      = pass == TP_PASS_CHAINS ? tp_new0 (gboolean, keys->n_nodes + 1) : NULL;

  for (int i = 0; i < keys->n_nodes; i++)
    instead[i] = can_run (&keys->keys[i], device, failed) ? i : -1;
  for (int i = keys->n_nodes; i < keys->n && pass != TP_PASS_NODES; i++)
    if (can_run (&keys->keys[i], device, failed))
      put_group (keys, i, instead, is_inside);
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
