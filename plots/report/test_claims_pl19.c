/* Tests of the claims of PL19: small made-up CSV files that flip each verdict. */
#include "test_report.h"

void test_claims_pl19(void)
{
}
