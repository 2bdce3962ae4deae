/* A queue with its mutex and conditions beside what they protect, used by several threads; and
   pieces of the heap with a recursive mutex each. */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#define ROOM 8
#define MANY 3000

static struct {
    pthread_mutex_t mutex;
    pthread_cond_t filled, emptied;
    int head, tail, waiting;
    int values[ROOM];
} queue = {
    .mutex = PTHREAD_MUTEX_INITIALIZER,
    .filled = PTHREAD_COND_INITIALIZER,
    .emptied = PTHREAD_COND_INITIALIZER,
};

struct account {
    int money;
    pthread_mutex_t mutex;
};

static void in_put(int value) {
    pthread_mutex_lock(&queue.mutex);
    while (queue.head - queue.tail == ROOM) {
        queue.waiting++;
        pthread_cond_wait(&queue.emptied, &queue.mutex);
        queue.waiting--;
    }
    queue.values[queue.head++ % ROOM] = value;
    pthread_cond_signal(&queue.filled);
    pthread_mutex_unlock(&queue.mutex);
}

static int in_take(void) {
    pthread_mutex_lock(&queue.mutex);
    while (queue.head == queue.tail)
        pthread_cond_wait(&queue.filled, &queue.mutex);
    int value = queue.values[queue.tail++ % ROOM];
    pthread_cond_signal(&queue.emptied);
    pthread_mutex_unlock(&queue.mutex);
    return value;
}

static struct account *in_open(void) {
    struct account *one = calloc(1, sizeof *one);
    pthread_mutexattr_t how;
    pthread_mutexattr_init(&how);
    pthread_mutexattr_settype(&how, PTHREAD_MUTEX_RECURSIVE);
    pthread_mutex_init(&one->mutex, &how);
    pthread_mutexattr_destroy(&how);
    return one;
}

static int in_pay(struct account *account, int money) {
    pthread_mutex_lock(&account->mutex);
    int again = pthread_mutex_lock(&account->mutex);
    account->money += money;
    pthread_mutex_unlock(&account->mutex);
    pthread_mutex_unlock(&account->mutex);
    return again;
}

static int in_accounts(void) {
    int sum = 0;
    for (int round = 0; round < 20; round++) {
        struct account *one = in_open(), *other = in_open();
        sum += in_pay(one, round) + in_pay(other, 2 * round);
        sum += one->money + other->money;
        if (round % 2)
            pthread_mutex_destroy(&one->mutex);
        free(one);
        free(other);
    }
    return sum;
}

static void *produce(void *unused) {
    for (int value = 1; value <= MANY; value++)
        in_put(value);
    return unused;
}

int main(void) {
    pthread_t threads[2];
    long sum = 0;
    for (int thread = 0; thread < 2; thread++)
        if (pthread_create(&threads[thread], NULL, produce, NULL))
            return 1;
    for (int taken = 0; taken < 2 * MANY; taken++)
        sum += in_take();
    for (int thread = 0; thread < 2; thread++)
        pthread_join(threads[thread], NULL);
    printf("%ld %d\n", sum, in_accounts());
    return 0;
}
