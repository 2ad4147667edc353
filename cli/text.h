/* text.h: numbers and tables as people read them. */
#ifndef TP_CLI_TEXT_H
#define TP_CLI_TEXT_H

#include <stdio.h>

#include "cli/cli.h"

/* Whether @stream (stdout, stderr) is to be coloured. */
gboolean tp_cli_has_colour (const TpCli *cli, FILE *stream);

/* The caller frees these. */
char *tp_cli_format_time (gint64 time_ns);
char *tp_cli_format_bytes (gint64 bytes);
/* At most @n characters of @text: its end says most, for exporters put the path
 * before it. */
char *tp_cli_shorten (const char *text, int n);

/* Rows of text under headers; a header that starts with '>' is right-aligned.
 * A table of "NAME", "VALUE" goes without its headers. CSV is another matter: see
 * csv.h. */
typedef struct TpTable TpTable;
TpTable *tp_table_new (const char *const *headers);
void tp_table_free (TpTable *table);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (TpTable, tp_table_free)

/* One string per column, taken; NULL is empty. */
void tp_table_add (TpTable *table, char *first, ...);
/* The same of a list; the strings are taken, not the list. */
void tp_table_add_list (TpTable *table, char *const *cells);
/* So that lines have no more than 100 characters, as far as that can be: columns with
 * nothing in them are left out, and the first is shortened. */
void tp_table_fit (TpTable *table);
/* The same of the last column, which goes on in the next line, but for what is to be
 * pasted: cells with a backquote stay as they are. */
void tp_table_wrap (TpTable *table);
void tp_table_print (const TpTable *table, const TpCli *cli);

#endif
