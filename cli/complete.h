/* complete.h: what may come next on a command line, for the shells. */
#ifndef TP_CLI_COMPLETE_H
#define TP_CLI_COMPLETE_H

#include "cli/cli.h"

/* Prints what the last of @words, which may be empty, can be made into; the
 * others stand before it, the program's name not among them. @commands: ended by
 * NULL. The first line is "words", or "files PREFIX": names of files may follow
 * PREFIX, which is part of the word. Then one whole word a line, and behind a tab
 * what it is for; one that ends in "=" or "," goes on. Whatever is wrong is
 * passed over in silence; after two seconds the process ends. */
void tp_cli_complete (const TpCommand *const *commands, int n_words,
                      char **words);

#endif
