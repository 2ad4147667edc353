/* limit.h: how much a file may ask for before anybody vouches for it. */
#ifndef TP_IR_LIMIT_H
#define TP_IR_LIMIT_H

#include "ir/types.h"

typedef enum
{
  TP_LIMIT_NODES,             /* ops of a graph */
  TP_LIMIT_RANK,              /* dimensions of a tensor */
  TP_LIMIT_NAME,              /* bytes of a name */
  TP_LIMIT_MEMORY,            /* bytes a reader may take; 0: 8 x file + 64 MiB */
  TP_LIMIT_GENERATED,         /* bytes of all fill and random constants */
  TP_LIMIT_FOLD,              /* elements read and written by folding */
  TP_N_LIMITS
} TpLimit;

typedef struct
{
  gint64 values[TP_N_LIMITS];
} TpLimits;

void tp_limits_init (TpLimits *limits); /* the defaults */

/**
 * tp_limits_set:
 * @name: "nodes", "rank", "name", "memory", "generated" or "fold"
 *
 * TPLAN_ERROR_USAGE: no such limit, or @value is out of its range.
 */
gboolean tp_limits_set (TpLimits *limits, const char *name, gint64 value,
                        GError **error);

/* What reading a file of @size_bytes may take. */
gint64 tp_limits_get_memory (const TpLimits *limits, gint64 size_bytes);

/* "@prefix@message: if you trust the file, ...", code TPLAN_ERROR_LIMIT. */
void tp_limit_set_error (TpLimit limit, const char *prefix, GError **error,
                         const char *format, ...) G_GNUC_PRINTF (4, 5);

#endif
