/* lookup-fixture.h: a cost table of rows made by hand, and a small graph to look up in
 * it. */
#ifndef TP_TESTS_CALIB_LOOKUP_FIXTURE_H
#define TP_TESTS_CALIB_LOOKUP_FIXTURE_H

#include "calib/cost-db.h"
#include "calib/keys.h"
#include "calib/lookup.h"
#include "tests/set-text.h"

#define KNOWN_NS 1234567
#define KNOWN_SCHEDULE "window lanes=8"

typedef struct
{
  char *folder;
  char *path;
  TpCostDb *db;
  TpGraph *graph;
  TpGroups *groups;
  TpKeys *keys;
  TpCalibOptions options;
} Fixture;

void set_up (Fixture *fixture, gconstpointer data);
void tear_down (Fixture *fixture, gconstpointer data);

/* @facts NULL: those that hold now. */
gint64 put_device_as (TpCostDb *db, const char *name, const char *facts,
                      const char *identity);
gint64 put_device (TpCostDb *db, const char *name, const char *facts);
/* @time_ns < 0: it failed. */
void put_entry (TpCostDb *db, gint64 device, const TpKey *key, gint64 time_ns);
/* All but the VIEW. */
void put_all (Fixture *fixture, TpCostDb *db, gint64 device);

TpCosts *look_up (Fixture *fixture);
/* There is one. */
const char *get_warning (Fixture *fixture);

#endif
