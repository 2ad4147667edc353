/* kernel-interleave.h: chains of instructions, each waiting for the one before,
 * merged so that they wait for each other's sake: a processor looks ahead some
 * tens of instructions, which is less than one exponential. */
#ifndef TP_KERNEL_KERNEL_INTERLEAVE_H
#define TP_KERNEL_KERNEL_INTERLEAVE_H

#include "kernel/kernel.h"

/* @bounds, @n of them: of groups of chains; a group is where each of its chains
 * begins, where the last one ends, and -1. Chains of a group lie one after the
 * other, touch no memory that another of them writes, and take turns then, an
 * instruction each. A group with regions in it stays as it is. Values get other
 * numbers: @kernel must be whole. */
void tp_kernel_interleave (TpKernel *kernel, const int *bounds, int n);

#endif
