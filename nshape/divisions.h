/* L22 5.4: the divisions of the method, counted while it runs. */
#ifndef DIVISIONS_H
#define DIVISIONS_H

/* EXPECTs (expect.h) only. */
void divisions_check(void);

/* Writes PREFIX_divisions.csv. The columns: n, blocks, applications, divisions of all blocks
 * together, of RS, and of Thomas for the same system. Returns an exit status (options.h). */
int divisions_run(const char *csv_prefix);

#endif
