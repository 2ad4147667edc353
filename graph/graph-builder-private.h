/* graph-builder-private.h: the inside of a builder, for its own files. */
#ifndef TP_GRAPH_GRAPH_BUILDER_PRIVATE_H
#define TP_GRAPH_GRAPH_BUILDER_PRIVATE_H

#include "graph/graph-builder.h"
#include "graph/graph-draft.h"
#include "ir/array.h"
#include "ir/map.h"

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
  const char *wanted;         /* (nullable): place of the state that it is the
                               * next value of */
  gboolean is_tied;           /* the caller made it that */
} TpBuilderState;

/* Of a group that the file gives a cost of. */
typedef struct
{
  const char *name;
  const TpGroupFigures *group;
  int index;                  /* in its list */
} TpBuilderMember;

/* What is wrong with an op, told if that is needed. */
typedef struct TpBuilderFault TpBuilderFault;

#define TP_BUILDER_RECENT 8

struct TpGraphBuilder
{
  TpDraft *draft;
  TpMap *tensors;             /* char* -> index + 1 */
  int recent[TP_BUILDER_RECENT]; /* some that were asked for last, 1 + index; 0:
                               * none. Most ops read what was just made */
  guint n_recent;             /* ever */
  TpMap *nodes;               /* char*, a set */
  TpMap *grouped;             /* char* -> TpGroupFigures, of ops to come too */
  TpArray *members;           /* TpBuilderMember */
  TpDims *dims;               /* defaults */
  TpArray *states;            /* TpBuilderState, per tensor */
  TpArray *specs;             /* TpBuilderSpec */
  TpArray *constants;         /* int: tensors in order of adding */
  gint64 budget_bytes;        /* of the region; 0: none set */
  gboolean is_to_be_cut;      /* outputs will be chosen: what is wrong with an op may not
                               * matter */
  TpMap *faults;              /* place of a node -> TpBuilderFault in the region */
  gint64 generated_bytes;     /* of fill and random constants so far */
  const char *const *values;  /* (borrowed) (nullable) as tp_graph_builder_expect () */
  int branch;                 /* of ops that are added: see TpNode */
  gboolean is_cut;            /* its outputs were chosen: what only others need goes */
};

gboolean tp_builder_check_name (TpGraphBuilder *builder, const char *name,
                                const char *place, GError **error);
/* The tensor called @name; -1: there is none. */
int tp_builder_find_tensor (TpGraphBuilder *builder, const char *name);
/* The same, made when new; -1 on error. */
int tp_builder_get_tensor (TpGraphBuilder *builder, const char *name,
                           const char *place, GError **error);
/* The tensor called @name, from now on defined at @place; -1 on error. */
int tp_builder_define_tensor (TpGraphBuilder *builder, const char *name,
                              const char *place, GError **error);
/* The same of a @place in the region of the draft. */
int tp_builder_define_at (TpGraphBuilder *builder, const char *name,
                          const char *place, GError **error);

#endif
