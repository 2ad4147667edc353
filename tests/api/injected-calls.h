/* injected-calls.h: the calls of the library that are made while allocations fail. */
#ifndef TESTS_API_INJECTED_CALLS_H
#define TESTS_API_INJECTED_CALLS_H

#include <glib.h>
#include <tplan.h>

#define LARGE 8192            /* bytes: of all arrays of as many numbers as there are ops */
#define OURS 16384            /* of those that the library itself asks for */

typedef struct
{
  char *folder, *json, *onnx, *functions, *dims, *folded, *tensors, *weights;
  char *table, *saved, *saved_dims, *again, *cache;
  TplanGraph *graph, *small, *tight, *kinds;
  TplanCosts *costs;
  TplanPlan *plan;
  TplanPlan *ref_plan;        /* drivers end the process themselves */
  TplanPlan *cpu_plan;        /* NULL: there is no LLVM */
  TplanSession *session;      /* of it */
  TplanSession *integers;     /* of a small plan for ref */
  float in[64], out[64];
  /* by Case.prepare */
  GBytes *bytes, *more_bytes; /* (nullable) what is read, and what belongs to it */
  TplanCosts *three;          /* (nullable) of three devices */
  TplanPlan *shares;          /* (nullable) for them */
  TplanGraph *heavy;          /* (nullable) with weights that may be streamed */
} Fixture;

typedef gboolean (*Call) (Fixture *fixture, GError **error);

typedef struct
{
  const char *name;
  Call call;
  int some;                   /* one in so many is tried by `make check`; by
                               * `make check-full` ten times as many, or all */
  size_t ours_bytes;          /* 0: whoever asks for LARGE fails; else we alone do,
                               * not SQLite nor drivers, who also keep memory;
                               * kernels have some each, however few they are */
  void (*prepare) (Fixture *fixture); /* (nullable) what this call alone needs */
} Case;

extern int injected_n_ops;    /* of the models */
#define N_TIGHT (injected_n_ops / 2) /* of the one that limits are put to: it takes long */

/* The last has no name. */
extern const Case injected_cases[];

/* Of tensors and plans in memory, followed, with options, of three devices; runs
 * that are submitted, and their steps. */
void injected_prepare_model (Fixture *fixture);
void injected_prepare_tensors (Fixture *fixture);
void injected_prepare_plan (Fixture *fixture);
void injected_prepare_packed (Fixture *fixture);
void injected_prepare_lists (Fixture *fixture);
void injected_prepare_tiers (Fixture *fixture);
void injected_prepare_figures (Fixture *fixture);
void injected_prepare_table (Fixture *fixture);
void injected_prepare_three (Fixture *fixture);
void injected_prepare_heavy (Fixture *fixture);
void injected_prepare_streamed (Fixture *fixture);
gboolean injected_stream (Fixture *fixture, GError **error);
void injected_prepare_parts (Fixture *fixture);
gboolean injected_split (Fixture *fixture, GError **error);
gboolean injected_read_model (Fixture *fixture, GError **error);
gboolean injected_read_plan (Fixture *fixture, GError **error);
gboolean injected_read_tier (Fixture *fixture, GError **error);
gboolean injected_mix (Fixture *fixture, GError **error);
gboolean injected_write_plan (Fixture *fixture, GError **error);
gboolean injected_save_packed (Fixture *fixture, GError **error);
gboolean injected_import (Fixture *fixture, GError **error);
gboolean injected_export (Fixture *fixture, GError **error);
gboolean injected_optimize_fully (Fixture *fixture, GError **error);
gboolean injected_optimize_rated (Fixture *fixture, GError **error);
gboolean injected_optimize_price (Fixture *fixture, GError **error);
gboolean injected_optimize_throughput (Fixture *fixture, GError **error);
gboolean injected_optimize_makespan (Fixture *fixture, GError **error);
gboolean injected_makespan_tight (Fixture *fixture, GError **error);
gboolean injected_share (Fixture *fixture, GError **error);
gboolean injected_share_tight (Fixture *fixture, GError **error);
gboolean injected_share_load (Fixture *fixture, GError **error);
gboolean injected_share_span (Fixture *fixture, GError **error);
gboolean injected_share_price (Fixture *fixture, GError **error);
gboolean injected_check_shares (Fixture *fixture, GError **error);
gboolean injected_read_shares (Fixture *fixture, GError **error);
gboolean injected_submit (Fixture *fixture, GError **error);
gboolean injected_fly (Fixture *fixture, GError **error);
gboolean injected_list_steps (Fixture *fixture, GError **error);
gboolean injected_fall_back (Fixture *fixture, GError **error);

/* A session of the plan for cpu, if there is one, which is freed; @cache: (nullable)
 * where machine code is kept. */
gboolean injected_make_on_cpu (Fixture *fixture, const char *cache,
                               GError **error);

#endif
