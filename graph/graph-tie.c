/* graph-tie.c: see graph-tie.h. */
#include "config.h"

#include "graph/graph-tie.h"

#include "graph/graph-builder-private.h"
#include "graph/graph-draft.h"
#include "graph/graph-node.h"
#include "ir/array.h"
#include "ir/guard.h"
#include "ir/near-name.h"
#include "ir/op.h"
#include "ir/region.h"

#include <string.h>

/* Half of a tie: text, or text with one '*' in it. */
typedef struct
{
  char *before;
  char *after;                /* NULL: there is no '*' */
} Pattern;

typedef struct
{
  const char *text;
  Pattern output, input;
} Tie;

static void
tie_clear (Tie *tie)
{
  g_free (tie->output.before);
  g_free (tie->output.after);
  g_free (tie->input.before);
  g_free (tie->input.after);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Tie, tie_clear)

static gboolean
parse_pattern (const char *text, gsize size, Pattern *out)
{
  const char *star = memchr (text, '*', size);

  out->before = g_strndup (text, star == NULL ? size : (gsize) (star - text));
  if (star == NULL)
    return size > 0;
  out->after = g_strndup (star + 1, text + size - star - 1);
  return strchr (out->after, '*') == NULL;
}

static gboolean
parse (const char *text, Tie *out, GError **error)
{
  const char *equals = strchr (text, '=');

  out->text = text;
  if (equals != NULL
      && parse_pattern (text, equals - text, &out->output)
      && parse_pattern (equals + 1, strlen (equals + 1), &out->input)
      && (out->output.after == NULL) == (out->input.after == NULL))
    return TRUE;
  g_set_error (error, TPLAN_ERROR, TPLAN_ERROR_USAGE,
               "state '%s' is not OUTPUT=INPUT, such as h_out=h_in or, with one "
               "'*' on either side, 'present.*=past_key_values.*'", text);
  return FALSE;
}

/* What '*' stands for in @name; NULL: it is none of these. "": there is no '*'. */
static char *
match (const Pattern *pattern, const char *name)
{
  gsize before = strlen (pattern->before);
  gsize after = pattern->after == NULL ? 0 : strlen (pattern->after);
  gsize size = strlen (name);

  if (pattern->after == NULL)
    return strcmp (name, pattern->before) == 0 ? g_strdup ("") : NULL;
  if (size < before + after || strncmp (name, pattern->before, before) != 0
      || strcmp (name + size - after, pattern->after) != 0)
    return NULL;
  return g_strndup (name + before, size - before - after);
}

/* Where in @list (of the draft) the tensor called @name is; -1: it is not. */
static int
find_in (TpGraphBuilder *builder, const TpArray *list, const char *name)
{
  int index = tp_builder_find_tensor (builder, name);

  for (guint i = 0; i < list->len; i++)
    if (tp_array_index (list, int, i) == index)
      return i;
  return -1;
}

static gboolean
fail_unknown (TpGraphBuilder *builder, const Tie *tie, const char *what,
              const char *name, GError **error)
{
  const TpArray *list = *what == 'o' ? builder->draft->outputs
                                     : builder->draft->inputs;
  g_autofree const char **known = tp_new0 (const char *, list->len + 1);
  g_autofree char *prefix = tp_draft_dup_prefix (builder->draft, NULL);
  g_autofree char *near = NULL, *others = NULL;
  gboolean is_cut_off = builder->is_cut && *what == 'o'
                        && tp_builder_find_tensor (builder, name) >= 0;

  for (guint i = 0; i < list->len; i++)
    known[i] = tp_draft_tensor (builder->draft,
                                tp_array_index (list, int, i))->name;
  near = tp_near_name_ask (name, known);
  others = tp_near_name_list (known);
  g_set_error (error, TPLAN_ERROR, TPLAN_ERROR_USAGE,
               "%sstate '%s': the graph has no %s '%s' that is not a state "
               "yet%s%s", prefix, tie->text, what, name, near,
               is_cut_off ? ": --outputs leaves it out: name it there, too" : others);
  return FALSE;
}

