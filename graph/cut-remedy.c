/* cut-remedy.c: see cut-remedy.h. */
#include "config.h"

#include "graph/cut-remedy.h"

#include <string.h>

#define MOST_NAMES 8
#define PLAIN "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-./:@%+"

static gboolean
has_before (const char *const *names, int n, const char *name)
{
  for (int i = 0; i < n; i++)
    if (names[i] != NULL && strcmp (names[i], name) == 0)
      return TRUE;
  return FALSE;
}

/* As a shell takes it. A name with a comma stands alone. */
static void
append_name (GString *text, const char *name, gboolean *is_open)
{
  gboolean is_plain = name[strspn (name, PLAIN)] == '\0';
  g_autofree char *quoted = is_plain ? g_strdup (name) : g_shell_quote (name);

  g_string_append (text, *is_open && is_plain ? "," : " --outputs=");
  g_string_append (text, quoted);
  *is_open = is_plain;
}

char *
tp_cut_remedy_new (const char *const *names, int n)
{
  g_autoptr (GString) text
      = g_string_new (", or plan up to what it reads, with");
  gboolean is_open = FALSE;
  int n_named = 0;

  for (int i = 0; i < n && n_named <= MOST_NAMES; i++)
    if (names[i] != NULL && !has_before (names, i, names[i]))
      {
        append_name (text, names[i], &is_open);
        n_named++;
      }
  return n_named == 0 || n_named > MOST_NAMES
             ? g_strdup ("")
             : g_string_free (g_steal_pointer (&text), FALSE);
}

const char *
tp_cut_remedy_get_name (TpDraft *draft, int tensor)
{
  const TpTensor *it = tensor < 0 ? NULL : tp_draft_tensor (draft, tensor);

  return it != NULL && !tp_tensor_is_constant (it) && it->producer >= 0
                 && it->producer < (int) draft->nodes->len
                 && tp_draft_node (draft, it->producer)->branch == 0
             ? it->name
             : NULL;
}
