/* affinity.h: a placement in the words of other runtimes. */
#ifndef TP_FORMAT_AFFINITY_H
#define TP_FORMAT_AFFINITY_H

#include "graph/graph-builder-private.h"

/* Ops of a model as its file has it, and where they are to be. */
typedef struct
{
  TpGraphBuilder *builder;
  const char *const *devices; /* [node]; NULL: the runtime is to choose */
} TpAffinity;

/* A runtime. */
typedef struct
{
  const char *name;
  const char *host;           /* what it calls the processor itself */
  const char *other;          /* and the others, before a number from 0 */
  gboolean (*write) (const TpAffinity *affinity, GString *out, GError **error);
} TpAffinityKind;

/* Names of all; the caller frees the array. */
const char **tp_affinity_list (void);

/* TPLAN_ERROR_USAGE says which there are. */
const TpAffinityKind *tp_affinity_find (const char *name, GError **error);

/**
 * tp_affinity_write:
 * @affinity: with devices in the words of @kind
 *
 * Appends a JSON document. TPLAN_ERROR_INPUT: a name that @kind cannot be told.
 */
gboolean tp_affinity_write (const TpAffinityKind *kind,
                            const TpAffinity *affinity, GString *out,
                            GError **error);

#endif
