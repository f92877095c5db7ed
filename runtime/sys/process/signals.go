// Package process is what a command that may work for days asks of the operating system about its own process: which
// signals end it, whether its limits are high enough, whether the program that started it is still there, and whether
// somebody reads its results.
//
//	process.SaveAddresses()
//	process.EndAtOnce()
//	ctx, release := process.Stoppable(ctx) // the first Ctrl-C cancels ctx, the second kills
//	defer release()
//
// Signals are those of Stevens and Rago, Advanced Programming in the UNIX Environment, 3rd edition, 2013, chapter 10.
package process

import (
	"context"
	"os"
	"os/signal"
	"slices"
	"time"
)

// Interrupted is the exit code of a process that a signal ended, as shells report SIGINT.
const Interrupted = 130

// After a signal a command has grace to come to a place where it can stop, such as the end of a step. What is in the
// middle of something longer is left as it is: lastSaves is the time to save what there is, and then the process ends.
const (
	grace     = 1400 * time.Millisecond
	lastSaves = 400 * time.Millisecond
)

// Stoppable returns a context that the first Ctrl-C or other signal to end cancels; the second kills, as if we had
// never asked. Where the command does not end within the grace, the process does. A reader of our output that goes away
// ends nothing: the draws are what a run is for.
func Stoppable(ctx context.Context) (context.Context, func()) { return StoppableWith(ctx, func() {}) }

// StoppableWith is Stoppable for a command that saves something before the process ends in the middle of it.
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

// OnSignal returns a context that a signal to end cancels. After the signal, last is called, with what is closed when
// the context is released.
func OnSignal(ctx context.Context, last func(over <-chan struct{})) (context.Context, func()) {
	ignoreClosedPipes()
	heeded := slices.DeleteFunc(Endings(), isIgnored) // as nohup does with one
	signal.Reset(heeded...)                           // as EndAtOnce asked for some
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

// endsWithin waits for a channel to be closed, for that long.
func endsWithin(most time.Duration, closed <-chan struct{}) bool {
	select {
	case <-closed:
		return true
	case <-time.After(most):
		return false
	}
}

// EndAtOnce ends the process at signals that Go ignores. Commands that save something replace this.
func EndAtOnce() {
	arrived := make(chan os.Signal, 1)
	signal.Notify(arrived, ignoredByGo()...)
	go func() {
		<-arrived
		os.Exit(Interrupted)
	}()
}
