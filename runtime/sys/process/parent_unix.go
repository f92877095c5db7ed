//go:build unix

package process

import (
	"context"
	"os"
	"strconv"
	"syscall"
	"time"
)

// parentVariable is the environment variable with the process id of a program that calls ppl.
const parentVariable = "PPL_PARENT"

// EndWithParent interrupts this process when the program that has started it, and has set parentVariable, has ended:
// what is left of a killed notebook must not keep the machine busy. The draws are kept, as after Ctrl-C.
func EndWithParent(ctx context.Context) {
	parent, err := strconv.Atoi(os.Getenv(parentVariable))
	if err != nil || parent != os.Getppid() {
		return
	}
	go func() {
		for tick := time.Tick(500 * time.Millisecond); ctx.Err() == nil; <-tick {
			if os.Getppid() != parent {
				_ = syscall.Kill(os.Getpid(), syscall.SIGINT)
				return
			}
		}
	}()
}
