/* kernel-code.h: what devices that run kernels share: units made into programs,
 * their distinct kernels, constants and workspaces. */
#ifndef TP_RUNTIME_KERNEL_CODE_H
#define TP_RUNTIME_KERNEL_CODE_H

#include "ir/array.h"
#include "ir/map.h"
#include "runtime/constants.h"
#include "runtime/kernel-programs.h"

/* The first field of a device's own code, which sets base.n_units, device, is_host
 * and n_threads. */
typedef struct
{
  TpCode base;
  TpDevice *device;
  gboolean is_host;           /* as in TpDeviceInfo */
  int n_threads;              /* of the pool, that make and pack;
                               * 0: one */
  TpKernelUnit *units;
  TpArray *kernels;           /* distinct TpKernel *, named "k0", "k1", ... */
  TpMap *numbers;             /* of kernels, by the name of what they compute */
  TpConstants *constants;
  GArray *workspace_bytes;    /* gint64: the largest of each number */
  TpBuf **workspaces;         /* shared by all units: they run one by one */
} TpKernelCode;

/* Also on FALSE to be cleared. */
gboolean tp_kernel_code_init (TpKernelCode *code, const TpTarget *target,
                              const TpUnit *units, GError **error);
void tp_kernel_code_clear (TpKernelCode *code);
/* Distinct kernel number @number. */
const TpKernel *tp_kernel_code_get (const TpKernelCode *code, guint number);

/* One buffer per argument of step @step of unit @unit; makes the constants among
 * them. NULL-terminated, caller frees the list alone; NULL on error. */
TpBuf **tp_kernel_code_bind (TpKernelCode *code, int unit, int step,
                             TpBuf *const *operands, GError **error);

#endif
