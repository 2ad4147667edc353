/* graph-draft-make.c: what passes make: names, constants, tensors on the way. */
#include "config.h"

#include "graph/graph-draft-make.h"

#include "graph/graph-draft.h"
#include "ir/graph-value.h"
#include "ir/name-hash.h"

#define MAX_CONSTANTS (1 << 22) /* elements of those made by passes */

gboolean
tp_draft_take_constants (TpDraft *draft, gint64 n)
{
  if (n > MAX_CONSTANTS - draft->n_constants)
    return FALSE;
  draft->n_constants += n;
  return TRUE;
}

static const char *
make_name (TpDraft *draft, TpMap *names, const char *stem,
           const char *suffix, GError **error)
{
  g_autofree char *plain = g_strconcat (stem, suffix, NULL);
  g_autofree char *name = g_strdup (plain);
  gpointer n_made = NULL;
  char *kept;

  /* Counting goes on where it stopped: many copies are made of one weight. */
  if (tp_map_find (names, plain, &n_made))
    {
      int n = GPOINTER_TO_INT (n_made);

      for (; tp_map_find (names, name, NULL); n++)
        {
          g_free (name);
          name = g_strdup_printf ("%s_%d", plain, n + 2);
        }
      tp_map_insert (names, plain, GINT_TO_POINTER (n));
    }
  kept = tp_region_strdup (draft->region, name, error);
  if (kept != NULL)
    tp_map_insert (names, kept, NULL);
  return kept;
}

const char *
tp_draft_make_tensor_name (TpDraft *draft, const char *stem,
                           const char *suffix, GError **error)
{
  if (draft->names[0] == NULL)
    {
      draft->names[0] = tp_map_new (tp_name_hash, g_str_equal, NULL, NULL);
      for (guint i = 0; i < draft->tensors->len; i++)
        tp_map_insert (draft->names[0],
                       (char *) tp_draft_tensor (draft, i)->name, NULL);
    }
  return make_name (draft, draft->names[0], stem, suffix, error);
}

const char *
tp_draft_make_node_name (TpDraft *draft, const char *stem, const char *suffix,
                         GError **error)
{
  if (draft->names[1] == NULL)
    {
      draft->names[1] = tp_map_new (tp_name_hash, g_str_equal, NULL, NULL);
      for (guint i = 0; i < draft->nodes->len; i++)
        tp_map_insert (draft->names[1],
                       (char *) tp_draft_node (draft, i)->name, NULL);
    }
  return make_name (draft, draft->names[1], stem, suffix, error);
}

int
tp_draft_add_values (TpDraft *draft, const TpTensor *like, const char *suffix,
                     const double *values, GError **error)
{
  TpTensor tensor = { .producer = -1, .init.kind = TP_INIT_DATA };
  void *data;

  tp_draft_set_shape (draft, &tensor, like->dtype, like->rank, like->dims);
  data = tp_region_alloc (draft->region, tensor.size_bytes, 1, error);
  tensor.name
      = data ? tp_draft_make_tensor_name (draft, like->name, suffix, error)
             : NULL;
  if (tensor.name == NULL)
    return -1;
  tp_dtype_store_doubles (tensor.dtype, values, tensor.count, data);
  tensor.init.data = data;
  return tp_draft_add_tensor (draft, &tensor);
}

int
tp_draft_add_stage (TpDraft *draft, const TpTensor *like, GError **error)
{
  TpTensor tensor = { .producer = -1 };

  tp_draft_set_shape (draft, &tensor, like->dtype, like->rank, like->dims);
  tensor.name = tp_draft_make_tensor_name (draft, like->name, ":stage", error);
  return tensor.name == NULL ? -1 : tp_draft_add_tensor (draft, &tensor);
}
