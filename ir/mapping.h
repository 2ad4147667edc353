/* mapping.h: files mapped to be read, and their pages that nobody needs for now.
 *
 * What has a pointer into a file need not know that it is one: only pages known
 * here are given back, and they come back from the file when they are read. */
#ifndef TP_IR_MAPPING_H
#define TP_IR_MAPPING_H

#include "ir/types.h"

/* All of @file, which nobody writes to, as bytes that keep it mapped. (transfer
 * full) */
GBytes *tp_mapping_get_bytes (GMappedFile *file);

/**
 * tp_mapping_let_go:
 * @data: anywhere
 * @size_bytes: from there on
 *
 * Gives the pages back to the system that lie wholly within these bytes, where
 * the bytes lie wholly within one mapped file; else nothing happens. The bytes
 * are there as before: whoever reads them, at the same time too, has them read
 * from the file again, which costs what the first time did, less where the
 * system still keeps the file in memory.
 *
 * Thread: any.
 */
void tp_mapping_let_go (const void *data, gsize size_bytes);

#endif
