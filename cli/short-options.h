/* short-options.h: values that stand right behind a short option, as in -n1. */
#ifndef TP_CLI_SHORT_OPTIONS_H
#define TP_CLI_SHORT_OPTIONS_H

#include <glib.h>

/* The words of @argv with each such value as a word of its own, which is all that
 * GLib takes: "-n1" becomes "-n", "1", and "-qn1" "-qn", "1". @options: const
 * GOptionEntry*. What is behind "--", and what is the value of an option, stays as
 * it is. (transfer full, %NULL-terminated) */
GPtrArray *tp_short_options_split (const GPtrArray *options, int argc,
                                   char **argv);

/* Whether no option that takes no value is given one. @words: of tp_short_options_split (). */
gboolean tp_short_options_check (const GPtrArray *options, const GPtrArray *words,
                                 GError **error);

#endif
