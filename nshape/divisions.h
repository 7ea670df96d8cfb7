/* L22 5.4: counts the divisions of the method while it runs. */
#ifndef DIVISIONS_H
#define DIVISIONS_H

/* Tests the counts, by EXPECT (expect.h). */
void divisions_check(void);

/* Counts the divisions for several n and numbers of blocks, and writes PREFIX_divisions.csv. Its
 * columns are n, parts (blocks), nest (applications), and three counts of divisions: parallel (all
 * blocks together), serial (RS), thomas (Thomas for the same system). Returns an exit status
 * (options.h). */
int divisions_run(const char *csv_prefix);

#endif
