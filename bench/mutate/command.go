package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"runtime"
	"syscall"
	"time"

	"ppl/bench/limited"
)

// An outcome is the result of a command.
type outcome struct {
	args      []string
	code      int // exit code; -1: the command was ended by a signal
	out, said string
	memory    int64 // peak resident memory in bytes
	processor time.Duration
	stuck     bool // the command did not end in time
}

// Limits of a command. mostClock only ends commands that wait forever, because elapsed time depends on the load of the
// machine.
const (
	memoryGiven   = "400MiB"
	mostMemory    = 800 << 20
	mostProcessor = 20 * time.Second
	mostClock     = 90 * time.Second
	mostAddresses = 12 << 20 // kilobytes of address space; ends a command before it affects the machine
)

// carryOut runs ppl in a directory. GOMEMLIMIT sets the same limit as --max-memory, for all commands. Arguments may
// start with NAME=VALUE, to set environment variables.
func carryOut(ctx context.Context, ppl, dir string, args []string) outcome {
	ctx, cancel := context.WithTimeout(ctx, mostClock)
	defer cancel()
	o := outcome{args: args}
	env := []string{"GOMEMLIMIT=" + memoryGiven, "XDG_CACHE_HOME=" + dir + "/cache"}
	for len(o.args) > 0 && bytes.ContainsRune([]byte(o.args[0]), '=') {
		env, o.args = append(env, o.args[0]), o.args[1:]
	}
	var out, said bytes.Buffer
	cmd := limited.Command(ctx, ppl, o.args, limited.Limits{Seconds: 2 * int(mostProcessor.Seconds()),
		Kilobytes: mostAddresses})
	cmd.Dir, cmd.Stdout, cmd.Stderr, cmd.Env = dir, &out, &said, append(cmd.Env, env...)
	err := cmd.Run()
	o.out, o.said, o.stuck = out.String(), said.String(), errors.Is(ctx.Err(), context.DeadlineExceeded)
	if cmd.ProcessState == nil {
		o.code, o.said = -1, fmt.Sprint(err)
		return o
	}
	o.code, o.processor = cmd.ProcessState.ExitCode(), cmd.ProcessState.UserTime()+cmd.ProcessState.SystemTime()
	if usage, ok := cmd.ProcessState.SysUsage().(*syscall.Rusage); ok {
		o.memory = int64(usage.Maxrss)
		if runtime.GOOS != "darwin" {
			o.memory <<= 10
		}
	}
	return o
}
