/* graph-cut.c: see graph-cut.h.
 *
 * What is needed is found from the outputs backwards: what an op reads, the condition
 * of the branch it is in, and of a state that is read its next value, which is needed
 * by the run that follows. */
#include "config.h"

#include "graph/graph-cut.h"

#include "graph/graph-faulty.h"
#include "graph/graph-finish.h"
#include "ir/guard.h"
#include "ir/near-name.h"

/* ---- which are the outputs ------------------------------------------------ */

static gboolean
refuse_output (TpGraphBuilder *builder, const char *name, const char *what,
               GError **error)
{
  g_autofree char *prefix = tp_draft_dup_prefix (builder->draft, NULL);

  g_set_error (error, TPLAN_ERROR, TPLAN_ERROR_USAGE, "%soutput '%s': %s",
               prefix, name, what);
  return FALSE;
}

/* Ends with NULL. */
static TpArray *
list_made (TpDraft *draft)
{
  g_autoptr (TpArray) made = tp_array_new (sizeof (char *));
  const char *name = NULL;

  for (guint i = 0; i < draft->nodes->len; i++)
    {
      const TpNode *node = tp_draft_node (draft, i);

      for (int k = 0; node->branch == 0 && k < node->n_outputs; k++)
        {
          name = tp_draft_tensor (draft, node->outputs[k])->name;
          tp_array_append_val (made, name);
        }
    }
  name = NULL;
  tp_array_append_val (made, name);
  return g_steal_pointer (&made);
}

static gboolean
refuse_name (TpGraphBuilder *builder, const char *name, GError **error)
{
  g_autoptr (TpArray) made = list_made (builder->draft);
  const char *const *known = (const char *const *) (void *) made->data;
  g_autofree char *near = tp_near_name_ask (name, known);
  g_autofree char *list = tp_near_name_list (known);
  g_autofree char *what
      = g_strconcat ("the graph has no tensor of this name", near, list, NULL);

  return refuse_output (builder, name, what, error);
}

static gboolean
has_index (const TpArray *list, int index)
{
  for (guint i = 0; i < list->len; i++)
    if (tp_array_index (list, int, i) == index)
      return TRUE;
  return FALSE;
}

static gboolean
choose (TpGraphBuilder *builder, const char *name, GError **error)
{
  TpDraft *draft = builder->draft;
  int index = tp_builder_find_tensor (builder, name);

  if (index < 0)
    return refuse_name (builder, name, error);
  if (tp_draft_tensor (draft, index)->is_output)
    return refuse_output (builder, name, "it is named twice", error);
  if (has_index (draft->inputs, index))
    return refuse_output (builder, name, "it is an input, which a run is given: "
                          "leave it out", error);
  tp_draft_tensor (draft, index)->is_output = TRUE;
  tp_array_append_val (draft->outputs, index);
  return TRUE;
}

/* A name may have commas itself. */
static gboolean
choose_all (TpGraphBuilder *builder, const char *text, GError **error)
{
  g_auto (GStrv) names = NULL;

  if (tp_builder_find_tensor (builder, text) >= 0 || *text == '\0')
    return choose (builder, text, error);
  names = g_strsplit (text, ",", -1);
  for (int i = 0; names[i] != NULL; i++)
    if (!choose (builder, names[i], error))
      return FALSE;
  return TRUE;
}

gboolean
tp_graph_builder_choose_outputs (TpGraphBuilder *builder,
                                 const char *const *texts, GError **error)
{
  TpDraft *draft = builder->draft;

  if (texts == NULL || texts[0] == NULL)
    return TRUE;
  for (guint i = 0; i < draft->outputs->len; i++)
    tp_draft_tensor (draft, tp_array_index (draft->outputs, int, i))->is_output
        = FALSE;
  tp_array_set_size (draft->outputs, 0);
  builder->is_cut = TRUE;
  for (int i = 0; texts[i] != NULL; i++)
    if (!choose_all (builder, texts[i], error))
      return FALSE;
  return TRUE;
}

/* ---- what they need ------------------------------------------------------- */

typedef struct
{
  TpGraphBuilder *builder;
  TpDraft *draft;
  guint8 *is_needed;          /* [tensor] */
  guint8 *is_kept;            /* [node] */
  int *next;                  /* [tensor]: 1 + the next value of a state */
  TpArray *open;              /* int: tensors that are needed, to be looked at */
} Cut;

static void
cut_clear (Cut *cut)
{
  g_free (cut->is_needed);
  g_free (cut->is_kept);
  g_free (cut->next);
  g_clear_pointer (&cut->open, tp_array_unref);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Cut, cut_clear)

static void
need (Cut *cut, int tensor)
{
  if (tensor < 0 || cut->is_needed[tensor])
    return;
  cut->is_needed[tensor] = TRUE;
  tp_array_append_val (cut->open, tensor);
}

static void
keep_node (Cut *cut, int index)
{
  const TpNode *node = tp_draft_node (cut->draft, index);
  const TpBranch *branch = tp_draft_branch (cut->draft, node->branch);

  if (cut->is_kept[index])
    return;
  cut->is_kept[index] = TRUE;
  for (int i = 0; i < node->n_inputs; i++)
    need (cut, node->inputs[i]);
  for (int i = 0; i < node->n_outputs; i++)
    need (cut, node->outputs[i]);
  for (; branch != NULL; branch = tp_draft_branch (cut->draft, branch->parent))
    need (cut, branch->condition);
}

