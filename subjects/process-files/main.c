// Files, folders, pipes and sockets, waited for in every way there is.
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <dirent.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/timerfd.h>
#include <sys/uio.h>
#include <sys/un.h>
#include <unistd.h>

#define MUST(condition) \
    do { \
        if (!(condition)) { \
            fprintf(stderr, "line %d\n", __LINE__); \
            return 1; \
        } \
    } while (0)

static int folders(void) {
    char name[] = "/tmp/reprise-subject-XXXXXX", path[64], link[64], got[64];
    MUST(mkdtemp(name));
    snprintf(path, sizeof path, "%s/file", name);
    snprintf(link, sizeof link, "%s/link", name);
    int file = open(path, O_RDWR | O_CREAT, 0600);
    struct iovec out[2] = {{"one, ", 5}, {"two", 3}}, in[2] = {{got, 3}, {got + 3, 40}};
    MUST(writev(file, out, 2) == 8);
    MUST(lseek(file, 0, SEEK_SET) == 0 && readv(file, in, 2) == 8);
    MUST(memcmp(got, "one, two", 8) == 0 && pread(file, got, 3, 5) == 3);
    MUST(symlink(path, link) == 0 && readlink(link, got, sizeof got) == (ssize_t)strlen(path));
    struct stat info;
    MUST(fstat(file, &info) == 0 && info.st_size == 8);
    DIR *folder = opendir(name);
    int entries = 0;
    while (readdir(folder))
        entries++;
    closedir(folder);
    MUST(entries == 4);
    struct flock lock = {.l_type = F_WRLCK};
    MUST(fcntl(file, F_GETLK, &lock) == 0 && lock.l_type == F_UNLCK);
    close(file);
    MUST(unlink(link) == 0 && unlink(path) == 0 && rmdir(name) == 0);
    return 0;
}

static int waiting(void) {
    int ends[2], waiting;
    char got[16];
    MUST(pipe2(ends, O_NONBLOCK) == 0);
    MUST(read(ends[0], got, sizeof got) == -1);
    MUST(write(ends[1], "pipe", 4) == 4);
    MUST(ioctl(ends[0], FIONREAD, &waiting) == 0 && waiting == 4);
    struct pollfd polled[2] = {{ends[0], POLLIN, 0}, {ends[1], POLLOUT, 0}};
    MUST(poll(polled, 2, 1000) == 2 && polled[0].revents == POLLIN);
    fd_set set;
    FD_ZERO(&set);
    FD_SET(ends[0], &set);
    struct timeval patience = {5, 0};
    MUST(select(ends[0] + 1, &set, NULL, NULL, &patience) == 1 && FD_ISSET(ends[0], &set));
    int events = epoll_create1(0), counter = eventfd(3, 0), timer = timerfd_create(CLOCK_MONOTONIC, 0);
    struct epoll_event event = {EPOLLIN, {.u64 = 0x1122334455667788}}, ready[4];
    MUST(epoll_ctl(events, EPOLL_CTL_ADD, ends[0], &event) == 0);
    MUST(epoll_ctl(events, EPOLL_CTL_ADD, counter, &event) == 0);
    MUST(epoll_wait(events, ready, 4, 1000) == 2 && ready[1].data.u64 == event.data.u64);
    struct itimerspec soon = {{0, 0}, {0, 1000000}};
    uint64_t times;
    MUST(timerfd_settime(timer, 0, &soon, NULL) == 0);
    MUST(read(timer, &times, 8) == 8 && times == 1);
    MUST(read(counter, &times, 8) == 8 && times == 3);
    return 0;
}

static int sockets(void) {
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)}, peer;
    socklen_t len = sizeof address;
    int listener = socket(AF_INET, SOCK_STREAM, 0), client = socket(AF_INET, SOCK_STREAM, 0);
    MUST(bind(listener, (void *)&address, len) == 0 && listen(listener, 1) == 0);
    MUST(getsockname(listener, (void *)&address, &len) == 0 && address.sin_port);
    MUST(connect(client, (void *)&address, len) == 0);
    len = sizeof peer;
    int server = accept(listener, (void *)&peer, &len);
    MUST(server >= 0 && peer.sin_addr.s_addr == htonl(INADDR_LOOPBACK));
    char got[64];
    MUST(send(client, "hello", 5, 0) == 5 && recv(server, got, sizeof got, 0) == 5);
    int value;
    len = sizeof value;
    MUST(getsockopt(server, SOL_SOCKET, SO_TYPE, &value, &len) == 0 && value == SOCK_STREAM);
    // A descriptor goes through a socket.
    int pair[2];
    MUST(socketpair(AF_UNIX, SOCK_DGRAM, 0, pair) == 0);
    union {
        struct cmsghdr header;
        char bytes[CMSG_SPACE(sizeof(int))];
    } control = {.header = {CMSG_LEN(sizeof(int)), SOL_SOCKET, SCM_RIGHTS}};
    memcpy(CMSG_DATA(&control.header), &server, sizeof server);
    struct iovec data = {"fd", 2};
    struct msghdr message = {.msg_iov = &data, .msg_iovlen = 1, .msg_control = &control, .msg_controllen = sizeof control};
    MUST(sendmsg(pair[0], &message, 0) == 2);
    data = (struct iovec){got, sizeof got};
    memset(&control, 0, sizeof control);
    MUST(recvmsg(pair[1], &message, 0) == 2 && memcmp(got, "fd", 2) == 0);
    int passed;
    memcpy(&passed, CMSG_DATA(&control.header), sizeof passed);
    MUST(write(passed, "again", 5) == 5 && recv(client, got, sizeof got, 0) == 5);
    MUST(memcmp(got, "again", 5) == 0);
    return 0;
}

int main(void) {
    if (folders() || waiting() || sockets())
        return 1;
    puts("files, waiting and sockets are well");
    return 0;
}
