// Semaphores and message queues between two processes, memory handed to a pipe, and
// a few questions that few programs ask. What a system does not have is left out.
// cc: -Wno-unused-result
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <mqueue.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ipc.h>
#include <sys/msg.h>
#include <sys/sem.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

union semun {
    int val;
    struct semid_ds *buf;
    unsigned short *array;
};

static int semaphores(void) {
    int set = semget(IPC_PRIVATE, 2, 0600);
    if (set < 0)
        return -1;
    unsigned short values[2] = {0, 5}, got[2] = {9, 9};
    semctl(set, 0, SETALL, (union semun){.array = values});
    pid_t child = fork();
    if (child == 0) {
        struct sembuf up = {0, 3, 0};
        _exit(semop(set, &up, 1) ? 1 : 0);
    }
    struct sembuf down = {0, -2, 0};
    int result = semop(set, &down, 1), status;
    waitpid(child, &status, 0);
    struct semid_ds about;
    semctl(set, 0, GETALL, (union semun){.array = got});
    semctl(set, 0, IPC_STAT, (union semun){.buf = &about});
    printf("semaphores: %d, %hu and %hu of %lu, %d\n", result, got[0], got[1],
           (unsigned long)about.sem_nsems, status);
    return semctl(set, 0, IPC_RMID, (union semun){.val = 0});
}

static void messages(void) {
    struct {
        long type;
        char text[32];
    } sent = {3, "three"}, got = {0, ""};
    int queue = msgget(IPC_PRIVATE, 0600);
    if (queue < 0)
        return;
    msgsnd(queue, &sent, sizeof sent.text, 0);
    struct msqid_ds about;
    msgctl(queue, IPC_STAT, &about);
    long len = msgrcv(queue, &got, sizeof got.text, 0, 0);
    printf("messages: %ld bytes, %ld, %s, of %lu\n", len, got.type, got.text,
           (unsigned long)about.msg_qnum);
    msgctl(queue, IPC_RMID, NULL);
}

static void queue(void) {
    char name[64], got[256] = "";
    snprintf(name, sizeof name, "/reprise-%d", getpid());
    struct mq_attr shape = {.mq_maxmsg = 4, .mq_msgsize = sizeof got}, is = {0};
    mqd_t queue = mq_open(name, O_CREAT | O_RDWR, 0600, &shape);
    if (queue < 0)
        return;
    mq_unlink(name);
    unsigned urgency = 0;
    mq_send(queue, "not urgent", 11, 1);
    mq_send(queue, "urgent", 7, 7);
    mq_getattr(queue, &is);
    long len = mq_receive(queue, got, sizeof got, &urgency);
    printf("queue: %ld bytes, %s, %u, of %ld\n", len, got, urgency, is.mq_curmsgs);
    mq_close(queue);
}

static void pipes(void) {
    int ends[2];
    static char text[] = "out of memory, into a pipe";
    char got[64] = "";
    struct iovec piece = {text, sizeof text}, room = {got, sizeof got};
    if (pipe(ends) || vmsplice(ends[1], &piece, 1, 0) < 0)
        return;
    long len = vmsplice(ends[0], &room, 1, 0);
    printf("pipe: %ld, %s\n", len, got);
}

static void handles(void) {
    union {
        struct file_handle handle;
        char room[8 + MAX_HANDLE_SZ];
    } file = {.handle = {.handle_bytes = MAX_HANDLE_SZ}};
    int mount = 0, mode = -1;
    if (name_to_handle_at(AT_FDCWD, "/", &file.handle, &mount, 0) == 0)
        printf("handle: %u bytes on %d\n", file.handle.handle_bytes, mount);
    unsigned long nodes[16] = {0};
    if (syscall(SYS_get_mempolicy, &mode, nodes, 1024, NULL, 0) == 0)
        printf("policy: %d\n", mode);
}

int main(void) {
    if (semaphores() && errno != ENOSYS)
        return 1;
    messages();
    queue();
    pipes();
    handles();
    printf("all asked\n");
    return 0;
}
