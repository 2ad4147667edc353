/* cut-vertex.c: see cut-vertex.h. */
#include "config.h"

#include "ir/cut-vertex.h"

#include "ir/decimal.h"

#include <string.h>

/* By kind: what is before the number, and after it. */
static const struct
{
  char head;
  const char *tail;
  gboolean has_number;
} kinds[TP_N_CUT_VERTICES] = {
  [TP_CUT_SOURCE] = { 's', "", FALSE },
  [TP_CUT_SINK] = { 't', "", FALSE },
  [TP_CUT_NODE] = { 'n', "", TRUE },
  [TP_CUT_ON_SECOND] = { 'h', "", TRUE },
  [TP_CUT_ON_FIRST] = { 'd', "", TRUE },
  [TP_CUT_WHOLE_FIRST] = { 'g', "c", TRUE },
  [TP_CUT_WHOLE_SECOND] = { 'g', "d", TRUE },
  [TP_CUT_TOGETHER] = { 'k', "", TRUE },
};

char *
tp_cut_vertex_write (TpCutVertex vertex, char *name)
{
  char *at = name;

  if (vertex.kind < 0 || vertex.kind >= TP_N_CUT_VERTICES)
    return strcpy (name, "?");
  *at++ = kinds[vertex.kind].head;
  if (kinds[vertex.kind].has_number)
    at += tp_decimal_write (vertex.index, at);
  strcpy (at, kinds[vertex.kind].tail);
  return name;
}

/* FALSE: none, or more than G_MAXINT. */
static gboolean
read_number (const char **text, int *out)
{
  gint64 number = 0;

  if (!g_ascii_isdigit (**text)
      || (**text == '0' && g_ascii_isdigit ((*text)[1])))
    return FALSE;
  for (; g_ascii_isdigit (**text) && number <= G_MAXINT; ++*text)
    number = 10 * number + (**text - '0');
  *out = (int) number;
  return number <= G_MAXINT;
}

gboolean
tp_cut_vertex_read (const char *name, TpCutVertex *out)
{
  const char *rest = name + 1;

  *out = (TpCutVertex){ 0, 0 };
  if (name[0] == 's' || name[0] == 't')
    {
      out->kind = name[0] == 's' ? TP_CUT_SOURCE : TP_CUT_SINK;
      return *rest == 0;
    }
  if (name[0] == 0 || !read_number (&rest, &out->index))
    return FALSE;
  for (int i = 0; i < TP_N_CUT_VERTICES; i++)
    if (kinds[i].has_number && kinds[i].head == name[0]
        && strcmp (kinds[i].tail, rest) == 0)
      {
        out->kind = i;
        return TRUE;
      }
  return FALSE;
}
