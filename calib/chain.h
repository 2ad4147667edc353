/* chain.h: a graph, or part of one, made ready to run on one device as a session
 * would run it: one arena, its own constants, launches in order. Three ways of
 * running it share kernels, constants and the arena. */
#ifndef TP_CALIB_CHAIN_H
#define TP_CALIB_CHAIN_H

#include "calib/keys.h"
#include "calib/links.h"
#include "calib/samples.h"
#include "ir/array.h"
#include "runtime/arena.h"

typedef struct
{
  int key;                    /* in the TpKeys */
  int pass;
  TpLaunch *launch;           /* NULL until compiled */
  char *rival;                /* (nullable) schedule that may be faster than the
                               * model's, which the next link has */
  char *name;                 /* of a rival: what no other kernel is called */
  const char *schedule;       /* (owned by its code) */
} TpLink;

typedef struct
{
  TpDevice *device;
  gboolean is_host;           /* a launch has happened on return */
  gboolean runs_nodes;
  gboolean is_apart;          /* processors are nothing to it */
  gboolean takes_all;         /* and its own threads are who preempts the caller */
  int n_threads;              /* of the pool, that its kernels may use */
  const TpGraph *graph;
  const TpKeys *keys;
  int n_links;
  TpLink *links;
  TpExecution *executions[TP_N_PASSES]; /* of the one device */
  TpArena arena;
  TpBuf **bufs[TP_N_PASSES];  /* per storage of the execution */
  char **inputs;              /* bytes of each input of the graph */
  volatile gint *beat;        /* (nullable) counted up with each launch timed */
  GPtrArray *codes;
  TpProcessors found;         /* before the last pass run, when first looked at */
  TpProcessors processors;    /* and when it began */
  TpProcessors least;         /* known of them; 0: nothing */
  int n_rounds;               /* timed on the host */
  GHashTable *faults;         /* name of a kernel compared with its nests ->
                               * what is wrong with it, "": nothing */
  double scale;               /* what the times of the last pass run are to be
                               * multiplied by: see tp_chain_time () */
} TpChain;

/* What to run. */
typedef struct
{
  const TpKeys *keys;
  TpArray *const *passes;     /* TP_N_PASSES lists of keys (int), each in the
                               * order of the graph; NULL: nothing runs then */
  const gboolean *has_rivals; /* (nullable) per key: in the first pass the
                               * schedules of tp_contenders_list () run too */
  int n_candidates;           /* of these */
  char *const *schedules;     /* (nullable) per key: the table's; NULL: none */
  gboolean is_relaxed;        /* of rivals: those with larger errors too */
} TpChainWanted;

/* Borrows everything but @wanted. TPLAN_ERROR_MEMORY when the arena does not
 * fit. */
TpChain *tp_chain_new (TpDevice *device, const TpGraph *graph,
                       const TpChainWanted *wanted, GError **error);
void tp_chain_free (TpChain *chain);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (TpChain, tp_chain_free)

/* What tells its kernel from others of the chain. */
const char *tp_chain_get_name (const TpChain *chain, int link);
/* Where @tensor is while @link runs, and its buffer; NULL: nowhere. */
const TpStorage *tp_chain_find_storage (const TpChain *chain, int link,
                                        int tensor, TpBuf **out_buf);

/* Compiles and binds some of the links, as one program. */
gboolean tp_chain_compile (TpChain *chain, const int *links, int n_links,
                           GError **error);

/* Writes the inputs, as a session does before each run. */
gboolean tp_chain_feed (TpChain *chain, int pass, GError **error);

#endif
