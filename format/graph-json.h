/* graph-json.h: the parts of the JSON reader, for its own files. */
#ifndef TP_FORMAT_GRAPH_JSON_H
#define TP_FORMAT_GRAPH_JSON_H

#include "graph/graph-builder.h"
#include "format/json-read.h"

typedef struct
{
  TpGraphBuilder *builder;
  const char *path;           /* of the file; NULL: text from elsewhere */
  gboolean follow_links;
  GHashTable *files;          /* char* -> TpTensorFile*: of initializers */
} TpGraphJson;

static inline TpJsonPlace
tp_graph_json_place (const TpGraphJson *reader, const char *path)
{
  return (TpJsonPlace){ reader->path, path };
}

/* One entry of "initializers". */
gboolean tp_graph_json_add_initializer (const TpGraphJson *reader,
                                        const json_t *entry, const char *path,
                                        GError **error);
/* Entry @index of "ops". */
gboolean tp_graph_json_add_op (const TpGraphJson *reader, const json_t *ops,
                               gsize index, GError **error);
/* A shape that may name dimensions; strings stay the document's. */
gboolean tp_graph_json_read_shape (const TpGraphJson *reader,
                                   const json_t *list, const char *path,
                                   TpDimSpec *out_dims, int *out_rank,
                                   GError **error);

#endif
