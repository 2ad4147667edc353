/* cut-remedy.c: see cut-remedy.h.
 *
 * A tensor is lost if an op makes it that fails, or that reads what is lost. All of a
 * branch of an If is lost with one of its ops: what is in it cannot be named outside.
 * Kept is what is not lost, and is an output or read by an op whose results are. */
#include "config.h"

#include "graph/cut-remedy.h"

#include "ir/guard.h"
#include "ops/op.h"

#include <string.h>

#define MOST_BYTES 240
#define PLAIN "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-./:@%+"

typedef struct
{
  TpDraft *draft;
  const guint8 *fails;        /* [node] */
  guint8 *is_bad;             /* [node]: it fails, or reads what is lost */
  guint8 *is_bad_branch;      /* [branch]: some op in it is, outermost ones alone */
  guint8 *is_lost;            /* [tensor] */
  guint8 *is_open;            /* [tensor]: an op outside of branches makes it, of what
                               * a run is given; and it is not yet named */
  TpArray *names;             /* const char* */
} Remedy;

static void
remedy_clear (Remedy *self)
{
  g_free (self->is_bad);
  g_free (self->is_bad_branch);
  g_free (self->is_lost);
  g_free (self->is_open);
  g_clear_pointer (&self->names, tp_array_unref);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Remedy, remedy_clear)

/* ---- what is lost ---------------------------------------------------------- */

/* 0: it is in none. */
static int
get_outermost (TpDraft *draft, int branch)
{
  while (branch != 0 && tp_draft_branch (draft, branch)->parent != 0)
    branch = tp_draft_branch (draft, branch)->parent;
  return branch;
}

static gboolean
reads_lost (const Remedy *self, const TpNode *node)
{
  for (int i = 0; i < node->n_inputs; i++)
    if (node->inputs[i] >= 0 && self->is_lost[node->inputs[i]])
      return TRUE;
  return FALSE;
}

static void
lose (Remedy *self, int index, int branch)
{
  const TpNode *node = tp_draft_node (self->draft, index);

  self->is_bad[index] = TRUE;
  self->is_bad_branch[branch] |= branch != 0;
  for (int i = 0; i < node->n_outputs; i++)
    if (node->outputs[i] >= 0)
      self->is_lost[node->outputs[i]] = TRUE;
}

/* Whether anything more is lost than was. */
static gboolean
spread (Remedy *self)
{
  gboolean is_more = FALSE;

  for (guint i = 0; i < self->draft->nodes->len; i++)
    {
      const TpNode *node = tp_draft_node (self->draft, i);
      int branch = get_outermost (self->draft, node->branch);

      if (self->is_bad[i] || (node->type == NULL && !self->fails[i])
          || !(self->fails[i] || self->is_bad_branch[branch]
               || reads_lost (self, node)))
        continue;
      lose (self, i, branch);
      is_more = TRUE;
    }
  return is_more;
}

/* ---- what is kept ---------------------------------------------------------- */

static gboolean
hangs_on_run (const guint8 *hangs, const TpNode *node)
{
  if (node->op != NULL && (node->op->flags & TP_OP_READS_SHAPE) != 0)
    return FALSE;
  for (int i = 0; i < node->n_inputs; i++)
    if (node->inputs[i] >= 0 && hangs[node->inputs[i]])
      return TRUE;
  return FALSE;
}

/* Shapes, and what is made of constants alone, are known before a run. */
static void
find_open (Remedy *self)
{
  TpDraft *draft = self->draft;
  g_autofree guint8 *hangs = tp_new0 (guint8, draft->tensors->len + 1);

  for (guint i = 0; i < draft->inputs->len; i++)
    hangs[tp_array_index (draft->inputs, int, i)] = TRUE;
  for (guint i = 0; i < draft->tensors->len; i++)
    hangs[i] |= tp_draft_tensor (draft, i)->state > 0;
  for (guint i = 0; i < draft->nodes->len; i++)
    {
      const TpNode *node = tp_draft_node (draft, i);

      for (int k = 0; hangs_on_run (hangs, node) && k < node->n_outputs; k++)
        {
          int tensor = node->outputs[k];

          if (tensor < 0)
            continue;
          hangs[tensor] = !tp_tensor_is_constant (tp_draft_tensor (draft, tensor));
          self->is_open[tensor]
              = hangs[tensor] && node->branch == 0 && !self->is_lost[tensor];
        }
    }
}

