/* name-hash.h: hash of names that come from files. */
#ifndef TP_IR_NAME_HASH_H
#define TP_IR_NAME_HASH_H

#include <glib.h>

/* For g_hash_table_new (). Differs from process to process, so that no file can
 * choose names that collide, and order in tables means nothing: sort what is
 * shown or written. */
guint tp_name_hash (gconstpointer name);
/* The same of @n bytes. */
guint tp_bytes_hash (gconstpointer bytes, gsize n);
/* The same of a guint64: GLib's hash of one is its lower half. */
guint tp_pair_hash (gconstpointer pair);
/* SipHash-2-4 of @n bytes. */
guint64 tp_siphash (const guint64 *key, gconstpointer data, gsize n);

#endif
