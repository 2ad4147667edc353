/* graph-write-costs.c: see graph-write-costs.h. */
#include "config.h"

#include "format/graph-write-costs.h"

#include "format/json.h"
#include "ir/guard.h"
#include "ir/map.h"

static void
add_key (GString *text, const char *key)
{
  tp_json_append_string (text, key);
  g_string_append (text, ": ");
}

static void
add_figure (GString *text, gint64 time_ns, gint64 spread_ns)
{
  if (spread_ns != 0)
    g_string_append_printf (text, "[%" G_GINT64_FORMAT ", %" G_GINT64_FORMAT
                            "]", time_ns, spread_ns);
  else
    g_string_append_printf (text, "%" G_GINT64_FORMAT, time_ns);
}

void
tp_graph_write_cost (GString *text, const TpNodeCost *costs, int n)
{
  for (int i = 0; i < n; i++)
    {
      g_string_append (text, i == 0 ? ", \"cost\": {" : ", ");
      add_key (text, costs[i].device);
      add_figure (text, costs[i].time_ns, costs[i].spread_ns);
    }
  g_string_append_c (text, '}');
}

/* ---- groups -------------------------------------------------------------- */

/* [node]: the next of its group; -1: none. @is_first: [node]. */
static int *
link_groups (TpDraft *draft, guint8 *is_first)
{
  int n = (int) draft->nodes->len;
  g_autofree int *nexts = tp_new (int, n + 1);
  g_autoptr (TpMap) lasts
      = tp_map_new (g_direct_hash, g_direct_equal, NULL, NULL);

  for (int i = 0; i < n; i++)
    {
      gpointer key = (gpointer) tp_draft_node (draft, i)->group;
      int last = key == NULL ? 0
                             : GPOINTER_TO_INT (tp_map_lookup (lasts, key));

      nexts[i] = -1;
      is_first[i] = key != NULL && last == 0;
      if (last > 0)
        nexts[last - 1] = i;
      if (key != NULL)
        tp_map_insert (lasts, key, GINT_TO_POINTER (i + 1));
    }
  return g_steal_pointer (&nexts);
}

void
tp_graph_write_groups (GString *text, TpDraft *draft)
{
  g_autofree guint8 *is_first = tp_new0 (guint8, draft->nodes->len + 1);
  g_autofree int *nexts = link_groups (draft, is_first);
  int n = 0;

  for (int i = 0; i < (int) draft->nodes->len; i++)
    {
      const TpGroupFigures *group = tp_draft_node (draft, i)->group;

      if (!is_first[i] || nexts[i] < 0)
        continue;
      g_string_append (text, n++ == 0 ? ",\n  \"groups\": [" : ",");
      g_string_append (text, "\n    {\"ops\": [");
      for (int k = i; k >= 0; k = nexts[k])
        {
          g_string_append (text, k == i ? "" : ", ");
          tp_json_append_string (text, tp_draft_node (draft, k)->name);
        }
      g_string_append_c (text, ']');
      tp_graph_write_cost (text, group->costs, group->n_costs);
      g_string_append_c (text, '}');
    }
  g_string_append (text, n > 0 ? "]" : "");
}

/* ---- copies -------------------------------------------------------------- */

void
tp_graph_write_copies (GString *text, TpDraft *draft)
{
  int n = 0;

  for (guint i = 0; i < draft->tensors->len; i++)
    {
      const TpTensor *tensor = tp_draft_tensor (draft, i);

      for (int k = 0; k < tensor->n_copies; k++)
        {
          const TpGivenCopy *it = &tensor->copies[k];

          if (n++ == 0)
            g_string_append (text, ",\n  \"copies\": {");
          if (k == 0)
            {
              g_string_append (text, n == 1 ? "\n    " : ",\n    ");
              add_key (text, tensor->name);
            }
          g_string_append (text, k == 0 ? "{" : ", ");
          add_key (text, it->device);
          g_string_append (text, "{\"to\": ");
          add_figure (text, it->to_ns, it->to_spread_ns);
          g_string_append (text, ", \"from\": ");
          add_figure (text, it->from_ns, it->from_spread_ns);
          g_string_append (text, k + 1 == tensor->n_copies ? "}}" : "}");
        }
    }
  g_string_append (text, n > 0 ? "}" : "");
}
