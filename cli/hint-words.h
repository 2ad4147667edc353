/* hint-words.h: the words of a command that is suggested. */
#ifndef TP_CLI_HINT_WORDS_H
#define TP_CLI_HINT_WORDS_H

#include "cli/cli.h"

/* @word as a shell reads it back; the caller frees. */
char *tp_hint_quote (const char *word);

/* Each is added behind a space. */
void tp_hint_add (GString *line, const char *word);
void tp_hint_add_option (GString *line, const char *name, const char *value);
void tp_hint_add_number (GString *line, const char *name, gint64 value);

/* Whether @command has an option --@name of its own. */
gboolean tp_hint_has_option (const TpCommand *command, const char *name);

#endif
