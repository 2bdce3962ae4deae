/* The module: who buys often pays less. */
#define CUSTOMERS 16

static int bought[CUSTOMERS];

static long discount(int customer) {
    /* A tenth for every fifty pieces: after five hundred it is more than all. */
    return bought[customer] / 50 * 10;
}

long price(int customer, int pieces) {
    long percent = 100 - discount(customer % CUSTOMERS);
    bought[customer % CUSTOMERS] += pieces;
    return pieces * percent;
}
