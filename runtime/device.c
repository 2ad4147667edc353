#include "config.h"

#include "runtime/device.h"
