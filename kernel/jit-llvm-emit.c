/* jit-llvm-emit.c: the control flow of a kernel as LLVM IR. Loops are emitted
 * rotated (a guard, then the test at the bottom), for no IR pass runs later. */
#include "config.h"

#include "kernel/jit-llvm-emit.h"

#include "kernel/jit-llvm-integer.h"
#include "kernel/jit-llvm-type.h"
#include "kernel/jit-llvm-memory.h"
#include "kernel/jit-llvm-value.h"
#include "kernel/jit-llvm.h"
#include "kernel/object.h"

#include <string.h>

typedef struct
{
  int head;                 /* FOR or IF */
  LLVMBasicBlockRef before; /* block that jumps to exit; NULL: it never does */
  LLVMBasicBlockRef body;   /* of a loop: its first block */
  LLVMBasicBlockRef exit;
} Region;

static LLVMBasicBlockRef
add_block (TpLlvmEmitter *emitter, const char *name)
{
  return LLVMAppendBasicBlockInContext (emitter->context, emitter->function,
                                        name);
}

/* The initial values of the carries of the loop at @i, as the carries' own until they
 * are emitted: whatever converts them comes before the loop. */
static void
emit_initial (TpLlvmEmitter *emitter, int i)
{
  const TpInstr *instrs = emitter->kernel->instrs;

  for (int k = i + 1; instrs[k].op == TP_I_CARRY; k++)
    emitter->values[k] = tp_llvm_get_value (emitter, instrs[k].a, FALSE);
}

static void
emit_for (TpLlvmEmitter *emitter, int i, Region *out_region)
{
  const TpInstr *instr = &emitter->kernel->instrs[i];
  LLVMValueRef first = emitter->values[instr->a];
  LLVMValueRef end = emitter->values[instr->b], runs;
  LLVMBasicBlockRef before = LLVMGetInsertBlock (emitter->builder);

  emit_initial (emitter, i);
  runs = LLVMBuildICmp (emitter->builder, LLVMIntSLT, first, end, "");
  out_region->head = i;
  out_region->body = add_block (emitter, "body");
  out_region->exit = add_block (emitter, "exit");
  if (LLVMIsAConstantInt (runs) != NULL && LLVMConstIntGetZExtValue (runs))
    {
      LLVMBuildBr (emitter->builder, out_region->body);
      out_region->before = NULL;
    }
  else
    {
      LLVMBuildCondBr (emitter->builder, runs, out_region->body,
                       out_region->exit);
      out_region->before = before;
    }
  LLVMPositionBuilderAtEnd (emitter->builder, out_region->body);
  emitter->values[i] = LLVMBuildPhi (emitter->builder, LLVMTypeOf (first), "");
  LLVMAddIncoming (emitter->values[i], &first, &before, 1);
}

static void
emit_carry (TpLlvmEmitter *emitter, int i, const Region *region)
{
  LLVMValueRef initial = emitter->values[i];
  LLVMValueRef counter = emitter->values[region->head];
  LLVMBasicBlockRef before = LLVMGetIncomingBlock (counter, 0);

  emitter->values[i] =
      LLVMBuildPhi (emitter->builder, LLVMTypeOf (initial), "");
  LLVMAddIncoming (emitter->values[i], &initial, &before, 1);
}

/* The final value of a carry: the last yield, which is the value of @i so far, or its
 * initial value when the loop did not run. */
static void
emit_yield (TpLlvmEmitter *emitter, int i, const Region *region,
            LLVMBasicBlockRef latch)
{
  const TpInstr *instr = &emitter->kernel->instrs[i];
  LLVMValueRef carry = emitter->values[instr->a];
  LLVMValueRef next = emitter->values[i], initial, phi;

  LLVMAddIncoming (carry, &next, &latch, 1);
  if (region->before == NULL)
    return;
  initial = LLVMGetIncomingValue (carry, 0);
  phi = LLVMBuildPhi (emitter->builder, LLVMTypeOf (next), "");
  LLVMAddIncoming (phi, &next, &latch, 1);
  LLVMAddIncoming (phi, &initial, (LLVMBasicBlockRef *)&region->before, 1);
  emitter->values[i] = phi;
}

