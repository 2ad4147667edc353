/* plan-lines.c: see plan-lines.h. */
#include "config.h"

#include "format/plan-lines.h"

#include "ir/array.h"
#include "ir/text.h"

#include <string.h>

#define PARSE_BYTES (16 << 10) /* at once */
#define MAX_LINES 1000        /* that are not of lists; a plan has some 50 */

/* Those that grow with the graph. What comes before "ops" is not read: it is compared as
 * text. */
static const char *const keys[] = {
  "tensors", "colocations", "given_groups", "ops", "groups", "transfers", "all_groups",
  "claimed_groups", "op_costs", "group_costs", "to_device_costs", "to_host_costs", "flows",
  "tie_flows",
};

typedef struct
{
  const char *key;
  const char *begin, *end;    /* from its first line to the bracket that ends it */
  gsize n;
} List;

struct TpPlanLines
{
  TpArray *lists;             /* List */
  TpArray *lines;             /* const char *: where those of none begin */
  const char *end;
  GString *rest;
};

void
tp_plan_lines_free (TpPlanLines *lines)
{
  if (lines == NULL)
    return;
  tp_array_unref (lines->lists);
  tp_array_unref (lines->lines);
  g_string_free (lines->rest, TRUE);
  g_free (lines);
}

static const char *
skip_line (const char *at, const char *end)
{
  const char *stop = memchr (at, '\n', end - at);

  return stop == NULL ? end : stop + 1;
}

/* The key of a list that begins here, with its elements on lines of their own. */
static const char *
find_key (const char *at, const char *end)
{
  static const char tail[] = "\": [\n";

  for (gsize i = 0; i < G_N_ELEMENTS (keys); i++)
    {
      gsize length = strlen (keys[i]);

      if ((gsize) (end - at) >= 2 + length + strlen (tail)
          && memcmp (at, " \"", 2) == 0
          && memcmp (at + 2, keys[i], length) == 0
          && memcmp (at + 2 + length, tail, strlen (tail)) == 0)
        return keys[i];
    }
  return NULL;
}

/* The lines from @at on that are elements. */
static gboolean
find_list (const char *at, const char *end, const char *key, List *out)
{
  *out = (List){ .key = key, .begin = at, .end = at };
  for (; end - out->end > 2 && memcmp (out->end, "  ", 2) == 0; out->n++)
    out->end = skip_line (out->end, end);
  if (out->end - at < 3 || memcmp (out->end - 3, "],\n", 3) != 0)
    return FALSE;
  out->end -= 3;
  return TRUE;
}

TpPlanLines *
tp_plan_lines_new (const char *text, gsize size)
{
  g_autoptr (TpPlanLines) lines = g_new0 (TpPlanLines, 1);
  const char *end = text + size, *next;
  int n = 0;

  lines->lists = tp_array_new (sizeof (List));
  lines->lines = tp_array_new (sizeof (const char *));
  lines->end = end;
  lines->rest = g_string_new (NULL);
  for (const char *at = text; at < end; at = next)
    {
      const char *key = find_key (at, end);
      List list;

      next = skip_line (at, end);
      tp_text_append_len (lines->rest, at, next - at);
      tp_array_append_val (lines->lines, at);
      if (n++ == MAX_LINES)
        return NULL;
      if (key == NULL)
        continue;
      if (!find_list (next, end, key, &list))
        return NULL;
      tp_array_append_val (lines->lists, list);
      next = list.end;
    }
  return lines->lists->len == 0 ? NULL : g_steal_pointer (&lines);
}

const char *
tp_plan_lines_find_line (const TpPlanLines *lines, const char *key)
{
  for (guint i = 0; i < lines->lines->len; i++)
    {
      const char *at = tp_array_index (lines->lines, const char *, i);
      TpPlanScan line = { at, at, lines->end };

      if (tp_plan_scan_text (&line, " ") && tp_plan_scan_name (&line, key)
          && tp_plan_scan_text (&line, ": "))
        return at;
    }
  return NULL;
}

const GString *
tp_plan_lines_get_rest (const TpPlanLines *lines)
{
  return lines->rest;
}

void
tp_plan_rows_clear (TpPlanRows *rows)
{
  json_decref (rows->parsed);
  if (rows->text != NULL)
    g_string_free (rows->text, TRUE);
  *rows = (TpPlanRows){ 0 };
}

gboolean
tp_plan_lines_find (const TpPlanLines *lines, const char *key,
                    TpPlanRows *out_rows)
{
  for (guint i = 0; i < lines->lists->len; i++)
    {
      const List *list = &tp_array_index (lines->lists, List, i);

      if (strcmp (list->key, key) != 0)
        continue;
      *out_rows = (TpPlanRows){ .n = (int) MIN (list->n, G_MAXINT / 4),
                                .at = list->begin, .end = list->end };
      out_rows->text = g_string_new (NULL);
      return TRUE;
    }
  return FALSE;
}

/* A list of as many lines as are parsed at once. */
static void
parse (TpPlanRows *rows)
{
  const char *end = rows->at;

  while (end < rows->end && end - rows->at < PARSE_BYTES)
    end = skip_line (end, rows->end);
  g_string_truncate (rows->text, 0);
  tp_text_append_c (rows->text, '[');
  tp_text_append_len (rows->text, rows->at, end - rows->at);
  if (end < rows->end && end - rows->at > 2)
    g_string_truncate (rows->text, rows->text->len - 2); /* the comma */
  tp_text_append_c (rows->text, ']');
  rows->at = end;
  rows->n_parsed = 0;
  json_decref (rows->parsed);
  rows->parsed = json_loadb (rows->text->str, rows->text->len,
                             JSON_REJECT_DUPLICATES, NULL);
}

const json_t *
tp_plan_rows_next (TpPlanRows *rows)
{
  if (rows->list != NULL)
    return json_array_get (rows->list, rows->n_parsed++);
  if (rows->n_parsed == json_array_size (rows->parsed) && rows->at < rows->end)
    parse (rows);
  return json_array_get (rows->parsed, rows->n_parsed++);
}

gboolean
tp_plan_rows_take (TpPlanRows *rows, TpPlanScan *out_line)
{
  if (rows->list != NULL || rows->n_parsed != json_array_size (rows->parsed)
      || rows->at >= rows->end)
    return FALSE;
  out_line->begin = out_line->at = rows->at;
  out_line->end = rows->at = skip_line (rows->at, rows->end);
  return TRUE;
}

gboolean
tp_plan_rows_put_back (TpPlanRows *rows, const TpPlanScan *line)
{
  rows->at = line->begin;
  return FALSE;
}