/* Outputs, and states that the caller named. */
static void
init (Cut *cut, TpGraphBuilder *builder)
{
  TpDraft *draft = builder->draft;

  *cut = (Cut){ .builder = builder, .draft = draft };
  cut->is_needed = tp_new0 (guint8, draft->tensors->len + 1);
  cut->is_kept = tp_new0 (guint8, draft->nodes->len + 1);
  cut->next = tp_new0 (int, draft->tensors->len + 1);
  cut->open = tp_array_new (sizeof (int));
  tp_draft_link (draft);
  for (guint i = 0; i < draft->outputs->len; i++)
    need (cut, tp_array_index (draft->outputs, int, i));
  for (int i = 0; i < (int) draft->tensors->len; i++)
    {
      int state = tp_draft_tensor (draft, i)->state - 1;

      if (state >= 0 && state != i)
        cut->next[state] = 1 + i;
      if (tp_array_index (builder->states, TpBuilderState, i).is_tied)
        need (cut, i);
    }
}

static void
find_needed (Cut *cut)
{
  while (cut->open->len > 0)
    {
      int tensor = tp_array_index (cut->open, int, cut->open->len - 1);
      int producer = tp_draft_tensor (cut->draft, tensor)->producer;

      tp_array_set_size (cut->open, cut->open->len - 1);
      if (producer >= 0)
        keep_node (cut, producer);
      need (cut, cut->next[tensor] - 1);
    }
}

/* ---- the rest goes -------------------------------------------------------- */

/* Figures of a group say nothing of a part of it. */
static void
drop_broken_groups (Cut *cut)
{
  TpDraft *draft = cut->draft;
  g_autoptr (TpMap) broken
      = tp_map_new (g_direct_hash, g_direct_equal, NULL, NULL);

  for (guint i = 0; i < draft->nodes->len; i++)
    if (!cut->is_kept[i] && tp_draft_node (draft, i)->group != NULL)
      tp_map_insert (broken, (gpointer) tp_draft_node (draft, i)->group, NULL);
  for (guint i = 0; i < draft->nodes->len; i++)
    if (tp_map_find (broken, tp_draft_node (draft, i)->group, NULL))
      tp_draft_node (draft, i)->group = NULL;
}

static void
drop_nodes (Cut *cut)
{
  TpDraft *draft = cut->draft;
  guint n = 0;

  for (guint i = 0; i < draft->nodes->len; i++)
    if (cut->is_kept[i])
      *tp_draft_node (draft, n++) = *tp_draft_node (draft, i);
  tp_array_set_size (draft->nodes, n);
  tp_draft_link (draft);
}

static void
drop_inputs (Cut *cut)
{
  TpArray *inputs = cut->draft->inputs;
  guint n = 0;

  for (guint i = 0; i < inputs->len; i++)
    {
      int index = tp_array_index (inputs, int, i);

      if (cut->is_needed[index])
        tp_array_index (inputs, int, n++) = index;
      else
        tp_draft_tensor (cut->draft, index)->is_input = FALSE;
    }
  tp_array_set_size (inputs, n);
  for (guint i = 0; i < cut->draft->tensors->len; i++)
    if (!cut->is_needed[i])
      tp_draft_tensor (cut->draft, i)->state = 0;
}

/* What is said of tensors that are gone may be wrong, or want values of dimensions. */
static void
drop_specs (Cut *cut)
{
  TpArray *specs = cut->builder->specs;
  guint n = 0;

  for (guint i = 0; i < specs->len; i++)
    {
      TpBuilderSpec spec = tp_array_index (specs, TpBuilderSpec, i);

      if (cut->is_needed[spec.tensor])
        tp_array_index (specs, TpBuilderSpec, n++) = spec;
    }
  tp_array_set_size (specs, n);
}

/* What is in a branch is there only if that is taken. */
static gboolean
check_outputs (TpGraphBuilder *builder, GError **error)
{
  TpDraft *draft = builder->draft;

  for (guint i = 0; i < draft->outputs->len; i++)
    {
      const TpTensor *it
          = tp_draft_tensor (draft, tp_array_index (draft->outputs, int, i));

      if (it->producer >= 0 && tp_draft_node (draft, it->producer)->branch != 0)
        return refuse_output (builder, it->name, "it is of a branch of an If: "
                              "name what that gives", error);
    }
  return TRUE;
}

gboolean
tp_graph_builder_cut (TpGraphBuilder *builder, GError **error)
{
  g_auto (Cut) cut = { 0 };

  if (!builder->is_cut)
    return TRUE;
  if (!tp_graph_builder_check (builder, error))
    return FALSE;
  init (&cut, builder);
  if (!check_outputs (builder, error))
    return FALSE;
  find_needed (&cut);
  drop_broken_groups (&cut);
  drop_nodes (&cut);
  drop_inputs (&cut);
  drop_specs (&cut);
  return tp_builder_check_faults (builder, error);
}