/* A view has the bytes of what it is of, and no op makes an input or a constant. */
static gboolean
is_made (const TpDraft *draft, int tensor)
{
  for (guint i = 0; i < draft->nodes->len; i++)
    {
      const TpNode *node = tp_draft_node ((TpDraft *) draft, i);

      for (int k = 0; k < node->n_outputs; k++)
        if (node->outputs[k] == tensor)
          return node->op == NULL || node->op->kind != TP_OP_VIEW;
    }
  return FALSE;
}

/* A tensor with the value of @output that an op makes: itself, if it can be. */
static int
make_next (TpGraphBuilder *builder, int output, GError **error)
{
  const char *name = tp_draft_tensor (builder->draft, output)->name;
  TpNode node = { .type = "Identity" };
  g_autofree char *copy = NULL;
  const char *next;

  if (is_made (builder->draft, output))
    return output;
  next = copy = g_strconcat (name, ":next", NULL);
  return tp_builder_add_plain_node (
             builder, &node, (TpNodeNames){ 1, &name, 1, &next }, error)
             ? tp_builder_find_tensor (builder, next)
             : -1;
}

static gboolean
tie_pair (TpGraphBuilder *builder, const Tie *tie, int output, int input,
          GError **error)
{
  TpDraft *draft = builder->draft;
  int from = tp_array_index (draft->outputs, int, output);
  int to = tp_array_index (draft->inputs, int, input);
  g_autofree char *wanted = g_strdup_printf ("state '%s'", tie->text);
  int next = make_next (builder, from, error);
  TpBuilderState *state;

  if (next < 0)
    return FALSE;
  tp_array_remove_index (draft->outputs, output);
  tp_array_remove_index (draft->inputs, input);
  tp_draft_tensor (draft, from)->is_output = FALSE;
  tp_draft_tensor (draft, to)->is_input = FALSE;
  tp_draft_tensor (draft, to)->state = 1 + to;
  tp_draft_tensor (draft, next)->state = 1 + to;
  state = &tp_array_index (builder->states, TpBuilderState, next);
  state->is_tied = TRUE;
  state->wanted = tp_region_strdup (draft->region, wanted, error);
  return state->wanted != NULL;
}

/* All outputs that match; there is one. */
static gboolean
tie_all (TpGraphBuilder *builder, const Tie *tie, GError **error)
{
  const TpArray *outputs = builder->draft->outputs;
  int n_tied = 0;

  for (guint i = 0; i < outputs->len;)
    {
      g_autofree char *middle
          = match (&tie->output,
                   tp_draft_tensor (builder->draft,
                                    tp_array_index (outputs, int, i))->name);
      g_autofree char *name
          = g_strconcat (tie->input.before, middle, tie->input.after, NULL);
      int input = middle == NULL
                      ? -1
                      : find_in (builder, builder->draft->inputs, name);

      if (middle != NULL && input < 0)
        return fail_unknown (builder, tie, "input", name, error);
      if (middle != NULL && !tie_pair (builder, tie, i, input, error))
        return FALSE;
      i += middle == NULL;
      n_tied += middle != NULL;
    }
  if (n_tied > 0)
    return TRUE;
  return fail_unknown (builder, tie, "output",
                       tie->output.after == NULL ? tie->output.before
                                                 : tie->text, error);
}

gboolean
tp_graph_builder_tie (TpGraphBuilder *builder, const char *const *ties,
                      GError **error)
{
  for (int i = 0; ties != NULL && ties[i] != NULL; i++)
    {
      g_auto (Tie) tie = { 0 };

      if (!parse (ties[i], &tie, error) || !tie_all (builder, &tie, error))
        return FALSE;
    }
  if (ties == NULL || ties[0] == NULL || builder->draft->outputs->len > 0)
    return TRUE;
  g_set_error (error, TPLAN_ERROR, TPLAN_ERROR_USAGE,
               "state '%s': no output is left, and a run has to give something: "
               "leave one as it is", ties[0]);
  return FALSE;
}
