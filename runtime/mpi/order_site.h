/*
 * The call site of the call that a replay is in, as text: for lines that say
 * where a program departs from its record. Slow, and used by one thread.
 */
#ifndef TAPE_ORDER_SITE_H
#define TAPE_ORDER_SITE_H

/*
 * Returns "function, program+0xoffset" of the call of the program, without what
 * is not known, or "unknown": static storage until the next call. The offset is
 * that of the return, as in reports.
 */
const char *tape_order_site(void);

#endif
