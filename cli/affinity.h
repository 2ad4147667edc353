/* affinity.h: a placement for another runtime, with devices as that names them. */
#ifndef TP_CLI_AFFINITY_H
#define TP_CLI_AFFINITY_H

#include "cli/cli.h"
#include "format/affinity.h"

typedef struct
{
  const TpAffinityKind *kind;
  char **names;               /* (nullable) "DEV=NAME", instead of the usual */
  TpGraphBuilder *builder;
  const char *const *devices; /* [node]; NULL: none */
} TpCliAffinity;

/* Into the first output of @cli. */
gboolean tp_cli_write_affinity (TpCli *cli, const TpCliAffinity *it,
                                GError **error);

#endif
