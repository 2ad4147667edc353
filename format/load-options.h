/* load-options.h: how to read a graph. */
#ifndef TP_FORMAT_LOAD_OPTIONS_H
#define TP_FORMAT_LOAD_OPTIONS_H

#include "format/file.h"
#include "graph/graph-bind.h"

/* How to read a file; { 0 } is good. */
typedef struct
{
  TpDims *dims;               /* (nullable): values for symbolic dimensions; the
                               * file's own "dims" are defaults */
  const TpLimits *limits;     /* (nullable): the defaults */
  TpInputValues *values;      /* (nullable): they name dimensions too */
  TpFileFlags files;          /* how they are loaded */
  TpDims *assumed;            /* (nullable): dimensions without a value are 1, and
                               * their names go in here */
  gboolean keep_unknown;      /* ops of unknown type are no error before shapes
                               * are inferred: for tp_graph_open () */
  gboolean skip_unknown_attrs;/* and what attributes they have does not matter */
} TpLoadOptions;

#endif
