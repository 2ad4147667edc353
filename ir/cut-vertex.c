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
