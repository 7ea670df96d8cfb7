/* L22 5.4: counts the divisions of the method while it runs. */
#ifndef DIVISIONS_H
#define DIVISIONS_H

/* Tests the counts, by EXPECT (expect.h). */
void divisions_check(void);

/* Writes PREFIX_divisions.csv with the columns: n, blocks, applications, divisions of all blocks
 * together, of RS, and of Thomas for the same system. Returns an exit status (options.h). */
int divisions_run(const char *csv_prefix);

#endif
