/* jit.h: machine code for kernels, from the LLVM module.
 *
 * The module is opened on first use with its symbols kept local, so that an
 * OpenCL driver built on another LLVM is never disturbed. libLLVM is in no
 * other link. */
#ifndef TP_KERNEL_JIT_H
#define TP_KERNEL_JIT_H

#include "kernel/kernel.h"
#include "kernel/target.h"

typedef struct TpJit TpJit;   /* code of some kernels; freeing unmaps it */

/* One work-group: @buffers the global buffers, @local scratch for the local
 * ones (64-byte aligned, tp_jit_local_bytes ()), @iteration as TP_I_ITERATION. */
typedef void (*TpJitFunc) (void *const *buffers, gint64 group, void *local,
                           gint64 iteration);

/* %NULL with TPLAN_ERROR_DEVICE: built without LLVM, or the module is missing.
 * Safe from several threads. */
TpJit *tp_jit_new (const TpKernel *const *kernels, int n_kernels,
                   GError **error);
void tp_jit_free (TpJit *jit);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (TpJit, tp_jit_free)
TpJitFunc tp_jit_get (const TpJit *jit, int kernel);
gint64 tp_jit_local_bytes (const TpKernel *kernel);

/* Vector width, registers and caches of this CPU; n_units is left to the
 * caller. Needs no LLVM. */
void tp_jit_describe_cpu (TpTarget *target);
/* "llvm-15.0.6 rocketlake +avx512f..."; NULL without LLVM. */
const char *tp_jit_get_identity (void);
/* Model, vectors and caches of this CPU in one line; needs no LLVM, so it is
 * there at once. */
const char *tp_jit_get_cpu (void);

/* What the module exports, as `tp_jit_module`. */
typedef struct
{
  int abi;                    /* TP_JIT_ABI */
  const char *(*get_identity) (void);
  void *(*compile) (const TpKernel *const *kernels, int n_kernels,
                    TpJitFunc *out_functions, char **out_message);
  void (*release) (void *code);
} TpJitModule;
#define TP_JIT_ABI 2

#endif
