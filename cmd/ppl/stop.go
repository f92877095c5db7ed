package main

import (
	"context"
	"os"
	"os/signal"
	"slices"
	"time"
)

// After a signal a command has grace to come to a place where it can stop, such as the end of a step. What is in the
// middle of something longer is left as it is: lastSaves is the time to save what there is, and then the process ends.
const (
	grace     = 1400 * time.Millisecond
	lastSaves = 400 * time.Millisecond
)

// stoppable is a context that the first Ctrl-C or other signal to end cancels; the second kills, as if we had never
// asked. Where the command does not end within the grace, the process does. A reader of our output that goes away ends
// nothing: the draws are what a run is for.
func stoppable(ctx context.Context) (context.Context, func()) { return stoppableWith(ctx, func() {}) }

// stoppableWith is stoppable for a command that saves something before the process ends in the middle of it.
func stoppableWith(ctx context.Context, save func()) (context.Context, func()) {
	return onSignal(ctx, func(over <-chan struct{}) {
		if endsWithin(grace, over) {
			return
		}
		saved := make(chan struct{})
		go func() { save(); close(saved) }()
		endsWithin(lastSaves, saved)
		os.Exit(codeInterrupted)
	})
}

// onSignal is a context that a signal to end cancels. After the signal, last is called, with what is closed when the
// context is released.
func onSignal(ctx context.Context, last func(over <-chan struct{})) (context.Context, func()) {
	ignoreClosedPipes()
	heeded := slices.DeleteFunc(endings(), isIgnored) // as nohup does with one
	signal.Reset(heeded...)                           // as endAtOnce asked for some
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

// endAtOnce ends the process at signals that Go ignores. Commands that save something replace this.
func endAtOnce() {
	arrived := make(chan os.Signal, 1)
	signal.Notify(arrived, ignoredByGo()...)
	go func() {
		<-arrived
		os.Exit(codeInterrupted)
	}()
}
