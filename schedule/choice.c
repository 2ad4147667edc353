/* choice.c: choices and their text. */
#include "config.h"

#include "schedule/choice.h"

#include "ir/types.h"

#include <string.h>

#define SEPARATOR "; "

static int
count_values (const TpForm *form)
{
  int n = 0;

  for (const TpParam *param = form->params; param->name != NULL; param++)
    n += param->n;
  return n;
}

gboolean
tp_choice_is_power_of_two (gint64 value)
{
  return (value & (value - 1)) == 0;
}

gboolean
tp_choice_equal (const TpChoice *a, const TpChoice *b)
{
  return a->form == b->form
         && memcmp (a->values, b->values,
                    count_values (a->form) * sizeof a->values[0])
                == 0;
}

/* ---- writing ----------------------------------------------------------- */

static gboolean
is_unsaid (const TpParam *param, const gint64 *values)
{
  for (int i = 0; i < param->n; i++)
    if (param->unsaid == 0 || values[i] != param->unsaid)
      return FALSE;
  return TRUE;
}

void
tp_choice_append_text (const TpChoice *choice, GString *text)
{
  const gint64 *value = choice->values;

  g_string_append (text, choice->form->name);
  for (const TpParam *param = choice->form->params; param->name != NULL;
       value += param->n, param++)
    for (int i = 0; i < param->n && !is_unsaid (param, value); i++)
      {
        if (i == 0)
          g_string_append_printf (text, " %s=", param->name);
        g_string_append_printf (text, "%s%" G_GINT64_FORMAT,
                                i > 0 ? "x" : "", value[i]);
      }
}

char *
tp_choices_to_text (const TpArray *choices)
{
  GString *text = g_string_new (NULL);

  for (guint i = 0; i < choices->len; i++)
    {
      g_string_append (text, i > 0 ? SEPARATOR : "");
      tp_choice_append_text (&tp_array_index (choices, TpChoice, i), text);
    }
  return g_string_free (text, FALSE);
}

/* ---- reading ----------------------------------------------------------- */

/* Always FALSE. */
static gboolean G_GNUC_PRINTF (3, 4)
fail (const char *text, GError **error, const char *format, ...)
{
  g_autofree char *message = NULL;
  va_list args;

  va_start (args, format);
  message = g_strdup_vprintf (format, args);
  va_end (args);
  g_set_error (error, TPLAN_ERROR, TPLAN_ERROR_INPUT, "schedule '%.200s': %s",
               text, message);
  return FALSE;
}

static const TpForm *
find_form (const TpForm *const *forms, const char *name)
{
  for (; *forms != NULL; forms++)
    if (strcmp ((*forms)->name, name) == 0)
      return *forms;
  return NULL;
}

/* The parameter that @word, "NAME=...", sets; *out_at: its first value. */
static const TpParam *
find_param (const TpForm *form, const char *word, int *out_at)
{
  gsize length = strcspn (word, "=");

  *out_at = 0;
  for (const TpParam *param = form->params; param->name != NULL; param++)
    {
      if (strlen (param->name) == length
          && strncmp (param->name, word, length) == 0 && word[length] == '=')
        return param;
      *out_at += param->n;
    }
  return NULL;
}

/* "4x8" as the values of @param. */
static gboolean
parse_values (const TpParam *param, const char *text, gint64 *out_values)
{
  g_auto (GStrv) parts = g_strsplit (text, "x", param->n + 1);

  if ((int) g_strv_length (parts) != param->n)
    return FALSE;
  for (int i = 0; i < param->n; i++)
    if (!g_ascii_isdigit (parts[i][0])
        || !g_ascii_string_to_signed (parts[i], 10, param->min, param->max,
                                      &out_values[i], NULL))
      return FALSE;
  return TRUE;
}

static gboolean
parse_word (const char *text, const char *word, TpChoice *choice,
            gboolean *is_given, GError **error)
{
  int at;
  const TpParam *param = find_param (choice->form, word, &at);

  if (param == NULL)
    return fail (text, error, "'%.40s' is no parameter of '%s'", word,
                 choice->form->name);
  if (is_given[at])
    return fail (text, error, "'%s' is given twice", param->name);
  is_given[at] = TRUE;
  if (!parse_values (param, strchr (word, '=') + 1, &choice->values[at]))
    return fail (text, error,
                 "'%.40s' is not %d number%s from %" G_GINT64_FORMAT
                 " to %" G_GINT64_FORMAT,
                 word, param->n, param->n > 1 ? "s" : "", param->min,
                 param->max);
  return TRUE;
}

/* Fills in what may go unsaid. Returns what may not; NULL: nothing. */
static const TpParam *
find_missing (TpChoice *choice, const gboolean *is_given)
{
  gint64 *value = choice->values;

  for (const TpParam *param = choice->form->params; param->name != NULL;
       is_given += param->n, param++)
    for (int i = 0; i < param->n; i++, value++)
      {
        if (*is_given)
          continue;
        if (param->unsaid == 0)
          return param;
        *value = param->unsaid;
      }
  return NULL;
}

gboolean
tp_choice_parse (const char *text, const TpForm *const *forms,
                 TpChoice *out_choice, GError **error)
{
  g_auto (GStrv) words = g_strsplit (text, " ", -1);
  gboolean is_given[TP_CHOICE_MAX_VALUES] = { FALSE };
  const char *family = words[0] == NULL ? "" : words[0];
  const TpParam *missing;

  *out_choice = (TpChoice) { .form = find_form (forms, family) };
  if (out_choice->form == NULL)
    return fail (text, error, "there is no family '%.40s'", family);
  for (char **word = &words[1]; *word != NULL; word++)
    if (!parse_word (text, *word, out_choice, is_given, error))
      return FALSE;
  missing = find_missing (out_choice, is_given);
  if (missing != NULL)
    return fail (text, error, "'%s' is missing", missing->name);
  return TRUE;
}

TpArray *
tp_choices_parse (const char *text, const TpForm *const *forms,
                  GError **error)
{
  g_autoptr (TpArray) choices = tp_array_new (sizeof (TpChoice));
  g_auto (GStrv) parts = g_strsplit (text, SEPARATOR, -1);

  for (char **part = parts; *part != NULL; part++)
    {
      TpChoice choice;

      if (!tp_choice_parse (*part, forms, &choice, error))
        return NULL;
      tp_array_append_val (choices, choice);
    }
  return g_steal_pointer (&choices);
}
