/* exchange.h: cost tables as JSON, "tplan-cost/3": to install on equal
 * machines, to keep beside a report, to read. */
#ifndef TP_CALIB_EXCHANGE_H
#define TP_CALIB_EXCHANGE_H

#include "calib/columns.h"
#include "calib/machine-info.h"

/* A device, and the rows of it. */
typedef struct
{
  TpDeviceRow *device;
  TpPointers *entries, *wholes; /* TpEntryRow, TpWholeRow */
} TpExchangeDevice;

/* What is in a file. */
typedef struct
{
  GPtrArray *devices;         /* TpExchangeDevice */
  TpMachineInfo *machine;     /* (nullable): all is of this one */
} TpExchange;

TpExchangeDevice *tp_exchange_device_new (void);
void tp_exchange_device_free (TpExchangeDevice *it);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (TpExchangeDevice, tp_exchange_device_free)
TpExchange *tp_exchange_new (void);
void tp_exchange_free (TpExchange *exchange);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (TpExchange, tp_exchange_free)

char *tp_exchange_write (const TpExchange *exchange);
/* TPLAN_ERROR_INPUT: anything in it that should not be, by place. */
TpExchange *tp_exchange_read (const char *text, gsize size, GError **error);
/* Entries measured later win. @out_n: entries taken. */
gboolean tp_exchange_store (TpExchange *exchange, TpCostDb *db, int *out_n,
                            GError **error);

/* JSON, format "tplan-cost/3". Import checks all of it before the first row is
 * written. */
char *tp_cost_db_export (TpCostDb *db, GError **error);
gboolean tp_cost_db_import (TpCostDb *db, const char *text, gsize size,
                            int *out_n, GError **error);

#endif
