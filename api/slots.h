/* slots.h: how many runs of a session may be under way, and who must be alone. */
#ifndef TP_API_SLOTS_H
#define TP_API_SLOTS_H

#include <glib.h>

typedef struct TpSlots TpSlots;

TpSlots *tp_slots_new (int n_slots);
void tp_slots_free (TpSlots *slots);

/* Waits for a slot that no run has. */
int tp_slots_take (TpSlots *slots);
void tp_slots_give (TpSlots *slots, int slot);
/* Waits until no run has any; none begins before they are given back. */
void tp_slots_take_all (TpSlots *slots);
void tp_slots_give_all (TpSlots *slots);

#endif
