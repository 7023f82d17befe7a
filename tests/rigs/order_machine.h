/* The machine of order_program.h, move by move. */
#ifndef ORDER_MACHINE_H
#define ORDER_MACHINE_H

#include "order_program.h"

enum order_move_kind { ORDER_BEGIN, ORDER_MATCH, ORDER_END };

/* A step of a rank begins or ends (a wait: for the receive of that step), or a
 * receive takes a message. */
struct order_move {
	enum order_move_kind kind;
	int rank, step, message;
};

enum { ORDER_MOVES = 128 };
struct order_moves {
	int n;
	struct order_move move[ORDER_MOVES];
};

/* Without padding: states are compared as bytes. */
struct order_state {
	uint32_t completed[ORDER_RANKS]; /* receives that a wait ended */
	uint16_t sent, taken;		 /* messages */
	uint8_t at[ORDER_RANKS], begun[ORDER_RANKS]; /* the step in progress */
	uint8_t took[ORDER_RANKS][ORDER_STEPS];	     /* message + 1 */
};

int order_is_receive(enum order_kind k);

/* All moves that are possible. */
void order_list_moves(const struct order_program *p,
		      const struct order_state *x, struct order_moves *l);
void order_make_move(const struct order_program *p, struct order_state *x,
		     const struct order_move *v);

/* Have all ranks ended? */
int order_is_over(const struct order_program *p, const struct order_state *x);

#endif
