/* relocate.h: what a linker writes into machine code, by the ABI of the
 * processor. */
#ifndef TP_KERNEL_RELOCATE_H
#define TP_KERNEL_RELOCATE_H

#include "ir/types.h"

/* One field of an object that is being placed. */
typedef struct
{
  guint32 type;               /* R_X86_64_PC32, ... */
  guint64 value;              /* address of what is referred to, plus addend */
  guint64 place;              /* address that the field will have */
  guint8 *field;              /* where it is now */
  gsize room;                 /* bytes from there to the end of the section */
} TpRelocation;

/* Code that jumps to an address, which is its last 8 bytes. */
#define TP_STUB_BYTES 16

/* EM_X86_64 or EM_AARCH64: of the processor that runs this; 0: another. */
int tp_relocate_get_machine (void);
/* %FALSE: of a type that kernels do not have, or too far away. */
gboolean tp_relocate (int machine, const TpRelocation *relocation);
void tp_relocate_write_stub (int machine, guint8 *stub, guint64 address);

#endif
