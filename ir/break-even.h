/* break-even.h: up to which price a device pays. */
#ifndef TP_IR_BREAK_EVEN_H
#define TP_IR_BREAK_EVEN_H

#include <glib.h>

typedef enum
{
  TP_BREAK_EVEN_NEVER,        /* not even for nothing */
  TP_BREAK_EVEN_BELOW,        /* up to a price */
  TP_BREAK_EVEN_ALWAYS,       /* the others cannot run all, or whatever it takes */
} TpBreakEvenKind;

typedef struct
{
  int device;
  TpBreakEvenKind kind;
  gint64 price;               /* of TP_BREAK_EVEN_BELOW: the most for an hour, in
                               * parts, with which some plan that uses the device
                               * costs less than all that do not */
  gboolean is_proved;         /* else it is that of the plans that were found */
} TpBreakEven;

#endif
