/* placement.h: which op is to be on which device, as others wrote it down. */
#ifndef TP_FORMAT_PLACEMENT_H
#define TP_FORMAT_PLACEMENT_H

#include "graph/graph-builder-private.h"
#include "ir/graph.h"

/* Key of the metadata of an ONNX node that names its device. */
#define TP_PLACEMENT_KEY "tplan.device"

/* Where an entry stands: what it is counted by. */
typedef enum
{
  TP_PLACEMENT_LINES,         /* of CSV */
  TP_PLACEMENT_OPS,           /* objects in a list of JSON */
  TP_PLACEMENT_KEYS,          /* of an object of JSON */
  TP_PLACEMENT_NODES,         /* of an ONNX graph */
} TpPlacementKind;

typedef struct
{
  char *op, *device;
  int index;                  /* from 1 for lines, from 0 for others */
} TpPlacementEntry;

typedef struct
{
  char *path;
  TpPlacementKind kind;
  TpArray *entries;           /* TpPlacementEntry */
  TpMap *by_op;               /* char* -> index of its entry + 1 */
} TpPlacementFile;

/**
 * tp_placement_load:
 * @path: CSV, JSON, or an ONNX model with metadata, by its first bytes
 *
 * TPLAN_ERROR_INPUT: what it is not, or an op that stands in it twice.
 */
TpPlacementFile *tp_placement_load (const char *path, GError **error);
void tp_placement_free (TpPlacementFile *file);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (TpPlacementFile, tp_placement_free)

/* What a placement is to be of. */
typedef struct
{
  const TpGraph *graph;       /* as it is planned */
  TpGraphBuilder *source;     /* (nullable): the same as its file has it */
  const char *const *devices; /* names, NULL-terminated */
} TpPlacementTarget;

/**
 * tp_placement_match:
 * @out_devices: [node]
 * @out_n_gone: entries of ops that planning folds away: they say nothing
 *
 * An op that planning made of another ("name:step") goes where that goes, unless
 * it has an entry of its own. TPLAN_ERROR_INPUT: an op or a device there is not,
 * an op without a device.
 */
gboolean tp_placement_match (const TpPlacementFile *file,
                             const TpPlacementTarget *target,
                             guint8 *out_devices, int *out_n_gone,
                             GError **error);

/**
 * tp_placement_spread:
 * @source: a graph as its file has it
 *
 * For each op of the file the device in @file; for one that has none there, since
 * planning folds it away, that of the first op that reads it, or else of the last
 * that it reads; NULL: there is none either.
 *
 * Returns: (transfer container): [node of the draft], names that @file owns;
 *   TPLAN_ERROR_INPUT: @source has no such op.
 */
const char **tp_placement_spread (const TpPlacementFile *file,
                                  TpGraphBuilder *source, GError **error);

/* Names of @devices [n], NULL for none, each once, in the order of their first op. */
GPtrArray *tp_placement_list_devices (const char *const *devices, guint n);

#endif
