/* objects.h: what the types of tplan.h are made of; for this folder alone. */
#ifndef TP_API_OBJECTS_H
#define TP_API_OBJECTS_H

#include "format/load-options.h"
#include "include/tplan.h"
#include "ir/mix.h"
#include "ir/plan.h"
#include "runtime/ledger.h"
#include "runtime/session.h"

struct TplanGraph
{
  TpGraph *graph;             /* prepared */
  char *path;                 /* (nullable) as given to load; NULL: it was in
                               * memory */
  TpDims *dims;               /* (nullable) likewise, with those assumed */
  TpDims *assumed;            /* (nullable) */
  char **no_pass;             /* (nullable) likewise */
  char **ties;                /* (nullable) likewise */
  char **numbers;             /* (nullable) likewise */
  char **cut;                 /* (nullable) likewise */
  TpMicroBatches micro_batches; /* as in the plan that it is the graph of */
  char **streamed;            /* (nullable) as in the plan that it is the graph of */
  char *streamed_from;        /* (nullable) likewise */
  TplanTensor *inputs;
  TplanTensor *outputs;
  TplanTensor *states;
  int n_states;
  const char **ops;           /* (strings owned by graph) */
};

struct TplanCosts
{
  char *path;                 /* (nullable) */
  gboolean is_elsewhere;      /* @path is the file of another machine */
  char **devices;
  int n_devices;
  int n_threads;
};

struct TplanPlan
{
  TpPlan *plan;
  TplanGraph *graph;
  TplanDevice *devices;
  TplanTransfer *transfers;
  int *slots;                 /* by the hash of the name of an op, 1 + its place in
                               * @plan, or in one of those that follow; 0: free */
  gsize mask;                 /* there are one more */
  TpLedger *ledger;           /* (nullable): of all plans that were made together, whose
                               * limits they share */
};

struct TplanMix
{
  TpMix *mix;
  TplanPlan **plans;          /* [part] */
  TplanMixPart *parts;
  TpEngines *engines;         /* that its sessions share */
};

struct TplanSession
{
  TpSession *session;         /* what runs */
  TpPlan *plan;               /* of that */
  TpGraph *graph;
  TplanSessionOptions options;
  TpEngines *engines;         /* (nullable) that it shares with others */
  TpLedger *ledger;           /* (nullable) likewise */
  char *cache;                /* of the options */
  char *fallback;             /* why it is not the one that was planned; NULL: it
                               * is */
  TplanStep *steps;           /* (nullable) once they were asked for */
  struct TpSlots *slots;      /* who has one reads all above, who has all may
                               * change it */
  struct TpRunQueue *runs;
  TpSession *lost;            /* the one that was, as long as others may look at
                               * it */
};

/* For people. */
static inline const char *
tp_get_model_name (const TplanGraph *graph)
{
  return graph->path != NULL ? graph->path : TP_MODEL_IN_MEMORY;
}

static inline void
tp_set_n (int *out_n, int n)
{
  if (out_n != NULL)
    *out_n = n;
}

#endif
