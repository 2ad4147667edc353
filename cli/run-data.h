/* run-data.h: the values that go into a run and come out of it. */
#ifndef TP_CLI_RUN_DATA_H
#define TP_CLI_RUN_DATA_H

#include "cli/cli.h"
#include "cli/run-errors.h"
#include "ir/graph.h"

typedef struct
{
  const TpGraph *graph;       /* (unowned) */
  gboolean is_relaxed;        /* what runs has kernels with larger errors; FALSE until
                               * set */
  int n_states;
  int *states;                /* as tp_graph_list_states () */
  void **inputs;              /* one per graph input, then one per state: what it has
                               * before the first run; row-major */
  void **outputs;
} TpRunData;

/* @assignments: "NAME=FILE" or "NAME=FILE:KEY", NULL-terminated (nullable); inputs
 * not named get random values from @seed: uniform in [-1.7, 1.7) for floats (deviation 1),
 * 0 or 1 for others; states have zeros. TPLAN_ERROR_INPUT: a file of another shape or type. */
gboolean tp_run_data_init (TpRunData *data, const TpGraph *graph,
                           char *const *assignments, gint64 seed,
                           GError **error);
void tp_run_data_clear (TpRunData *data);

/* The states of @session, which is made of the graph, become what they are before the
 * first run. */
gboolean tp_run_data_reset (const TpRunData *data, TplanSession *session,
                            GError **error);

/* @folder/NAME.npy for each output. The first says before a run whether they can be
 * written. */
gboolean tp_run_data_check_folder (const TpRunData *data, const TpCli *cli,
                                   const char *folder, GError **error);
gboolean tp_run_data_save (const TpRunData *data, const TpCli *cli,
                           const char *folder, GError **error);

/* Where in @folder outputs of the graph of this name go; g_free (). */
char *tp_run_data_name_folder (const char *folder, const char *name);

/* Every tensor (@keep_all) or output by the references; as
 * tp_graph_run_reference (). */
GPtrArray *tp_run_data_get_reference (const TpRunData *data,
                                      gboolean keep_all, GError **error);
/* @limit: below 0: TP_RUN_LIMIT, more where @data is relaxed, and where an output is farther off, what rounding can
 * do to it. In the mode in which floats are as IEEE 754 has them, whatever a library
 * has set for the run. */
gboolean tp_run_data_check (const TpRunData *data, double limit,
                            TpRunErrors *out_errors, GError **error);

#endif
