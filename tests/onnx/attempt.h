/* attempt.h: one test on one device. */
#ifndef TP_TESTS_ONNX_ATTEMPT_H
#define TP_TESTS_ONNX_ATTEMPT_H

#include "tests/onnx/case.h"

typedef enum
{
  ONNX_UNTRIED,
  ONNX_RUNNING,               /* by the process @pid */
  ONNX_PASSED,
  ONNX_FAILED,                /* another value, shape or type, or a refusal that
                               * does not own up to being a limit of tplan */
  ONNX_UNSUPPORTED,           /* tplan says so, and why */
  ONNX_CRASHED,
  ONNX_N_OUTCOMES
} OnnxOutcome;

#define ONNX_REASON_BYTES 320

/* Plain bytes: it lives in memory shared with other processes. */
typedef struct
{
  OnnxOutcome outcome;
  int pid;
  int n_bound;                /* inputs bound */
  int n_nodes;                /* to be run, after folding */
  gint64 time_ns;
  char reason[ONNX_REASON_BYTES];
} OnnxResult;

/* "passed", ... */
const char *onnx_outcome_get_name (OnnxOutcome outcome);

void onnx_result_set (OnnxResult *result, OnnxOutcome outcome,
                      const char *format, ...) G_GNUC_PRINTF (3, 4);

/* Loads, plans all of it for @device and runs it. The host is the cpu, but no op
 * is given to it: what @device cannot do is unsupported. */
void onnx_attempt (const OnnxCase *onnx_case, const char *device,
                   OnnxResult *result);

#endif
