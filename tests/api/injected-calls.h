/* injected-calls.h: the calls of the library that are made while allocations fail. */
#ifndef TESTS_API_INJECTED_CALLS_H
#define TESTS_API_INJECTED_CALLS_H

#include <glib.h>
#include <tplan.h>

#define LARGE 16384           /* bytes */

typedef struct
{
  char *folder, *json, *onnx, *functions, *dims, *folded, *tensors, *weights;
  char *table, *saved, *saved_dims, *again, *cache;
  TplanGraph *graph, *small, *kinds;
  TplanCosts *costs;
  TplanPlan *plan;
  TplanPlan *ref_plan;        /* drivers end the process themselves */
  TplanPlan *cpu_plan;        /* NULL: there is no LLVM */
  TplanSession *session;      /* of it */
  TplanSession *integers;     /* of a small plan for ref */
  float in[64], out[64];
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
} Case;

extern int injected_n_ops;    /* of the models */

/* The last has no name. */
extern const Case injected_cases[];

/* A session of the plan for cpu, if there is one, which is freed; @cache: (nullable)
 * where machine code is kept. */
gboolean injected_make_on_cpu (Fixture *fixture, const char *cache,
                               GError **error);

#endif
