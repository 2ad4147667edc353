#include "config.h"

#include "planner/planner.h"
