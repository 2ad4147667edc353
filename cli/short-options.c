/* short-options.c: see short-options.h. */
#include "config.h"

#include "cli/short-options.h"

#include <string.h>

static gboolean
takes_value (const GOptionEntry *option)
{
  return option != NULL && option->arg != G_OPTION_ARG_NONE;
}

static const GOptionEntry *
find_short (const GPtrArray *options, char letter)
{
  for (guint i = 0; i < options->len; i++)
    {
      const GOptionEntry *it = options->pdata[i];

      if (letter != '\0' && it->short_name == letter)
        return it;
    }
  return NULL;
}

static const GOptionEntry *
find_long (const GPtrArray *options, const char *name)
{
  for (guint i = 0; i < options->len; i++)
    {
      const GOptionEntry *it = options->pdata[i];

      if (strcmp (it->long_name, name) == 0)
        return it;
    }
  return NULL;
}

/* The place in @word, which begins with one '-', of the first letter whose option
 * takes a value; 0: there is none. */
static gsize
find_valued (const GPtrArray *options, const char *word)
{
  gsize i = 1;

  while (find_short (options, word[i]) != NULL)
    {
      if (takes_value (find_short (options, word[i])))
        return i;
      i++;
    }
  return 0;
}

/* Adds @word, in two where it has a value; whether the next word is its value. */
static gboolean
add_word (GPtrArray *words, const GPtrArray *options, const char *word)
{
  gsize at = word[0] == '-' && word[1] != '-' ? find_valued (options, word) : 0;

  if (at > 0 && word[at + 1] != '\0')
    {
      g_ptr_array_add (words, g_strndup (word, at + 1));
      g_ptr_array_add (words, g_strdup (word + at + 1));
      return FALSE;
    }
  g_ptr_array_add (words, g_strdup (word));
  return at > 0
         || (g_str_has_prefix (word, "--")
             && takes_value (find_long (options, word + 2)));
}

GPtrArray *
tp_short_options_split (const GPtrArray *options, int argc, char **argv)
{
  GPtrArray *words = g_ptr_array_new_with_free_func (g_free);
  gboolean is_value = FALSE, is_over = FALSE;

  for (int i = 0; i < argc; i++)
    {
      is_over = is_over || (!is_value && strcmp (argv[i], "--") == 0);
      if (i == 0 || is_value || is_over)
        g_ptr_array_add (words, g_strdup (argv[i]));
      is_value = i > 0 && !is_value && !is_over
                 && add_word (words, options, argv[i]);
    }
  g_ptr_array_add (words, NULL);
  return words;
}

/* GLib takes --quiet=no as --quiet. */
gboolean
tp_short_options_check (const GPtrArray *options, const GPtrArray *words,
                        GError **error)
{
  gboolean is_value = FALSE;

  for (guint i = 1; i < words->len && words->pdata[i] != NULL; i++)
    {
      const char *word = words->pdata[i];
      g_autofree char *name = g_strndup (word, strcspn (word, "="));
      const GOptionEntry *option = !is_value && g_str_has_prefix (name, "--")
                                       ? find_long (options, name + 2)
                                       : NULL;

      if (strcmp (word, "--") == 0)
        return TRUE;
      is_value = takes_value (option) && strchr (word, '=') == NULL;
      if (option == NULL || takes_value (option) || strchr (word, '=') == NULL)
        continue;
      g_set_error (error, G_OPTION_ERROR, G_OPTION_ERROR_BAD_VALUE,
                   "%s takes no value, and is off where it is left out", name);
      return FALSE;
    }
  return TRUE;
}
