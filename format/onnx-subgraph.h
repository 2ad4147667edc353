/* onnx-subgraph.h: graphs that are attributes: branches of an If, bodies of a Loop. They
 * are read like bodies of functions, and know all names around. */
#ifndef TP_FORMAT_ONNX_SUBGRAPH_H
#define TP_FORMAT_ONNX_SUBGRAPH_H

#include "format/onnx-scope.h"
#include "format/onnx-wire.h"
#include "format/onnx.h"

typedef struct
{
  const char *name;           /* of the attribute */
  TpWireField graph;          /* number 0: there is none */
  TpWirePath paths[2];        /* of the attribute, and of its graph */
  TpWire outer, wire;         /* of the node, and of the graph */
  TpOnnxCall call;
  char *prefix;
  TpMap *names;
  TpRegion *strings;
  TpArray *inputs, *outputs;  /* const char*: once read, as they are called around it */
} TpOnnxSubgraph;

/* The attribute @name of the node at @wire, which stays. */
void tp_onnx_subgraph_init (TpOnnxSubgraph *self, const TpWire *wire,
                            const char *name);
void tp_onnx_subgraph_clear (TpOnnxSubgraph *self);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (TpOnnxSubgraph, tp_onnx_subgraph_clear)

/* What attributes a node has that are graphs. */
typedef struct
{
  int n;
  TpOnnxSubgraph *graphs;
  const char *only;           /* (nullable): what an If has, and no others */
} TpOnnxSubgraphs;

gboolean tp_onnx_subgraphs_find (TpOnnx *onnx, const TpWire *wire,
                                 TpOnnxSubgraphs *all, GError **error);
/* Whether there may be such a graph of an op of @type in what is being read. */
gboolean tp_onnx_subgraph_check_depth (const TpOnnx *onnx, const TpWire *wire,
                                       const char *type, GError **error);

/* Gathers the names of @self, which gets its inputs and outputs as they are called
 * in it; its names in the graph begin with @stem. @takes_inputs: else it has none. */
gboolean tp_onnx_subgraph_read_names (TpOnnx *onnx, TpOnnxSubgraph *self,
                                      const char *stem, gboolean takes_inputs,
                                      GError **error);
/* Then adds its constants and ops. */
gboolean tp_onnx_subgraph_read_body (TpOnnx *onnx, TpOnnxSubgraph *self,
                                     GError **error);

#endif
