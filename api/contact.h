/* contact.h: meeting the drivers of this machine. */
#ifndef TP_API_CONTACT_H
#define TP_API_CONTACT_H

#include <glib.h>

/* Before this process calls a driver of @devices (NULL: of any): each is called
 * in a child, with a deadline, and opens its devices. One that hangs, crashes or
 * ends the process there is left out by this process and its children from then
 * on, and *@notes (of char *) says so. What is found is kept in the user's cache
 * for the file of the driver as it is; @is_fresh: and not believed.
 *
 * For programs without other threads; changes the environment while a driver is
 * loaded. FALSE: none of @devices has a driver. */
gboolean tp_contact_drivers (const char *const *devices, gboolean is_fresh,
                             GPtrArray *notes);

#endif
