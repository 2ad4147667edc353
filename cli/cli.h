/* cli.h: what the commands of `tplan` share.
 *
 * A command is one record in a file of its own; main.c lists them. Results go to
 * stdout, talk to stderr. */
#ifndef TP_CLI_CLI_H
#define TP_CLI_CLI_H

#include <jansson.h>
#include <stdio.h>

#include "include/tplan.h"
#include "runtime/device.h"

typedef enum
{
  TP_FORMAT_TABLE,
  TP_FORMAT_JSON,
  TP_FORMAT_CSV,
} TpFormat;

/* Groups of common options; each command names those it obeys. */
typedef enum
{
  TP_USES_OUTPUT = 1 << 0,    /* -o and -f */
  TP_USES_FORMAT = 1 << 1,    /* --format */
  TP_USES_DEVICES = 1 << 2,   /* --devices */
  TP_USES_THREADS = 1 << 3,   /* --threads */
  TP_USES_DIMS = 1 << 4,      /* --dim */
  TP_USES_COSTS = 1 << 5,     /* --cost */
  TP_USES_SEED = 1 << 6,      /* --seed */
  TP_USES_FORCE = 1 << 7,     /* -f alone */
  TP_USES_GRAPH = 1 << 8,     /* what files may ask for: --limit, --timeout */
} TpCliUses;

typedef struct
{
  int n_args;                 /* what is left after the options */
  char **args;
  char **outputs;             /* -o, NULL-terminated, never NULL */
  gboolean is_forced;         /* -f */
  gboolean is_quiet;
  gboolean is_verbose;
  int colour;                 /* 1 always, 0 never, -1 on a terminal */
  TpFormat format;
  char **devices;             /* --devices, $TPLAN_DEVICES or configured;
                               * NULL: the library decides */
  TpDeviceOptions device_options;
  char **dim_texts;           /* --dim, as written; never NULL */
  char *cost_path;            /* (nullable) */
  gboolean follow_links;      /* --follow-symlinks */
  GArray *limits;             /* --limit: as tp_cli_parse_dims () */
  TplanCosts *costs;          /* once asked for */
  gint64 seed;
  int exit_code;              /* for commands that neither fail nor succeed */
} TpCli;

enum
{
  TP_EXIT_GOOD = 0,
  TP_EXIT_FAILED = 1,
  TP_EXIT_USAGE = 2,
  TP_EXIT_INPUT = 3,
  TP_EXIT_PARTIAL = 4,
  TP_EXIT_LIMIT = 5,
  TP_EXIT_DEVICE = 6,
  TP_EXIT_STALE = 7,
  TP_EXIT_BUSY = 8,
  TP_EXIT_INTERRUPTED = 130,
};

typedef struct
{
  const char *name;
  const char *arguments;      /* "MODEL" */
  const char *summary;        /* one line */
  const char *details;        /* (nullable) a few lines: examples, exit status */
  int n_args_min, n_args_max; /* TP_CLI_ANY: no bound */
  unsigned uses;              /* TpCliUses */
  const GOptionEntry *options;/* own ones, (nullable) */
  gboolean (*run) (TpCli *cli, GError **error);
} TpCommand;
#define TP_CLI_ANY 1000000

/* options.c: fills @cli from @argv, environment and configuration file. Returns
 * FALSE with an error, or with none when help was asked for and printed. */
gboolean tp_cli_parse (TpCli *cli, const TpCommand *command, int argc,
                       char **argv, GError **error);
void tp_cli_clear (TpCli *cli);
void tp_cli_print_help (const TpCommand *command);
/* values.c: "N=8" or "N=1,2,4..64" (a doubling range): name -> list of gint64. */
gboolean tp_cli_parse_dim (const char *text, char **out_name,
                           GArray **out_values, GError **error);
/* Lists of TplanDim, as tplan.h takes them: ended by a NULL name. */
GArray *tp_cli_values_new (void);
/* Replaces the value that @name has. */
void tp_cli_values_set (GArray *values, const char *name, gint64 value);
/* "nodes=2M": a name and a number, which may end in K, M, G or T (1024). */
gboolean tp_cli_parse_limit (const char *text, GArray *limits, GError **error);
/* All of --dim, each with one value; empty when there are none. */
GArray *tp_cli_parse_dims (const TpCli *cli, GError **error);
/* "60", "1.5s", "200ms", "2m", "1h". */
gboolean tp_cli_parse_time (const char *text, gint64 *out_ns, GError **error);

/* values.c: how to read a graph, by the options; @dims: (nullable), which the
 * caller keeps. */
TplanLoadOptions tp_cli_load_options (const TpCli *cli, const GArray *dims);

/* options.c: of --devices, --threads and --cost. (owned by @cli) */
TplanCosts *tp_cli_get_costs (TpCli *cli, GError **error);

/* output.c */
void tp_cli_note (const TpCli *cli, const char *format, ...)
    G_GNUC_PRINTF (2, 3);     /* a line of talk, unless quiet */
void tp_cli_warn (const TpCli *cli, const char *format, ...)
    G_GNUC_PRINTF (2, 3);     /* a line of talk, always */
/* Whether @stream (stdout, stderr) is to be coloured. */
gboolean tp_cli_has_colour (const TpCli *cli, FILE *stream);
/* Refuses what exists unless -f; call before long work. "-" is stdout. */
gboolean tp_cli_check_output (const TpCli *cli, const char *path,
                              GError **error);
/* Whole or not at all: written beside @path, then renamed. */
gboolean tp_cli_write_output (const TpCli *cli, const char *path,
                              const void *data, gsize size, GError **error);
/* Takes @document; indented, with a line end. */
void tp_cli_print_json (json_t *document);
/* Numbers as JSON has them; infinities and NaN become null. */
json_t *tp_cli_real (double value);
/* Any string, made valid; NULL becomes null. */
json_t *tp_cli_string (const char *text);

/* text.c: for people. Caller frees. */
/* Control characters from a graph must not reach a terminal. */
char *tp_cli_clean (const char *text);
char *tp_cli_format_time (gint64 time_ns);
char *tp_cli_format_bytes (gint64 bytes);

/* Rows of text under headers; a header that starts with '>' is right-aligned.
 * Printed as a table or as CSV; a table of "NAME", "VALUE" goes without its
 * headers. */
typedef struct TpTable TpTable;
TpTable *tp_table_new (const char *const *headers);
void tp_table_free (TpTable *table);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (TpTable, tp_table_free)
/* One string per column, taken; NULL is empty. */
void tp_table_add (TpTable *table, char *first, ...);
void tp_table_print (const TpTable *table, const TpCli *cli);

/* progress.c: ends the program, with TP_EXIT_LIMIT, after @time_ns. */
void tp_cli_start_timeout (gint64 time_ns);
/* progress.c: a bar with ETA on a terminal, else nothing; @user_data: TpCli. */
void tp_cli_progress (int done, int total, const char *what, gint64 eta_ns,
                      gpointer user_data);
void tp_cli_progress_end (const TpCli *cli);
/* Set by Ctrl-C once tp_cli_catch_interrupts () was called; a second Ctrl-C
 * ends the process. */
void tp_cli_catch_interrupts (void);
const volatile gint *tp_cli_get_cancelled (void);

#endif
