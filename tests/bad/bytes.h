/* bytes.h: binary files from a few words.
 *
 *   "text\n\x00"     bytes; \n \\ \" \xHH
 *   x0a1b            bytes in hex
 *   u16=5            an integer, little-endian; u8, u16, u32, u64; may be negative
 *   u32( ... )       the same, being the length of what follows it, in brackets
 *   3:17             protobuf: field 3, a varint; may be negative
 *   3"text"          protobuf: field 3, text
 *   3{ ... }         protobuf: field 3, a message
 *   3/0000803f       protobuf: field 3, four bytes
 *   ( ... )          a group
 *   *7 ITEM          the item seven times
 *   ^7 ITEM          seven times nested: _ in the item is what was made before
 *   @name            what `let name` says */
#ifndef TEST_BAD_BYTES_H
#define TEST_BAD_BYTES_H

#include <glib.h>

/* Appends the bytes @text stands for; @lets: char* -> char*. Returns NULL, or
 * what is wrong with @text. */
const char *bytes_assemble (const char *text, GHashTable *lets,
                            GByteArray *out);

#endif
