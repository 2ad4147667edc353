/* plan-lines.h: the long lists of a plan, a few lines at a time.
 *
 * As values of JSON a list takes ten times its text. Plans are written with one
 * element a line, so those lines are left out of what is parsed as a whole, and
 * parsed when they are read. Text that is laid out in another way is read otherwise:
 * whoever takes what is found here compares the text with that of the plan that came
 * of it. */
#ifndef TP_FORMAT_PLAN_LINES_H
#define TP_FORMAT_PLAN_LINES_H

#include <jansson.h>

#include "format/plan-scan.h"

typedef struct TpPlanLines TpPlanLines;

/* Borrows @text. NULL: it has no such lists, or is not laid out so. */
TpPlanLines *tp_plan_lines_new (const char *text, gsize size);
void tp_plan_lines_free (TpPlanLines *lines);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (TpPlanLines, tp_plan_lines_free)

/* What is left: the lists are empty in it. */
const GString *tp_plan_lines_get_rest (const TpPlanLines *lines);

/* Where the line begins that has @key of the plan itself; NULL: there is none. */
const char *tp_plan_lines_find_line (const TpPlanLines *lines,
                                     const char *key);

/* The elements of one list, in order. */
typedef struct
{
  int n;                      /* how many there are */
  const json_t *list;         /* all of them; NULL: they are lines */
  const char *at, *end;       /* lines that are still to parse */
  json_t *parsed;
  gsize n_parsed;             /* elements taken from those; or from @list */
  GString *text;
} TpPlanRows;
void tp_plan_rows_clear (TpPlanRows *rows);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (TpPlanRows, tp_plan_rows_clear)

/* FALSE: @key is none of those lists. */
gboolean tp_plan_lines_find (const TpPlanLines *lines, const char *key,
                             TpPlanRows *out_rows);
/* The next element, good until the one after it is asked for. NULL: there is none
 * that could be parsed. */
const json_t *tp_plan_rows_next (TpPlanRows *rows);
/* The same as text, to scan; FALSE: it is not there as a line, or parsed already. */
gboolean tp_plan_rows_take (TpPlanRows *rows, TpPlanScan *out_line);
/* The line taken last is not as expected: tp_plan_rows_next () has it. Always FALSE. */
gboolean tp_plan_rows_put_back (TpPlanRows *rows, const TpPlanScan *line);

#endif
