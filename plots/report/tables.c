/* The tables of the report. */
#include "report.h"
