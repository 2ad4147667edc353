/* nests.h: nests for the tests of schedules, and their run against the
 * oracle. */
#ifndef TP_TESTS_NESTS_H
#define TP_TESTS_NESTS_H

#include "schedule/program.h"

typedef struct
{
  gint64 n, c, h, w, o;       /* batch, channels in, size, channels out */
  gint64 kh, kw, stride, pad, dilation, groups;
  gboolean is_row_major;      /* input */
  gboolean is_out_row_major;
  gboolean has_prologue;      /* relu (x * scale[c] + shift[c]) */
  gboolean has_epilogue;      /* + bias, + residual, clip */
} ConvCase;

typedef struct
{
  gint64 batch, m, n, k;
  gboolean trans_a, trans_b, trans_out;
  gboolean is_w_constant;
  gboolean has_bias;
  gboolean has_tanh;
} MatmulCase;

int add_operand (TpLowered *lowered, gint64 n, gboolean is_constant);
TpLowered *new_conv (const ConvCase *c);
TpLowered *new_matmul (const MatmulCase *c);
/* Pool over @c's windows: @is_max, or the mean of what is inside. */
TpLowered *new_pool (const ConvCase *c, gboolean is_max);

/* How programs are run. */
typedef gboolean (*RunFunc) (const TpProgram *program, void *const *operands,
                             GError **error);
gboolean run_by_interpreter (const TpProgram *program, void *const *operands,
                             GError **error);
/* One buffer per argument of @step, and a NULL. */
void **get_step_buffers (const TpStep *step, void *const *operands,
                         void *const *packs, void *const *workspaces);
typedef gboolean (*StepFunc) (const TpStep *step, void *const *buffers,
                              gint64 iteration, gpointer data, GError **error);
gboolean run_program (const TpProgram *program, void *const *operands,
                      StepFunc func, gpointer data, GError **error);

/* Schedules for @target, verifies, runs by @run and compares with
 * tp_lowered_eval(); fails the test if they differ. Takes @lowered. */
void check_lowered (TpLowered *lowered, const TpTarget *target, RunFunc run);
/* The same for @n targets, of the same numbers: the oracle takes longest. */
void check_targets (TpLowered *lowered, const TpTarget *targets, int n,
                    RunFunc run);
/* The same of one program for @lowered, and of several. */
void check_program (const TpLowered *lowered, const TpProgram *program,
                    RunFunc run);
void check_programs (const TpLowered *lowered, TpProgram *const *programs, int n,
                     RunFunc run);

extern const TpTarget target_avx512, target_avx2, target_sse, target_scalar,
    target_gpu, target_mma;

#endif
