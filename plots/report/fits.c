/* The cost models fitted to the times of a run. */
#include "report.h"
