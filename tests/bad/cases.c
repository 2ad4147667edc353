/* cases.c: reads tables of bad files; see cases.h. */
#include "config.h"

#include "cases.h"

#include <string.h>

typedef struct
{
  const char *path;
  char *table;
  int line;
  char *run;                  /* for cases that say nothing else */
  GHashTable *lets;
  GPtrArray *cases;
  Case *now;                  /* NULL before the first */
  Step *file;                 /* that indented lines belong to */
} Table;

static void G_GNUC_NORETURN
fail (const Table *table, const char *what)
{
  g_error ("%s:%d: %s", table->path, table->line, what);
}

static Step *
add_step (Table *table, StepKind kind, const char *name, const char *content)
{
  Step *step = g_new0 (Step, 1);

  if (table->now == NULL)
    fail (table, "outside of a case");
  step->kind = kind;
  step->name = g_strdup (name);
  step->content = g_string_new (content);
  g_ptr_array_add (table->now->steps, step);
  return step;
}

static void
add_case (Table *table, const char *name)
{
  Case *one = g_new0 (Case, 1);

  one->table = table->table;
  one->line = table->line;
  one->name = g_strdup (name);
  one->run = g_strdup (table->run);
  one->exit_code = 3;
  one->says = g_string_new (NULL);
  one->steps = g_ptr_array_new ();
  one->lets = table->lets;
  g_ptr_array_add (table->cases, one);
  table->now = one;
}

static void
set_run (Table *table, const char *rest)
{
  char **run = table->now != NULL ? &table->now->run : &table->run;

  g_free (*run);
  *run = g_strdup (rest);
}

static void
add_says (Table *table, const char *rest)
{
  GString *says = table->now->says;

  g_string_append_printf (says, "%s%s\n", says->len == 0 ? "tplan: " : "",
                          rest);
}

/* "@{name}" by what `let` says. */
static char *
expand (const Table *table, const char *line)
{
  GString *text = g_string_new (line);
  GHashTableIter iter;
  gpointer name, value;

  for (int i = 0; i < 4 && strstr (text->str, "@{") != NULL; i++)
    {
      g_hash_table_iter_init (&iter, table->lets);
      while (g_hash_table_iter_next (&iter, &name, &value))
        {
          g_autofree char *mark = g_strdup_printf ("@{%s}", (char *) name);
          g_string_replace (text, mark, value, 0);
        }
    }
  return g_string_free (text, FALSE);
}

static void
add_content (Table *table, const char *line)
{
  g_autofree char *text = NULL;

  if (table->file == NULL)
    fail (table, "no file for this line");
  text = table->file->kind == STEP_TEXT ? expand (table, line)
                                        : g_strdup (line);
  g_string_append_printf (table->file->content, "%s\n", text);
}

/* "a b" and "a => b". */
static void
add_pair (Table *table, StepKind kind, const char *rest, const char *between)
{
  const char *cut = strstr (rest, between);
  g_autofree char *first
      = cut != NULL ? g_strndup (rest, cut - rest) : g_strdup (rest);

  add_step (table, kind, first, cut != NULL ? cut + strlen (between) : "");
}

static void
read_word (Table *table, const char *word, const char *rest)
{
  if (strcmp (word, "==") == 0)
    add_case (table, rest);
  else if (strcmp (word, "run") == 0)
    set_run (table, rest);
  else if (strcmp (word, "exit") == 0)
    table->now->exit_code = (int) g_ascii_strtoll (rest, NULL, 10);
  else if (strcmp (word, "says") == 0)
    add_says (table, rest);
  else if (strcmp (word, "text") == 0)
    table->file = add_step (table, STEP_TEXT, rest, "");
  else if (strcmp (word, "bytes") == 0)
    table->file = add_step (table, STEP_BYTES, rest, "");
  else if (strcmp (word, "make") == 0)
    add_pair (table, STEP_MAKE, rest, " ");
  else if (strcmp (word, "edit") == 0)
    add_pair (table, STEP_EDIT, rest, " => ");
  else if (strcmp (word, "flip") == 0)
    add_step (table, STEP_FLIP, rest, "");
  else if (strcmp (word, "plan") == 0)
    add_step (table, STEP_PLAN, "", "");
  else if (strcmp (word, "unsigned") == 0)
    table->now->is_unsigned = TRUE;
  else
    fail (table, "unknown word");
}

static void
read_line (Table *table, const char *line)
{
  g_auto (GStrv) parts = NULL;

  if (*line == '\0' || *line == '#')
    return;
  if (g_str_has_prefix (line, "  "))
    {
      add_content (table, line + 2);
      return;
    }
  table->file = NULL;
  if (g_str_has_prefix (line, "let "))
    {
      parts = g_strsplit (line, " ", 3);
      g_hash_table_insert (table->lets, g_strdup (parts[1]),
                           g_strdup (parts[2] ? parts[2] : ""));
      return;
    }
  if (table->now == NULL && !g_str_has_prefix (line, "== ")
      && !g_str_has_prefix (line, "run "))
    fail (table, "outside of a case");
  parts = g_strsplit (line, " ", 2);
  read_word (table, parts[0], parts[1] != NULL ? parts[1] : "");
}

GPtrArray *
cases_load (const char *path)
{
  Table table = { .path = path, .cases = g_ptr_array_new () };
  g_autofree char *text = NULL;
  g_auto (GStrv) lines = NULL;

  if (!g_file_get_contents (path, &text, NULL, NULL))
    fail (&table, "cannot be read");
  table.table = g_path_get_basename (path);
  *strchr (table.table, '.') = '\0';
  table.lets
      = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, g_free);
  lines = g_strsplit (text, "\n", -1);
  for (int i = 0; lines[i] != NULL; i++)
    {
      table.line = i + 1;
      read_line (&table, lines[i]);
    }
  g_free (table.run);
  return table.cases;
}
