/* Tests of the claims of W12: small made-up CSV files that flip each verdict. */
#include "test_report.h"

void test_claims_w12(void)
{
}
