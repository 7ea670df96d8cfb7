/* Tests of the fits and of the tables. */
#include "test_report.h"

void test_fits(void)
{
}
