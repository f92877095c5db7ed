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

// EndWithParent interrupts this process when the program that started it, and set parentVariable, has ended: a run must
// not continue after its notebook was killed. The draws are kept, as after Ctrl-C.
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
