/* map-nests.h: maps over images, as networks have them between convolutions. */
#ifndef TP_TESTS_MAP_NESTS_H
#define TP_TESTS_MAP_NESTS_H

#include "nest/nest.h"

typedef enum
{
  MAP_RELU,
  MAP_BIAS,                   /* a number per channel is added */
  MAP_RESIDUAL,               /* relu (x + y), y in twice the channels' room */
  MAP_CONCAT,                 /* x and y behind one another, along channels */
  MAP_SLICE,                  /* every step-th column, from the second on */
  MAP_GELU,                   /* a function that takes long */
  MAP_BAND,                   /* x near a diagonal, 0.25 beside it */
  MAP_LOOK,                   /* columns that another image names, some outside */
  MAP_REPEAT,                 /* each column step times */
  MAP_WEAVE,                  /* columns of step images in turns */
  MAP_TURN,                   /* columns become rows */
} MapKind;

#define N_MAP_KINDS (MAP_TURN + 1)

typedef struct
{
  MapKind kind;
  gint64 n, c, h, w;
  gboolean is_channels_last;
  gint64 step;                /* from 2 on */
  TpDtype dtype;              /* of what is repeated, woven or turned */
} MapCase;

/* @data: a MapCase. */
TpLowered *new_map (gconstpointer data);

#endif
