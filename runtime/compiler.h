/* compiler.h: machine code for the kernels of a plan: from where it is kept, else
 * from LLVM, which runs in child processes.
 *
 * LLVM ends a process that has no memory for it, and cannot be stopped from that.
 * In a child that is an error of the call. The child has no threads, writes into
 * pipes and the cache, and is gone when the call returns; so is LLVM, which never
 * meets what else the program has loaded. */
#ifndef TP_RUNTIME_COMPILER_H
#define TP_RUNTIME_COMPILER_H

#include "kernel/jit.h"
#include "runtime/code-cache.h"

/* "llvm-15.0.6 rocketlake +avx512f...": what measurements depend on. @cache:
 * (nullable). %NULL: there is no LLVM. Asked once a process; stays. */
const char *tp_compiler_get_identity (const TpCodeCache *cache);
/* After that: why there is none. */
const char *tp_compiler_get_absence (void);

typedef struct
{
  int n_threads;              /* as many children, at the most */
  const TpCodeCache *cache;   /* (nullable) */
} TpCompiler;

/**
 * tp_compiler_make:
 *
 * Where children cannot be had, but for memory, LLVM works in this process.
 *
 * Returns: the code of @n kernels; %NULL with
 *   %TPLAN_ERROR_DEVICE: there is no LLVM, or it refuses a kernel;
 *   %TPLAN_ERROR_MEMORY, which names the bytes: free some.
 *
 * Thread: any.
 */
TpJit *tp_compiler_make (const TpCompiler *compiler,
                         const TpKernel *const *kernels, int n,
                         GError **error);

#endif