static void
emit_end_for (TpLlvmEmitter *emitter, int i, const Region *region)
{
  const TpInstr *instrs = emitter->kernel->instrs;
  const TpInstr *head = &instrs[region->head];
  LLVMValueRef counter = emitter->values[region->head], next, again;
  LLVMBasicBlockRef latch = LLVMGetInsertBlock (emitter->builder);
  int first = i;

  while (instrs[first - 1].op == TP_I_YIELD)
    first--;
  for (int yield = first; yield < i; yield++)
    emitter->values[yield] = tp_llvm_get_value (emitter, instrs[yield].b, FALSE);
  next = LLVMBuildNSWAdd (emitter->builder, counter,
                          LLVMConstInt (LLVMTypeOf (counter), head->imm, TRUE),
                          "");
  again = LLVMBuildICmp (emitter->builder, LLVMIntSLT, next,
                         emitter->values[head->b], "");
  LLVMBuildCondBr (emitter->builder, again, region->body, region->exit);
  LLVMAddIncoming (counter, &next, &latch, 1);
  LLVMPositionBuilderAtEnd (emitter->builder, region->exit);
  for (int yield = first; yield < i; yield++)
    emit_yield (emitter, yield, region, latch);
}

static void
emit_if (TpLlvmEmitter *emitter, int i, Region *out_region)
{
  LLVMValueRef condition = emitter->values[emitter->kernel->instrs[i].a];

  *out_region = (Region){ .head = i };
  out_region->body = add_block (emitter, "then");
  out_region->exit = add_block (emitter, "endif");
  LLVMBuildCondBr (emitter->builder, condition, out_region->body,
                   out_region->exit);
  LLVMPositionBuilderAtEnd (emitter->builder, out_region->body);
}

static void
emit_body (TpLlvmEmitter *emitter)
{
  const TpKernel *kernel = emitter->kernel;
  g_autoptr (GArray) open = g_array_new (FALSE, TRUE, sizeof (Region));
  Region region;

  for (int i = 0; i < kernel->n_instrs; i++)
    {
      const TpInstr *instr = &kernel->instrs[i];

      if (open->len > 0)
        region = g_array_index (open, Region, open->len - 1);
      if (instr->op == TP_I_FOR || instr->op == TP_I_IF)
        {
          (instr->op == TP_I_FOR ? emit_for : emit_if) (emitter, i, &region);
          g_array_append_val (open, region);
        }
      else if (instr->op == TP_I_CARRY)
        emit_carry (emitter, i, &region);
      else if (instr->op == TP_I_END_FOR || instr->op == TP_I_END_IF)
        {
          if (instr->op == TP_I_END_FOR)
            emit_end_for (emitter, i, &region);
          else
            {
              LLVMBuildBr (emitter->builder, region.exit);
              LLVMPositionBuilderAtEnd (emitter->builder, region.exit);
            }
          g_array_set_size (open, open->len - 1);
        }
      else if (instr->op == TP_I_STORE)
        tp_llvm_emit_store (emitter, instr);
      else if (tp_instr_is_load (instr))
        emitter->values[i] = tp_llvm_emit_load (emitter, instr);
      else if (instr->op != TP_I_YIELD && instr->op != TP_I_BARRIER)
        emitter->values[i] = tp_llvm_emit_value (emitter, instr);
    }
}

/* --- the function ------------------------------------------------------- */

