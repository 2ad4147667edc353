/* seat.h: a processor for the thread that measures. */
#ifndef TP_CALIB_SEAT_H
#define TP_CALIB_SEAT_H

#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <glib.h>
#include <sched.h>

/* On a quiet machine the calling thread finds the processor that no worker of the
 * pool is pinned to. Beside others the system may leave it with a worker, and then
 * all kernels take twice as long for as long as that lasts. Keeps the caller off
 * the processors that other threads of this process are pinned to; what it starts
 * meanwhile inherits that, so leave the seat before drivers start threads. */
typedef struct
{
  cpu_set_t before;
  gboolean is_taken;
  GArray *moved;              /* pid_t: threads that gave way; NULL: none */
} TpSeat;

void tp_seat_take (TpSeat *seat);
/* Takes the first processor for the caller alone: other threads of this process
 * that may run anywhere are kept off it. Whether a driver's thread runs where it
 * was woken or must be fetched from another processor is chance otherwise, and
 * stays so for as long as the process lives. */
void tp_seat_take_alone (TpSeat *seat);
void tp_seat_leave (TpSeat *seat);

#endif
