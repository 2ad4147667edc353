/* jit-llvm.c: the module that owns LLVM. Kernels are compiled to objects by as
 * many threads as there are processors, each with a context and a target
 * machine of its own, then linked in one ORC JIT. Code generation runs at its
 * default level and no IR pass runs: kernels come as they shall be. */
#include "config.h"

#include "kernel/jit-llvm.h"

#include "kernel/jit-llvm-emit.h"
#include "kernel/jit.h"

#include <llvm-c/Analysis.h>
#include <llvm-c/LLJIT.h>
#include <llvm-c/Orc.h>
#include <llvm-c/Target.h>
#include <llvm-c/TargetMachine.h>
#include <llvm/Config/llvm-config.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

extern const TpJitModule tp_jit_module;

typedef struct
{
  const TpKernel *const *kernels;
  int n_kernels;
  int next; /* (atomic) kernel to be taken */
  LLVMMemoryBufferRef *objects;
  char *message; /* (atomic) the first failure */
} Work;

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

/* --- one kernel to one object ------------------------------------------- */

static LLVMTargetMachineRef
create_machine (char **out_message)
{
  char *triple = LLVMGetDefaultTargetTriple (), *message = NULL;
  g_autofree char *features = g_strconcat (
      host_features,
      strstr (host_features, "+avx512f") != NULL ? ",-prefer-256-bit" : "",
      NULL);
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
compile_kernel (LLVMTargetMachineRef machine, const TpKernel *kernel, int i,
                char **out_message)
{
  LLVMContextRef context = LLVMContextCreate ();
  LLVMModuleRef module = LLVMModuleCreateWithNameInContext ("k", context);
  LLVMTargetDataRef layout = LLVMCreateTargetDataLayout (machine);
  char *triple = LLVMGetTargetMachineTriple (machine);
  LLVMMemoryBufferRef object;
  char name[32];

  snprintf (name, sizeof name, "k%d", i);
  LLVMContextSetDiagnosticHandler (context, take_diagnostic, out_message);
  LLVMSetModuleDataLayout (module, layout);
  LLVMSetTarget (module, triple);
  tp_llvm_emit_kernel (module, kernel, name);
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

static gpointer
work (gpointer data)
{
  Work *job = data;
  char *message = NULL;
  LLVMTargetMachineRef machine = create_machine (&message);
  int i;

  while (machine != NULL && message == NULL
         && (i = g_atomic_int_add (&job->next, 1)) < job->n_kernels)
    job->objects[i] = compile_kernel (machine, job->kernels[i], i, &message);
  if (machine != NULL)
    LLVMDisposeTargetMachine (machine);
  if (message != NULL
      && !g_atomic_pointer_compare_and_exchange (&job->message, NULL, message))
    g_free (message);
  return NULL;
}

static void
compile_objects (Work *job)
{
  int n_threads = MIN ((int)g_get_num_processors (), job->n_kernels);
  g_autofree GThread **threads = g_new0 (GThread *, n_threads + 1);

  for (int i = 1; i < n_threads; i++)
    threads[i] = g_thread_try_new ("tplan-jit", work, job, NULL);
  work (job);
  for (int i = 1; i < n_threads; i++)
    if (threads[i] != NULL)
      g_thread_join (threads[i]);
}

/* --- linking ------------------------------------------------------------ */

static gboolean
failed (LLVMErrorRef error, char **out_message)
{
  char *message;

  if (error == NULL)
    return FALSE;
  message = LLVMGetErrorMessage (error);
  *out_message = g_strdup (message);
  LLVMDisposeErrorMessage (message);
  return TRUE;
}

/* What a machine without the instruction calls: fmaf, floorf, rintf. */
static gboolean
add_libm (LLVMOrcLLJITRef jit, char **out_message)
{
  LLVMOrcDefinitionGeneratorRef generator = NULL;

  if (failed (LLVMOrcCreateDynamicLibrarySearchGeneratorForPath (
                  &generator, "libm.so.6", LLVMOrcLLJITGetGlobalPrefix (jit),
                  NULL, NULL),
              out_message))
    return FALSE;
  LLVMOrcJITDylibAddGenerator (LLVMOrcLLJITGetMainJITDylib (jit), generator);
  return TRUE;
}

static gboolean
link_objects (LLVMOrcLLJITRef jit, Work *job, TpJitFunc *out_functions,
              char **out_message)
{
  LLVMOrcJITDylibRef library = LLVMOrcLLJITGetMainJITDylib (jit);
  uint64_t address; /* LLVM 14 has another name for its type */
  LLVMMemoryBufferRef object;
  char name[32];

  if (!add_libm (jit, out_message))
    return FALSE;
  for (int i = 0; i < job->n_kernels; i++)
    {
      object = g_steal_pointer (&job->objects[i]);
      if (failed (LLVMOrcLLJITAddObjectFile (jit, library, object),
                  out_message))
        return FALSE;
    }
  for (int i = 0; i < job->n_kernels; i++)
    {
      snprintf (name, sizeof name, "k%d", i);
      if (failed (LLVMOrcLLJITLookup (jit, &address, name), out_message))
        return FALSE;
      out_functions[i] = (TpJitFunc)(guintptr)address;
    }
  return TRUE;
}

static void
release (void *code)
{
  char *message = NULL;

  if (failed (LLVMOrcDisposeLLJIT (code), &message))
    g_free (message);
}

static void *
compile (const TpKernel *const *kernels, int n_kernels,
         TpJitFunc *out_functions, char **out_message)
{
  g_autofree LLVMMemoryBufferRef *objects =
      g_new0 (LLVMMemoryBufferRef, n_kernels + 1);
  Work job = { .kernels = kernels, .n_kernels = n_kernels, .objects = objects };
  LLVMOrcLLJITRef jit = NULL;

  ensure_target ();
  compile_objects (&job);
  if (job.message != NULL)
    *out_message = job.message;
  else if (!failed (LLVMOrcCreateLLJIT (&jit, NULL), out_message)
           && !link_objects (jit, &job, out_functions, out_message))
    {
      release (jit);
      jit = NULL;
    }
  for (int i = 0; i < n_kernels; i++)
    if (objects[i] != NULL)
      LLVMDisposeMemoryBuffer (objects[i]);
  return jit;
}

const TpJitModule tp_jit_module = {
  .abi = TP_JIT_ABI,
  .get_identity = get_identity,
  .compile = compile,
  .release = release,
};
