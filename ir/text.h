/* text.h: a GString that grows with the model: where there is no memory, the
 * guarded call is left (ir/guard.h). */
#ifndef TP_IR_TEXT_H
#define TP_IR_TEXT_H

#include <glib.h>

void tp_text_append (GString *text, const char *string);
void tp_text_append_c (GString *text, char c);
/* As digits. */
void tp_text_append_number (GString *text, gint64 value);
void tp_text_append_len (GString *text, const char *bytes, gsize n);
void tp_text_append_printf (GString *text, const char *format, ...)
    G_GNUC_PRINTF (2, 3);
void tp_text_append_vprintf (GString *text, const char *format, va_list args)
    G_GNUC_PRINTF (2, 0);

#endif
