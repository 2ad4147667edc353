/* run-data.h: the values that go into a run and come out of it. */
#ifndef TP_CLI_RUN_DATA_H
#define TP_CLI_RUN_DATA_H

#include "cli/cli.h"
#include "ir/graph.h"

typedef struct
{
  const TpGraph *graph;       /* (unowned) */
  void **inputs;              /* one per graph input, row-major */
  void **outputs;
} TpRunData;

/* @assignments: "NAME=FILE" or "NAME=FILE:KEY", NULL-terminated (nullable); inputs
 * not named get random values from @seed: uniform in [-1.7, 1.7) for floats (deviation 1),
 * 0 or 1 for others. TPLAN_ERROR_INPUT: a file of another shape or type. */
gboolean tp_run_data_init (TpRunData *data, const TpGraph *graph,
                           char *const *assignments, gint64 seed,
                           GError **error);
void tp_run_data_clear (TpRunData *data);

/* @folder/NAME.npy for each output. */
gboolean tp_run_data_save (const TpRunData *data, const TpCli *cli,
                           const char *folder, GError **error);

/* How far outputs are from the references in double. */
typedef struct
{
  double max_abs_error;
  double max_rel_error;       /* |got - want| / max (|want|, largest |want| of
                               * the tensor / 100, least normal number) */
  gint64 n_flushed;           /* denormals that came out as 0: no error */
  const char *worst_op;       /* the producer of the worst output; (unowned) */
  const char *worst_output;
} TpRunErrors;

/* "good: relative error 1e-07 (limit 0.0001), ..."; g_free (). */
char *tp_run_errors_format (const TpRunErrors *errors, double tolerance);

/* What came out for @tensor. */
typedef struct
{
  const TpTensor *tensor;
  TpDtype dtype;              /* of the values: the tensor's, or double */
  const void *values;         /* row-major */
  const char *op;             /* the producer */
} TpRunAnswer;

/* Compares @got with @want; keeps the worst in @errors. */
void tp_run_errors_add (TpRunErrors *errors, const TpRunAnswer *got,
                        const double *want);
/* Every tensor (@keep_all) or output by the references; as
 * tp_graph_run_reference (). */
GPtrArray *tp_run_data_get_reference (const TpRunData *data,
                                      gboolean keep_all, GError **error);
gboolean tp_run_data_check (const TpRunData *data, TpRunErrors *out_errors,
                            GError **error);

#endif
