/* keys.h: what the nodes and groups of a graph are called in the cost table. */
#ifndef TP_CALIB_KEYS_H
#define TP_CALIB_KEYS_H

#include "calib/cost-db.h"

typedef struct
{
  int n_nodes;
  const int *nodes;           /* (owned by the graph's groups or the TpKeys) */
  TpLowered *lowered;         /* NULL: cannot be, or not kept */
  gboolean is_lowerable;
  gboolean has_reference;     /* a device that runs nodes can run it */
  gboolean is_free;           /* computes nothing: a VIEW */
  gboolean is_second;         /* as TpGroup has it */
  gboolean is_opaque;         /* known by the costs in the file only */
  const char *reason;         /* why not lowerable; interned */
  char *digest;               /* hex SHA-256; equal ones are one kernel */
  const char *dtype;          /* of what is written */
  char *family;
  char *label;
  TpWork work;
} TpKey;

typedef struct
{
  int n;                      /* nodes, then groups */
  int n_nodes;
  TpKey *keys;
  int *indices;               /* 0, 1, 2, ...: nodes of one-node keys */
} TpKeys;

/* What they are called without a key for each: one for all that are alike. */
typedef struct
{
  int n;                      /* nodes, then groups */
  TpArray *keys;              /* TpKey, without nodes, family, label and work */
  int *key_of;                /* [node, then group]: which of them */
} TpNames;

/* Borrows @groups (nullable). */
TpNames *tp_names_new (const TpGraph *graph, const TpGroups *groups);
void tp_names_free (TpNames *names);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (TpNames, tp_names_free)
const TpKey *tp_names_get (const TpNames *names, int row);
/* As TpCosts has them: places of one kernel get one number, since they have one
 * measurement. */
int *tp_names_number_kernels (const TpNames *names);

/* @keep_lowered: to be compiled; else only named. Borrows @groups. */
TpKeys *tp_keys_new (const TpGraph *graph, const TpGroups *groups,
                     gboolean keep_lowered);
void tp_keys_free (TpKeys *keys);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (TpKeys, tp_keys_free)

/* What the ops of the graph compute, wherever they run: hex SHA-256. */
char *tp_keys_find_network (const TpKeys *keys);

/* Whether the device called @device could run it at all; else *@out_reason. */
gboolean tp_key_is_runnable (const TpKey *key, const char *device,
                             const char **out_reason);

#endif
