/* jit-llvm-bytes.c: dot products of bytes: one instruction where the processor has it
 * (VNNI); on other x86 products of 16 bits whose neighbours are added up, the even bytes
 * apart from the odd ones; elsewhere four products. All are exact. */
#include "config.h"

#include "kernel/jit-llvm-bytes.h"

#include "kernel/jit-llvm-type.h"

#include <string.h>

/* The operands of one instruction. */
typedef struct
{
  TpLlvmEmitter *emitter;
  LLVMBuilderRef builder;
  int lanes;
  LLVMTypeRef words;          /* i16, two a lane */
  LLVMTypeRef sums;           /* i32 */
} Dot;

/* An intrinsic with one form only. */
static LLVMValueRef
call (const Dot *dot, const char *name, LLVMValueRef *args, int n_args)
{
  TpLlvmEmitter *emitter = dot->emitter;
  unsigned id = LLVMLookupIntrinsicID (name, strlen (name));

  return LLVMBuildCall2 (
      dot->builder, LLVMIntrinsicGetType (emitter->context, id, NULL, 0),
      LLVMGetIntrinsicDeclaration (emitter->module, id, NULL, 0), args, n_args,
      "");
}

static LLVMValueRef
number (LLVMTypeRef type, gint64 value)
{
  LLVMTypeRef scalar = LLVMGetTypeKind (type) == LLVMVectorTypeKind
                           ? LLVMGetElementType (type)
                           : type;
  LLVMValueRef one = LLVMConstInt (scalar, value, FALSE), low;

  if (scalar == type)
    return one;
  /* more lanes than a value of kernels has */
  low = tp_llvm_const_splat (one, LLVMGetVectorSize (type) / 2);
  return LLVMConstShuffleVector (
      low, low,
      LLVMConstNull (LLVMVectorType (
          LLVMInt32TypeInContext (LLVMGetTypeContext (scalar)),
          LLVMGetVectorSize (type))));
}

/* ---- VNNI -------------------------------------------------------------- */

static const char *
find_instruction (const Dot *dot)
{
  const TpLlvmFeatures *has = &dot->emitter->has;

  switch (dot->lanes)
    {
    case 16:
      return has->wide_dots ? "llvm.x86.avx512.vpdpbusd.512" : NULL;
    case 8:
      return has->dots ? "llvm.x86.avx512.vpdpbusd.256" : NULL;
    case 4:
      return has->dots ? "llvm.x86.avx512.vpdpbusd.128" : NULL;
    default:
      return NULL;
    }
}

/* ---- pairs of words ---------------------------------------------------- */

static const char *
find_pairs (const Dot *dot)
{
  const TpLlvmFeatures *has = &dot->emitter->has;

  switch (dot->lanes)
    {
    case 16:
      return has->avx512bw ? "llvm.x86.avx512.pmaddw.d.512" : NULL;
    case 8:
      return has->avx2 ? "llvm.x86.avx2.pmadd.wd" : NULL;
    case 4:
      return has->is_x86 ? "llvm.x86.sse2.pmadd.wd" : NULL;
    default:
      return NULL;
    }
}

static LLVMValueRef
emit_pairs (const Dot *dot, const char *name, const LLVMValueRef *args)
{
  LLVMBuilderRef builder = dot->builder;
  LLVMValueRef eight = number (dot->words, 8);
  LLVMValueRef a = LLVMBuildBitCast (builder, args[0], dot->words, "");
  LLVMValueRef b = LLVMBuildBitCast (builder, args[1], dot->words, "");
  LLVMValueRef even[] = {
    LLVMBuildAnd (builder, a, number (dot->words, 0xff), ""),
    LLVMBuildAShr (builder, LLVMBuildShl (builder, b, eight, ""), eight, ""),
  };
  LLVMValueRef odd[] = { LLVMBuildLShr (builder, a, eight, ""),
                         LLVMBuildAShr (builder, b, eight, "") };
  LLVMValueRef sum = LLVMBuildAdd (builder, args[2],
                                   call (dot, name, even, 2), "");

  return LLVMBuildAdd (builder, sum, call (dot, name, odd, 2), "");
}

/* ---- anything ---------------------------------------------------------- */

static LLVMValueRef
emit_products (const Dot *dot, const LLVMValueRef *args)
{
  LLVMBuilderRef builder = dot->builder;
  LLVMValueRef sum = args[2], a, b;

  for (int i = 0; i < 4; i++)
    {
      a = LLVMBuildLShr (builder, args[0], number (dot->sums, 8 * i), "");
      a = LLVMBuildAnd (builder, a, number (dot->sums, 0xff), "");
      b = LLVMBuildShl (builder, args[1], number (dot->sums, 24 - 8 * i), "");
      b = LLVMBuildAShr (builder, b, number (dot->sums, 24), "");
      sum = LLVMBuildAdd (builder, sum, LLVMBuildMul (builder, a, b, ""), "");
    }
  return sum;
}

LLVMValueRef
tp_llvm_emit_dot4 (TpLlvmEmitter *emitter, int lanes, const LLVMValueRef *args)
{
  LLVMTypeRef word = LLVMInt16TypeInContext (emitter->context);
  Dot dot = { emitter, emitter->builder, lanes,
              LLVMVectorType (word, 2 * lanes),
              tp_llvm_type (emitter, TP_KIND_I32, lanes) };
  LLVMValueRef turned[] = { args[2], args[0], args[1] };
  const char *name = find_instruction (&dot);

  if (name != NULL)
    return call (&dot, name, turned, 3);
  name = find_pairs (&dot);
  return name != NULL ? emit_pairs (&dot, name, args)
                      : emit_products (&dot, args);
}
