/* csv.h: what a command says in JSON, as rows for a spreadsheet: a number is
 * alone in its cell, its unit is in the name of its column, or beside it. */
#ifndef TP_CLI_CSV_H
#define TP_CLI_CSV_H

#include <jansson.h>

#include "cli/cli.h"

/* Takes @document, and prints it as --format says, which is no table. As CSV: a
 * row for each object of its list @key, by columns of what these have; @key
 * NULL: rows of name, value and unit. What is nested is named "times_ns.cpu"; of
 * lists, only plain ones are shown. */
void tp_cli_print_data (const TpCli *cli, json_t *document, const char *key);

/* Of what is JSON for other commands to read: FALSE where --format asks for
 * anything else. @verb: "cost export"; @rows: what has the same as rows. */
gboolean tp_csv_is_json_meant (const TpCli *cli, const char *verb,
                               const char *rows, GError **error);

/* The rows as text, for a file; NULL: there is no memory. The caller frees. */
char *tp_csv_make_rows (const json_t *document, const char *key);

#endif

