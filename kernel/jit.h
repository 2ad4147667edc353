/* jit.h: machine code for kernels, from the LLVM module.
 *
 * The module is opened on first use with its symbols kept local, so that an
 * OpenCL driver built on another LLVM is never disturbed. libLLVM is in no
 * other link. */
#ifndef TP_KERNEL_JIT_H
#define TP_KERNEL_JIT_H

#include "kernel/kernel.h"
#include "kernel/object.h"
#include "kernel/target.h"

typedef TpObjectCode TpJit;   /* code of some kernels; freeing unmaps it */

/* One work-group: @buffers the global buffers, @local scratch for the local
 * ones (64-byte aligned, tp_jit_local_bytes ()), @iteration as TP_I_ITERATION. */
typedef void (*TpJitFunc) (void *const *buffers, gint64 group, void *local,
                           gint64 iteration);

/* Which kernels are compiled, and what becomes of them. */
typedef struct
{
  int (*next) (gpointer data); /* the number of one; < 0: no more */
  void (*take) (gpointer data, int kernel, const TpObject *object);
  gpointer data;
  const char *without;        /* what the processor has and shall not be used, with what
                               * is made on it, such as "f16c", "avx2" or
                               * "avx512vnni,avxvnni", so that what others run is
                               * tried; NULL: nothing */
} TpJitWork;

/* Compiles in this thread, with LLVM, which ends the process where it gets no
 * memory. %FALSE with TPLAN_ERROR_DEVICE: built without LLVM, the module is
 * missing, or a kernel was refused. Safe from several threads. */
gboolean tp_jit_compile (const TpKernel *const *kernels, const TpJitWork *work,
                         GError **error);
/* That and tp_object_link (). */
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
/* What decides the code of a kernel, beside the kernel. */
typedef struct
{
  char *identity;             /* as tp_jit_get_identity () */
  char *emitter;              /* digest of the sources that make LLVM IR */
  char *library;              /* file of LLVM, for tp_jit_describe_file () */
} TpJitCompiler;

/* Loads LLVM. %NULL: there is none, as tp_jit_compile (). */
TpJitCompiler *tp_jit_compiler_new (GError **error);
void tp_jit_compiler_free (TpJitCompiler *compiler);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (TpJitCompiler, tp_jit_compiler_free)
/* Loads nothing: the files that the module may be, and the processor. As long as
 * they are equal, and so is the file of LLVM, so is a TpJitCompiler. %NULL: it
 * cannot be told. Caller frees. */
char *tp_jit_dup_facts (void);
/* Path, size and times: another text, another file. Caller frees. */
char *tp_jit_describe_file (const char *path);

/* Model, vectors and caches of this CPU in one line; needs no LLVM, so it is
 * there at once. */
const char *tp_jit_get_cpu (void);

/* What the module exports, as `tp_jit_module`. */
typedef struct
{
  int abi;                    /* TP_JIT_ABI */
  const char *emitter;
  const char *(*get_identity) (void);
  const char *(*get_library) (void);
  /* FALSE with *@out_message: to be freed; NULL: no reason is given. */
  gboolean (*compile) (const TpKernel *const *kernels, const TpJitWork *work,
                       char **out_message);
} TpJitModule;
#define TP_JIT_ABI 4

#endif
