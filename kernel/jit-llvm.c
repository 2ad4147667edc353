/* jit-llvm.c: the module that owns LLVM. Kernels are compiled to objects, each in
 * a context of its own; linking them needs no LLVM (object.c). Code generation
 * runs at its default level and no IR pass runs: kernels come as they shall be. */
#include "config.h"

#include "kernel/jit-llvm.h"

#include "kernel/jit-llvm-emit.h"
#include "kernel/emitter-digest.h"
#include "kernel/jit.h"

#include <dlfcn.h>
#include <llvm-c/Analysis.h>
#include <llvm-c/Target.h>
#include <llvm-c/TargetMachine.h>
#include <llvm/Config/llvm-config.h>
#include <pthread.h>
#include <string.h>

extern const TpJitModule tp_jit_module;

static char *host_cpu, *host_features, *identity;

static void
init_target (void)
{
  LLVMInitializeNativeTarget ();
  LLVMInitializeNativeAsmPrinter ();
  LLVMInitializeNativeAsmParser ();
  host_cpu = LLVMGetHostCPUName ();
  host_features = LLVMGetHostCPUFeatures ();
  identity = g_strdup_printf ("llvm-%s %s %s", LLVM_VERSION_STRING, host_cpu,
                              host_features);
}

static void
ensure_target (void)
{
  static pthread_once_t once = PTHREAD_ONCE_INIT;

  pthread_once (&once, init_target);
}

static const char *
get_identity (void)
{
  ensure_target ();
  return identity;
}

/* Which file is mapped, not which was linked: a fixed LLVM is another one. */
static const char *
get_library (void)
{
  Dl_info info;

  return dladdr ((void *) (guintptr) LLVMContextCreate, &info) != 0
             ? info.dli_fname
             : "";
}

/* --- one kernel to one object ------------------------------------------- */

/* @without may be NULL. Without SSE4.1 LLVM 15 makes wrong shuffles of SSE4A's
 * instructions, so none are. */
static LLVMTargetMachineRef
create_machine (const char *without, char **out_message)
{
  char *triple = LLVMGetDefaultTargetTriple (), *message = NULL;
  g_auto (GStrv) names = g_strsplit (without != NULL ? without : "", ",", -1);
  g_autofree char *less = g_strjoinv (",-", names);
  g_autofree char *features = g_strconcat (
      host_features,
      strstr (host_features, "+avx512f") != NULL ? ",-prefer-256-bit" : "",
      strstr (host_features, "+sse4a") != NULL ? ",-sse4a" : "",
      without != NULL ? ",-" : "", less, NULL);
  LLVMTargetMachineRef machine = NULL;
  LLVMTargetRef target;

  if (LLVMGetTargetFromTriple (triple, &target, &message))
    {
      *out_message = g_strdup (message);
      LLVMDisposeMessage (message);
    }
  else
    machine = LLVMCreateTargetMachine (target, triple, host_cpu, features,
                                       LLVMCodeGenLevelDefault, LLVMRelocPIC,
                                       LLVMCodeModelSmall);
  LLVMDisposeMessage (triple);
  return machine;
}

/* What others are built on: without it, they are not there either. */
static const char *const bases[] = { "sse4.1", "avx", "avx2", "f16c", "avx512f" };

/* Whether the processor has @name, which is built on the first @n_bases of those, and
 * nothing in @without takes it away. */
static gboolean
has_feature (const char *name, int n_bases, const char *without)
{
  g_auto (GStrv) has = g_strsplit (host_features, ",", -1);
  g_auto (GStrv) names = g_strsplit (without != NULL ? without : "", ",", -1);
  g_autofree char *feature = g_strconcat ("+", name, NULL);
  gboolean is_taken = g_strv_contains ((const char *const *) names, name);

  for (int i = 0; i < n_bases; i++)
    is_taken = is_taken
               || g_strv_contains ((const char *const *) names, bases[i]);
  return g_strv_contains ((const char *const *) has, feature) && !is_taken;
}

