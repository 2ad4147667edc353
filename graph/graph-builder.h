/* graph-builder.h: the inside of a builder, for its own files. */
#ifndef TP_GRAPH_GRAPH_BUILDER_H
#define TP_GRAPH_GRAPH_BUILDER_H

#include "graph/graph-draft.h"

/* A shape with dimensions still to be bound. */
typedef struct
{
  int tensor;
  TpDtype dtype;
  int rank;
  const TpDimSpec *dims;
  const char *place;
} TpBuilderSpec;

/* Beside each tensor of the draft. */
typedef struct
{
  gboolean is_defined;
  int user, input;            /* first use: node in order of adding; or -1 */
  const char *place;          /* of what defines it */
} TpBuilderState;

struct TpGraphBuilder
{
  TpDraft *draft;
  GHashTable *tensors;        /* char* -> index + 1 */
  GHashTable *nodes;          /* char*, a set */
  GHashTable *dims;           /* char* -> gint64*: defaults */
  GArray *states;             /* TpBuilderState, per tensor */
  GArray *specs;              /* TpBuilderSpec */
  GArray *constants;          /* int: tensors in order of adding */
  gint64 budget_bytes;        /* of the region; 0: none set */
  gboolean keeps_unknown;     /* ops of unknown type need no cost */
  gint64 generated_bytes;     /* of fill and random constants so far */
};

void tp_builder_set_error (TpGraphBuilder *builder, const char *place,
                           GError **error, const char *format, ...)
    G_GNUC_PRINTF (4, 5);

/* What the file may have more of if it is trusted. */
void tp_builder_set_limit_error (TpGraphBuilder *builder, TpLimit limit,
                                 const char *place, GError **error,
                                 const char *format, ...)
    G_GNUC_PRINTF (5, 6);

/* A Constant op is a constant from the start, called @output. */
gboolean tp_builder_add_constant_node (TpGraphBuilder *builder,
                                       const TpNode *node, const char *output,
                                       GError **error);

/* A file as it stands: names, attributes and symbolic dimensions as written, in
 * the order written; every op has a name. For those who copy it. */
TpGraphBuilder *tp_graph_open (const char *path, const TpLoadOptions *options,
                               GError **error);
TpGraphBuilder *tp_graph_open_json (const char *path, const char *text,
                                    gsize size, const TpLoadOptions *options,
                                    GError **error);
TpGraphBuilder *tp_graph_open_onnx (const char *path, GBytes *bytes,
                                    const TpLoadOptions *options,
                                    GError **error);
/* Every name means something, every op gets one. Sorts the ops. */
gboolean tp_graph_builder_check (TpGraphBuilder *builder, GError **error);
/* Its place in order of adding; -1: no constant. */
int tp_graph_builder_find_constant (TpGraphBuilder *builder, const char *name);

#endif
