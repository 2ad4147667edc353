#include "config.h"

#include "calib/calib.h"
