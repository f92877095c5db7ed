// Package process handles the interaction of a long-running command with the operating system: which signals end the
// process, whether its limits are high enough, whether the program that started it still runs, and whether standard
// output is open.
//
//	process.SaveAddresses()
//	process.EndAtOnce()
//	ctx, release := process.Stoppable(ctx) // the first Ctrl-C cancels ctx, the second kills
//	defer release()
//
// The handling of signals follows Stevens and Rago, Advanced Programming in the UNIX Environment, 3rd edition, 2013,
// chapter 10.
package process

import (
	"context"
	"os"
	"os/signal"
	"slices"
	"time"
)

// Interrupted is the exit code of a process that a signal ended, as shells report for SIGINT.
const Interrupted = 130

// After a signal, a command has the time `grace` to reach a point where it can stop, such as the end of a step. If it
// does not, it has the time lastSaves to save its results, and then the process exits.
const (
	grace     = 1400 * time.Millisecond
	lastSaves = 400 * time.Millisecond
)

// Stoppable returns a context that is cancelled by the first Ctrl-C or other signal to end; the second signal kills the
// process. If the command does not end within the grace period, the process exits. If the reader of our output closes
// its pipe, the run continues, since its draws are still useful.
func Stoppable(ctx context.Context) (context.Context, func()) { return StoppableWith(ctx, func() {}) }

// StoppableWith is like Stoppable, but calls save before the process exits in the middle of its work.
func StoppableWith(ctx context.Context, save func()) (context.Context, func()) {
	return OnSignal(ctx, func(over <-chan struct{}) {
		if endsWithin(grace, over) {
			return
		}
		saved := make(chan struct{})
		go func() { save(); close(saved) }()
		endsWithin(lastSaves, saved)
		os.Exit(Interrupted)
	})
}

// OnSignal returns a context that is cancelled by a signal to end. After the signal it calls last with a channel that
// is closed when the context is released.
func OnSignal(ctx context.Context, last func(over <-chan struct{})) (context.Context, func()) {
	ignoreClosedPipes()
	heeded := slices.DeleteFunc(Endings(), isIgnored) // nohup, for example, ignores a signal
	signal.Reset(heeded...)                           // EndAtOnce handles some of them
	arrived := make(chan os.Signal, 1)
	signal.Notify(arrived, heeded...)
	ctx, cancel := context.WithCancel(ctx)
	over := make(chan struct{})
	go func() {
		select {
		case <-arrived:
		case <-over:
			return
		}
		signal.Stop(arrived)
		cancel()
		last(over)
	}()
	return ctx, func() {
		signal.Stop(arrived)
		cancel()
		close(over)
	}
}

// endsWithin waits at most the given time for a channel to be closed, and reports whether it was.
func endsWithin(most time.Duration, closed <-chan struct{}) bool {
	select {
	case <-closed:
		return true
	case <-time.After(most):
		return false
	}
}

// EndAtOnce ends the process at signals that Go ignores. Commands that save something replace this handling.
func EndAtOnce() {
	arrived := make(chan os.Signal, 1)
	signal.Notify(arrived, ignoredByGo()...)
	go func() {
		<-arrived
		os.Exit(Interrupted)
	}()
}
