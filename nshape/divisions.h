/* L22 5.4: counts the divisions of the method while it runs. */
#ifndef DIVISIONS_H
#define DIVISIONS_H

/* Tests the counts, by EXPECT (expect.h). */
void divisions_check(void);

/* Writes PREFIX_divisions.csv: n, parts (blocks), nest (applications), and the divisions of all
 * blocks (parallel), of RS (serial) and of Thomas. Returns an exit status. */
int divisions_run(const char *csv_prefix);

#endif