/* What is not there LLVM would call a function for, or refuse. */
static TpLlvmFeatures
find_features (LLVMTargetMachineRef machine, const char *without)
{
  char *triple = LLVMGetTargetMachineTriple (machine);
  gboolean is_arm = g_str_has_prefix (triple, "aarch64")
                    || g_str_has_prefix (triple, "arm64");
  gboolean is_x86 = g_str_has_prefix (triple, "x86_64");
  gboolean vnni = has_feature ("avx512vnni", 5, without);

  LLVMDisposeMessage (triple);
  return (TpLlvmFeatures){
    .half = is_arm || has_feature ("f16c", 2, without),
    .is_x86 = is_x86,
    .avx2 = is_x86 && has_feature ("avx2", 2, without),
    .avx512bw = is_x86 && has_feature ("avx512bw", 5, without),
    .wide_dots = is_x86 && vnni,
    .dots = is_x86
            && ((vnni && has_feature ("avx512vl", 5, without))
                || has_feature ("avxvnni", 3, without)),
  };
}

/* Keeps LLVM from printing; the first message is reported. */
static void
take_diagnostic (LLVMDiagnosticInfoRef info, void *data)
{
  char **message = data, *text;

  if (LLVMGetDiagInfoSeverity (info) != LLVMDSError || *message != NULL)
    return;
  text = LLVMGetDiagInfoDescription (info);
  *message = g_strdup (text);
  LLVMDisposeMessage (text);
}

static LLVMMemoryBufferRef
compile_module (LLVMTargetMachineRef machine, LLVMModuleRef module,
                char **out_message)
{
  LLVMMemoryBufferRef object = NULL;
  char *message = NULL;
  gboolean failed;

  failed = LLVMVerifyModule (module, LLVMReturnStatusAction, &message);
  if (!failed)
    {
      LLVMDisposeMessage (message);
      message = NULL;
      failed = LLVMTargetMachineEmitToMemoryBuffer (
          machine, module, LLVMObjectFile, &message, &object);
    }
  if (failed && *out_message == NULL)
    *out_message = g_strdup (message);
  if (message != NULL)
    LLVMDisposeMessage (message);
  return failed ? NULL : object;
}

static LLVMMemoryBufferRef
compile_kernel (LLVMTargetMachineRef machine, const TpKernel *kernel,
                const char *without, char **out_message)
{
  LLVMContextRef context = LLVMContextCreate ();
  LLVMModuleRef module = LLVMModuleCreateWithNameInContext ("k", context);
  LLVMTargetDataRef layout = LLVMCreateTargetDataLayout (machine);
  TpLlvmFeatures has = find_features (machine, without);
  char *triple = LLVMGetTargetMachineTriple (machine);
  LLVMMemoryBufferRef object;

  LLVMContextSetDiagnosticHandler (context, take_diagnostic, out_message);
  LLVMSetModuleDataLayout (module, layout);
  LLVMSetTarget (module, triple);
  tp_llvm_emit_kernel (module, kernel, &has);
  object = compile_module (machine, module, out_message);
  LLVMDisposeMessage (triple);
  LLVMDisposeTargetData (layout);
  LLVMDisposeModule (module);
  LLVMContextDispose (context);
  if (*out_message != NULL && object != NULL)
    {
      LLVMDisposeMemoryBuffer (object);
      object = NULL;
    }
  return object;
}

static gboolean
is_for_cpu (const TpKernel *kernel, char **out_message)
{
  if (kernel->local_size == 1)
    return TRUE;
  *out_message = g_strdup_printf ("'%s' has %d work-items per group; the cpu "
                                  "device runs 1",
                                  kernel->name, kernel->local_size);
  return FALSE;
}

static gboolean
compile (const TpKernel *const *kernels, const TpJitWork *work,
         char **out_message)
{
  LLVMTargetMachineRef machine;
  gboolean is_good;
  int i;

  ensure_target ();
  machine = create_machine (work->without, out_message);
  is_good = machine != NULL;
  while (is_good && (i = work->next (work->data)) >= 0)
    {
      LLVMMemoryBufferRef buffer
          = is_for_cpu (kernels[i], out_message)
                ? compile_kernel (machine, kernels[i], work->without, out_message)
                : NULL;
      TpObject object;

      is_good = buffer != NULL;
      if (!is_good)
        break;
      object = (TpObject){ (const guint8 *) LLVMGetBufferStart (buffer),
                           LLVMGetBufferSize (buffer) };
      work->take (work->data, i, &object);
      LLVMDisposeMemoryBuffer (buffer);
    }
  if (machine != NULL)
    LLVMDisposeTargetMachine (machine);
  return is_good;
}

const TpJitModule tp_jit_module = {
  .abi = TP_JIT_ABI,
  .emitter = TP_EMITTER_DIGEST,
  .get_identity = get_identity,
  .get_library = get_library,
  .compile = compile,
};
