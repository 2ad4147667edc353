/* machine-text.h: what `tplan machine` has, in lines. */
#ifndef TP_CLI_MACHINE_TEXT_H
#define TP_CLI_MACHINE_TEXT_H

#include <jansson.h>

#include "cli/cli.h"

/* The first is a title; NULL-terminated, the caller frees. */
char **tp_machine_text_machine (const json_t *document);
char **tp_machine_text_device (const json_t *device);
/* Of the link under @key, a line for each size; nothing where there is none. */
char **tp_machine_text_link (const json_t *device, const char *key);

#endif
