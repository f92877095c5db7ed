// Package limited runs the program under test with limits on its resources, and stops it if the search that runs it is
// stopped:
//
//	ctx, stop := limited.Context(10 * time.Minute)
//	defer stop()
//	most := limited.Limits{Seconds: 60, Kilobytes: 6 << 20}
//	err := limited.Command(ctx, ppl, []string{"check", "model.ppl"}, most).Run()
package limited

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"syscall"
	"time"
)

// Limits bound the processor time in seconds and the address space of a command.
type Limits struct{ Seconds, Kilobytes int }

// Context returns a context that ends after some time, or when the search is interrupted.
func Context(lasting time.Duration) (ctx context.Context, stop func()) {
	ctx, release := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	ctx, cancel := context.WithTimeout(ctx, lasting)
	return ctx, func() { cancel(); release() }
}

// Command returns a command that runs on one processor, in a separate process group, so that its child processes end
// with it. Each ulimit of the shell sets one limit, and child processes inherit both.
func Command(ctx context.Context, program string, args []string, l Limits) *exec.Cmd {
	script := fmt.Sprintf(`ulimit -t %d && ulimit -v %d && exec "$0" "$@"`, l.Seconds, l.Kilobytes)
	cmd := exec.CommandContext(ctx, "sh", append([]string{"-c", script, program}, args...)...)
	cmd.Env = append(os.Environ(), "GOMAXPROCS=1")
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
	cmd.WaitDelay = time.Second // a remaining process may keep the output open
	return cmd
}
