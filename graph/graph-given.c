/* graph-given.c: see graph-given.h. */
#include "config.h"

#include "graph/graph-given.h"

#include "graph/graph-builder-private.h"
#include "graph/graph-limit.h"
#include "ir/near-name.h"

static TpNodeCost *
copy_costs (TpRegion *region, const TpNodeCost *costs, int n, GError **error)
{
  TpNodeCost *copy = tp_region_dup (region, costs, n, sizeof *copy, error);

  for (int i = 0; copy != NULL && i < n; i++)
    if ((copy[i].device = tp_region_strdup (region, copy[i].device, error))
        == NULL)
      return NULL;
  return copy;
}

static TpGroupFigures *
copy_figures (TpRegion *region, const TpGroupFigures *figures, GError **error)
{
  TpGroupFigures *copy
      = tp_region_dup (region, figures, 1, sizeof *copy, error);

  if (copy == NULL
      || (copy->place = tp_region_strdup (region, copy->place, error)) == NULL
      || (copy->costs
          = copy_costs (region, copy->costs, copy->n_costs, error)) == NULL)
    return NULL;
  return copy;
}

static gboolean
add_member (TpGraphBuilder *builder, const char *name, int index,
            const TpGroupFigures *group, GError **error)
{
  const TpGroupFigures *other = tp_builder_find_group (builder, name);
  g_autofree char *place = g_strdup_printf ("%s.ops[%d]", group->place, index);
  TpBuilderMember member = { NULL, group, index };

  if (other == group)
    tp_builder_set_error (builder, place, error,
                          "op '%s' is listed twice", name);
  else if (other != NULL)
    tp_builder_set_error (builder, place, error,
                          "op '%s' is in %s, too: an op may be in one group, "
                          "or it would save its time twice: take it out of "
                          "one of them", name, other->place);
  else if ((member.name
            = tp_region_strdup (builder->draft->region, name, error)) != NULL)
    {
      tp_map_insert (builder->grouped, (char *) member.name, (gpointer) group);
      tp_array_append_val (builder->members, member);
      return TRUE;
    }
  return FALSE;
}

gboolean
tp_graph_builder_add_group (TpGraphBuilder *builder, const char *const *names,
                            const TpGroupFigures *figures, GError **error)
{
  const TpGroupFigures *group
      = copy_figures (builder->draft->region, figures, error);

  if (group == NULL)
    return FALSE;
  if (names[0] == NULL || names[1] == NULL)
    {
      tp_builder_set_error (builder, group->place, error,
                            "a group has two ops at least: one alone has its "
                            "\"cost\" in \"ops\"");
      return FALSE;
    }
  for (int i = 0; names[i] != NULL; i++)
    if (!add_member (builder, names[i], i, group, error))
      return FALSE;
  return TRUE;
}

const TpGroupFigures *
tp_builder_find_group (TpGraphBuilder *builder, const char *name)
{
  return name == NULL || tp_map_size (builder->grouped) == 0
             ? NULL
             : tp_map_lookup (builder->grouped, name);
}

static void
set_unknown_error (TpGraphBuilder *builder, const TpBuilderMember *member,
                   GError **error)
{
  static const char *const end = NULL;
  g_autofree char *place
      = g_strdup_printf ("%s.ops[%d]", member->group->place, member->index);
  g_autofree char *near = NULL;
  g_autoptr (TpArray) names = tp_array_new (sizeof (char *));

  for (guint i = 0; i < builder->draft->nodes->len; i++)
    if (tp_draft_node (builder->draft, i)->name != NULL)
      tp_array_append_vals (names, &tp_draft_node (builder->draft, i)->name, 1);
  tp_array_append_val (names, end);
  near = tp_near_name_ask (member->name, (const char *const *) names->data);
  tp_builder_set_error (builder, place, error,
                        "no op is called '%s'%s: correct the name, or give the "
                        "op one", member->name, near);
}

gboolean
tp_builder_check_groups (TpGraphBuilder *builder, GError **error)
{
  for (guint i = 0; i < builder->members->len; i++)
    {
      const TpBuilderMember *member
          = &tp_array_index (builder->members, TpBuilderMember, i);

      if (tp_graph_builder_has_node (builder, member->name))
        continue;
      set_unknown_error (builder, member, error);
      return FALSE;
    }
  return TRUE;
}
