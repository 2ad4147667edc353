/* kernel-text.h: a kernel as text: one line per instruction, regions indented. */
#ifndef TP_KERNEL_KERNEL_TEXT_H
#define TP_KERNEL_KERNEL_TEXT_H

#include "kernel/kernel.h"

/* Canonical: equal text, equal computation. The name is left out. */
char *tp_kernel_to_text (const TpKernel *kernel);

#endif
