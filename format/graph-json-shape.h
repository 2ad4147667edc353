/* graph-json-shape.h: what the parts of the JSON reader share. */
#ifndef TP_FORMAT_GRAPH_JSON_SHAPE_H
#define TP_FORMAT_GRAPH_JSON_SHAPE_H

#include "format/json-read.h"
#include "format/json-rows.h"
#include "format/load-options.h"
#include "graph/graph-builder.h"
#include "ir/map.h"

typedef struct
{
  TpGraphBuilder *builder;
  const char *path;           /* of the file; NULL: text from elsewhere */
  const TpLoadOptions *options;
  TpMap *files;               /* char* -> TpTensorFile*: of initializers */
  TpJsonRows *rows;           /* the ops, not parsed yet; NULL: they are */
  const json_t *ops;          /* NULL: not parsed */
} TpGraphJson;

static inline TpJsonPlace
tp_graph_json_place (const TpGraphJson *reader, const char *path,
                     const json_t *json)
{
  return (TpJsonPlace){ reader->path, path, json };
}

/* A shape that may name dimensions; strings stay the document's. */
gboolean tp_graph_json_read_shape (TpJsonPlace place, TpDimSpec *out_dims,
                                   int *out_rank, GError **error);

#endif