/* Local buffers are consecutive 64-byte aligned slices of the scratch. */
static void
emit_bases (TpLlvmEmitter *emitter)
{
  LLVMTypeRef byte = LLVMInt8TypeInContext (emitter->context);
  LLVMTypeRef byte_ptr = LLVMPointerType (byte, 0);
  LLVMTypeRef index = LLVMInt64TypeInContext (emitter->context), element;
  LLVMValueRef args = LLVMGetParam (emitter->function, 0);
  LLVMValueRef scratch = LLVMGetParam (emitter->function, 2), at, base;
  gint64 offset = 0;

  for (int i = 0; i < emitter->kernel->n_buffers; i++)
    {
      const TpKernelBuffer *buffer = &emitter->kernel->buffers[i];

      if (buffer->space == TP_SPACE_GLOBAL)
        {
          at = LLVMConstInt (index, i, FALSE);
          at = LLVMBuildInBoundsGEP2 (emitter->builder, byte_ptr, args, &at, 1,
                                      "");
          base = LLVMBuildLoad2 (emitter->builder, byte_ptr, at, "");
        }
      else
        {
          at = LLVMConstInt (index, offset, FALSE);
          base = LLVMBuildInBoundsGEP2 (emitter->builder, byte, scratch, &at, 1,
                                        "");
          offset += (tp_kernel_buffer_get_bytes (buffer) + 63) / 64 * 64;
        }
      element = tp_llvm_memory_type (emitter, buffer->dtype, 1);
      emitter->bases[i] = LLVMBuildBitCast (emitter->builder, base,
                                            LLVMPointerType (element, 0), "");
    }
}

static void
set_attribute (TpLlvmEmitter *emitter, const char *key, const char *value)
{
  LLVMAttributeRef attribute = LLVMCreateStringAttribute (
      emitter->context, key, strlen (key), value, strlen (value));

  LLVMAddAttributeAtIndex (emitter->function, LLVMAttributeFunctionIndex,
                           attribute);
}

static void
create_function (TpLlvmEmitter *emitter)
{
  LLVMTypeRef byte_ptr =
      LLVMPointerType (LLVMInt8TypeInContext (emitter->context), 0);
  LLVMTypeRef params[] = { LLVMPointerType (byte_ptr, 0),
                           LLVMInt64TypeInContext (emitter->context), byte_ptr,
                           LLVMInt64TypeInContext (emitter->context) };
  guint nounwind = LLVMGetEnumAttributeKindForName ("nounwind", 8);

  emitter->function = LLVMAddFunction (
      emitter->module, TP_OBJECT_ENTRY,
      LLVMFunctionType (LLVMVoidTypeInContext (emitter->context), params, 4,
                        FALSE));
  /* Vectors are meant as written: never split in halves. */
  set_attribute (emitter, "prefer-vector-width", "512");
  set_attribute (emitter, "min-legal-vector-width", "512");
  LLVMAddAttributeAtIndex (
      emitter->function, LLVMAttributeFunctionIndex,
      LLVMCreateEnumAttribute (emitter->context, nounwind, 0));
}

void
tp_llvm_emit_kernel (LLVMModuleRef module, const TpKernel *kernel,
                     const TpLlvmFeatures *has)
{
  LLVMContextRef context = LLVMGetModuleContext (module);
  g_autofree LLVMValueRef *values = g_new0 (LLVMValueRef, kernel->n_instrs + 1);
  g_autofree LLVMValueRef *bases = g_new0 (LLVMValueRef, kernel->n_buffers + 1);
  g_autofree TpRange *ranges = tp_kernel_get_ranges (kernel);
  LLVMTypeRef index = LLVMInt64TypeInContext (context);
  TpLlvmEmitter emitter = {
    .kernel = kernel,
    .context = context,
    .module = module,
    .builder = LLVMCreateBuilderInContext (context),
    .values = values,
    .bases = bases,
    .ranges = ranges,
    .has = *has,
  };

  create_function (&emitter);
  LLVMPositionBuilderAtEnd (emitter.builder, add_block (&emitter, "entry"));
  emitter.zero_slot = LLVMBuildAlloca (emitter.builder, index, "");
  LLVMBuildStore (emitter.builder, LLVMConstNull (index), emitter.zero_slot);
  emit_bases (&emitter);
  emit_body (&emitter);
  LLVMBuildRetVoid (emitter.builder);
  LLVMDisposeBuilder (emitter.builder);
}
