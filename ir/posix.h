/* posix.h: calls of the system that may do less than was asked, or be
 * interrupted, done to the end. */
#ifndef TP_IR_POSIX_H
#define TP_IR_POSIX_H

#include <glib.h>
#include <sys/types.h>

/* All of @data. FALSE with errno set. */
gboolean tp_posix_write (int fd, const void *data, gsize size);
/* @size bytes to @data. FALSE: there are not as many, or errno is set. */
gboolean tp_posix_read (int fd, void *data, gsize size);
/* The status of @child, once it has ended. */
int tp_posix_wait (pid_t child);
/* What the signal says that ended a child: "crashed (signal 11)", or which limit of
 * the system it met. */
char *tp_posix_describe_signal (int number);
/* In a child: whatever ends @parent, also SIGKILL, ends this process. */
void tp_posix_die_with (pid_t parent);
/* In a child: closes all files but the three standard ones and @kept. */
void tp_posix_close_others (int kept);

#endif
