/* output.h: talk, results, and files that are whole or absent. */
#ifndef TP_CLI_OUTPUT_H
#define TP_CLI_OUTPUT_H

#include <jansson.h>

#include "cli/cli.h"
#include "format/file-save.h"

/* What every line below is put through first; its caller frees. */
void tp_cli_complete_lines (char *(*with) (const char *text));

/* A line of results. Whatever is in it, and in the lines of talk below, is one
 * line that is fit for a terminal. */
void tp_cli_print (const char *format, ...) G_GNUC_PRINTF (1, 2);
void tp_cli_note (const TpCli *cli, const char *format, ...)
    G_GNUC_PRINTF (2, 3);     /* a line of talk, unless quiet */
void tp_cli_warn (const TpCli *cli, const char *format, ...)
    G_GNUC_PRINTF (2, 3);     /* a line of talk, always */

/* Refuses what exists unless -f, and where no file can be made; call before long
 * work. "-" is stdout. */
gboolean tp_cli_check_output (const TpCli *cli, const char *path,
                              GError **error);

/* The latter alone. */
gboolean tp_cli_check_writable (const char *path, GError **error);

/* Whether there is a folder of that name to write to, or one can be made: before long
 * work; and makes it. */
gboolean tp_cli_check_folder (const char *path, GError **error);
gboolean tp_cli_make_folder (const char *path, GError **error);

/* Whole or not at all: written beside @path, then renamed; what is no stdout is
 * told. */
gboolean tp_cli_write_output (const TpCli *cli, const char *path,
                              const void *data, gsize size, GError **error);

/* Likewise of what @fill writes; @path is no "-". */
typedef gboolean (*TpCliFill) (TpSaver *saver, gconstpointer data,
                               GError **error);
gboolean tp_cli_fill_output (const TpCli *cli, const char *path,
                             TpCliFill fill, gconstpointer data,
                             GError **error);

/* Takes @document; indented, with a line end. */
void tp_cli_print_json (json_t *document);
/* The text of it; g_free (); NULL: there was no memory for it, or for something in
 * it. */
char *tp_cli_dump_json (const json_t *document, size_t flags);

/* Numbers as JSON has them; infinities and NaN become null. */
json_t *tp_cli_real (double value);

/* Any string, made valid; NULL becomes null. */
json_t *tp_cli_string (const char *text);
/* The same, fit to be shown, too: see ir/foreign-text.h. */
json_t *tp_cli_clean_string (const char *text);

#endif
