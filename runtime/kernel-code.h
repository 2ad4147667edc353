/* kernel-code.h: what devices that run kernels share: units made into programs,
 * their distinct kernels, constants and workspaces. */
#ifndef TP_RUNTIME_KERNEL_CODE_H
#define TP_RUNTIME_KERNEL_CODE_H

#include "schedule/program.h"
#include "runtime/constants.h"

typedef struct
{
  TpGraph *graph;             /* (nullable) */
  TpProgram *program;
  int n_operands;
  TpOperand *operands;
  int *kernels;               /* [step]: index of its kernel */
} TpKernelUnit;

/* The first field of a device's own code. */
typedef struct
{
  TpCode base;
  TpDevice *device;
  TpKernelUnit *units;
  GPtrArray *kernels;         /* distinct TpKernel, named "k0", "k1", ... */
  TpConstants *constants;
  GArray *workspace_bytes;    /* gint64: the largest of each number */
  TpBuf **workspaces;         /* shared by all units: they run one by one */
} TpKernelCode;

/* Also on FALSE to be cleared. */
gboolean tp_kernel_code_init (TpKernelCode *code, TpDevice *device,
                              gboolean is_host, const TpTarget *target,
                              const TpUnit *units, GError **error);
void tp_kernel_code_clear (TpKernelCode *code);

/* One buffer per argument of step @step of unit @unit into @out_bufs; makes the
 * constants among them. */
gboolean tp_kernel_code_bind (TpKernelCode *code, int unit, int step,
                              TpBuf *const *operands, TpBuf **out_bufs,
                              GError **error);

#endif
