// Does this processor keep its flags? Linux leaves in `r11` what it had of them when a
// program made a system call. An emulator that mistakes the place where it computes flags
// has bits there that no processor has, and then keeps them: for every program, and for
// what is told of programs. Nothing of Reprise is in here.
#define _GNU_SOURCE
#include <stdio.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

// Carry to ID, without the ones that are reserved.
#define FLAGS 0x3f7fd7UL

static unsigned long impossible(void) {
    unsigned long found = 0;
    for (int i = 0; i < 2000; i++) {
        unsigned long left, pushed;
        long number = SYS_getppid;
        __asm__ volatile("syscall; mov %%r11, %0; pushfq; pop %1"
                         : "=&r"(left), "=&r"(pushed), "+a"(number)
                         :
                         : "rcx", "r11", "memory", "cc");
        found |= (left | pushed) & ~FLAGS;
    }
    return found;
}

// The processor is asked by two programs, which the kernel switches between.
int main(void) {
    pid_t child = fork();
    unsigned long found = impossible();
    if (child == 0)
        _exit(found != 0);
    int status = 0;
    waitpid(child, &status, 0);
    if (found == 0 && status == 0)
        return 0;
    printf("%lx\n", found);
    return 1;
}
