/* hint-words.c: see hint-words.h. */
#include "config.h"

#include "cli/hint-words.h"

#include <string.h>

char *
tp_hint_quote (const char *word)
{
  static const char plain[] = G_CSET_a_2_z G_CSET_A_2_Z G_CSET_DIGITS
      "_-+=.,:/@%";

  return *word != 0 && word[strspn (word, plain)] == 0
             ? g_strdup (word)
             : g_shell_quote (word);
}

void
tp_hint_add (GString *line, const char *word)
{
  g_autofree char *quoted = tp_hint_quote (word);

  g_string_append_printf (line, " %s", quoted);
}

void
tp_hint_add_option (GString *line, const char *name, const char *value)
{
  g_string_append_printf (line, " --%s", name);
  if (value != NULL)
    tp_hint_add (line, value);
}

void
tp_hint_add_number (GString *line, const char *name, gint64 value)
{
  g_string_append_printf (line, " --%s %" G_GINT64_FORMAT, name, value);
}

gboolean
tp_hint_has_option (const TpCommand *command, const char *name)
{
  for (const GOptionEntry *it = command->options;
       it != NULL && it->long_name != NULL; it++)
    if (strcmp (it->long_name, name) == 0)
      return TRUE;
  return FALSE;
}
