/* cli.h: what the commands of `tplan` share.
 *
 * A command is one record in a file of its own; main.c lists them. Results go to
 * stdout, talk to stderr. */
#ifndef TP_CLI_CLI_H
#define TP_CLI_CLI_H

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
  TP_USES_PASSES = 1 << 9,    /* --no-pass, --state and --value */
  TP_USES_RATES = 1 << 10,    /* --exact, --watts, --price, --mem-reserve: hidden,
                               * in a row */
  TP_USES_STATES = 1 << 11,   /* --state and --value: of what is given; commands have those of
                               * passes */
  TP_USES_FILES = 1 << 12,    /* -o, but no stdout, and -f */
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
  char **no_pass;             /* --no-pass, NULL-terminated, never NULL */
  char **states;              /* --state, NULL-terminated, never NULL */
  char **numbers;             /* --value, likewise */
  char **cut;                 /* --outputs, likewise */
  char *cost_path;            /* (nullable) */
  const char *machine_path;   /* (nullable) --machine: of another one */
  gboolean follow_links;      /* --follow-symlinks */
  gboolean copies_weights;    /* --copy-weights */
  unsigned given;             /* TpCliUses: by a flag of the command line */
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
  const char *verbs;          /* (nullable) first argument: "show export" */
  unsigned uses;              /* TpCliUses */
  const GOptionEntry *options;/* own ones, (nullable) */
  gboolean (*run) (TpCli *cli, GError **error);
} TpCommand;
#define TP_CLI_ANY 1000000

#endif