static void
name (Remedy *self, int tensor)
{
  const char *name;

  if (tensor < 0 || !self->is_open[tensor])
    return;
  name = tp_draft_tensor (self->draft, tensor)->name;
  self->is_open[tensor] = FALSE;
  tp_array_append_val (self->names, name);
}

static void
name_read (Remedy *self, const TpNode *node)
{
  const TpBranch *branch = tp_draft_branch (self->draft, node->branch);

  for (int i = 0; i < node->n_inputs; i++)
    name (self, node->inputs[i]);
  for (; branch != NULL; branch = tp_draft_branch (self->draft, branch->parent))
    name (self, branch->condition);
}

static void
name_all (Remedy *self)
{
  const TpArray *outputs = self->draft->outputs;

  for (guint i = 0; i < self->draft->nodes->len; i++)
    if (self->is_bad[i])
      name_read (self, tp_draft_node (self->draft, i));
  for (guint i = 0; i < outputs->len; i++)
    name (self, tp_array_index (outputs, int, i));
}

static void
name_read_by_first (Remedy *self)
{
  guint first = 0;

  tp_array_set_size (self->names, 0);
  find_open (self);
  while (!self->fails[first])
    first++;
  name_read (self, tp_draft_node (self->draft, first));
}

/* ---- as text --------------------------------------------------------------- */

/* As a shell takes it. A name with a comma stands alone. */
static void
append_name (GString *text, const char *name, gboolean *is_list)
{
  gboolean is_plain = name[strspn (name, PLAIN)] == '\0';
  g_autofree char *quoted = is_plain ? g_strdup (name) : g_shell_quote (name);

  g_string_append (text, *is_list && is_plain ? "," : " --outputs=");
  g_string_append (text, quoted);
  *is_list = is_plain;
}

/* NULL: there is nothing to name, or too much. */
static char *
write_names (const Remedy *self)
{
  g_autoptr (GString) text = g_string_new (NULL);
  gboolean is_list = FALSE;

  for (guint i = 0; i < self->names->len && text->len <= MOST_BYTES; i++)
    append_name (text, tp_array_index (self->names, const char *, i), &is_list);
  return text->len == 0 || text->len > MOST_BYTES
             ? NULL
             : g_string_free (g_steal_pointer (&text), FALSE);
}

void
tp_cut_remedy_explain (TpDraft *draft, const guint8 *fails, GError *error)
{
  g_auto (Remedy) self = { .draft = draft, .fails = fails };
  const char *up_to = "it";
  g_autofree char *names = NULL;
  char *message = error->message;

  self.is_bad = tp_new0 (guint8, draft->nodes->len + 1);
  self.is_bad_branch = tp_new0 (guint8, draft->branches->len + 1);
  self.is_lost = tp_new0 (guint8, draft->tensors->len + 1);
  self.is_open = tp_new0 (guint8, draft->tensors->len + 1);
  self.names = tp_array_new (sizeof (const char *));
  while (spread (&self))
    ;
  find_open (&self);
  name_all (&self);
  names = write_names (&self);
  if (names == NULL && self.names->len > 0)
    {
      name_read_by_first (&self);
      names = write_names (&self);
      up_to = "what it reads";
    }
  if (names == NULL)
    return;
  error->message = g_strconcat (message, ", or plan up to ", up_to, ", with", names,
                                NULL);
  g_free (message);
}
