/* object.h: relocatable objects of kernels made into code that runs.
 *
 * A linker of our own, as small as kernels allow: it needs no LLVM, so a process
 * that has its objects starts without, and bytes that are no object are an error. */
#ifndef TP_KERNEL_OBJECT_H
#define TP_KERNEL_OBJECT_H

#include "ir/types.h"

#define TP_OBJECT_ENTRY "kernel" /* name of the function of each */

/* ELF, for this processor, position-independent. */
typedef struct
{
  const guint8 *bytes;
  gsize size;
} TpObject;

typedef struct TpObjectCode TpObjectCode;

/**
 * tp_object_link:
 *
 * Copies the code of @n objects side by side into memory of its own, which is
 * then executable and no longer writable. What they call is found by name among
 * the functions of libm that kernels are known to call.
 *
 * Returns: the code; %NULL with %TPLAN_ERROR_FAILED: not such an object, and why;
 *   or %TPLAN_ERROR_MEMORY.
 *
 * Thread: any.
 */
TpObjectCode *tp_object_link (const TpObject *objects, int n, GError **error);
void tp_object_code_free (TpObjectCode *code);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (TpObjectCode, tp_object_code_free)
/* The entry of object @i. */
void *tp_object_code_get (const TpObjectCode *code, int i);

#endif
