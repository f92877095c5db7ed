// Package fault has the errors of package app, which say whose an error is:
//
//	draws, err := app.Sample(ctx, request, notes.None{})
//	if e := (*fault.Error)(nil); errors.As(err, &e) && e.Kind == fault.Input {
//		for _, d := range e.Diagnostics { … }   // what is wrong with the model or its data, and where
//	}
//
// What a caller can do about an error depends on its kind alone: correct the model or the data, correct an option, look
// at the machine, or nothing, since the caller itself has ended the call. Options are named in messages as the flags of
// the command are, as in --chains.
package fault

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"ppl/infer"
	"ppl/infer/checkpoint"
	"ppl/lang/diag"
	"ppl/posterior/report"
	"ppl/posterior/store"
	"ppl/runtime/sys/files"
)

// A Kind says whose an error is.
type Kind int

// The kinds of errors.
const (
	Input        Kind = iota + 1 // the model, its data, or the run that was named are wrong
	Usage                        // an option is wrong, or contradicts another
	Failure                      // a device, a disk, or this program failed
	Interruption                 // the context ended
)

// String names the kind.
func (k Kind) String() string {
	return [...]string{"no error", "wrong input", "wrong usage", "failure", "interruption"}[k]
}

// An Error is an error with its kind. Err is nil if Diagnostics say everything, or if there is nothing to add to the
// kind.
type Error struct {
	Kind        Kind
	Err         error
	Diagnostics []diag.Diagnostic // of a model and its data: errors, and the warnings that came with them
}

// Error returns the message of the cause, or the diagnostics as text.
func (e *Error) Error() string {
	switch {
	case e.Err != nil:
		return e.Err.Error()
	case len(e.Diagnostics) > 0:
		var b strings.Builder
		diag.Render(&b, e.Diagnostics, false)
		return strings.TrimSpace(b.String())
	}
	return e.Kind.String()
}

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }

// Wrong returns an error of kind Input; its cause may be nil.
func Wrong(cause error) error { return &Error{Kind: Input, Err: cause} }

// Wrongf returns an error of kind Input with a message.
func Wrongf(format string, args ...any) error { return Wrong(fmt.Errorf(format, args...)) }

// Diagnosed returns an error of kind Input if a diagnostic is an error, else nil.
func Diagnosed(ds []diag.Diagnostic) error {
	if !diag.HasErrors(ds) {
		return nil
	}
	return &Error{Kind: Input, Diagnostics: ds}
}

// Usagef returns an error of kind Usage with a message.
func Usagef(format string, args ...any) error {
	return &Error{Kind: Usage, Err: fmt.Errorf(format, args...)}
}

// Silent returns an error of kind Failure without a message, for a caller that has printed what failed.
func Silent() error { return &Error{Kind: Failure} }

// Interrupted returns an error of kind Interruption.
func Interrupted() error { return &Error{Kind: Interruption} }

// Of returns err with a kind: the kind that it has, or else Input if the caller can correct the cause, or else Failure.
// It returns nil for nil.
func Of(err error) error {
	switch e := (*Error)(nil); {
	case err == nil || errors.As(err, &e):
		return err
	case correctable(err):
		return Wrong(err)
	}
	return &Error{Kind: Failure, Err: err}
}

// correctable reports whether an error is about what the caller gave: a run that a crash has cut off, or in which
// something else lies than a run has, a run that lacks what was asked for, a model that a sampler refuses.
func correctable(err error) bool {
	for _, target := range []any{new(store.ErrDamaged), new(store.ErrIncomplete), new(store.ErrNotRun),
		new(store.ErrNotKept), new(store.ErrMemory),
		new(checkpoint.ErrUnusable), new(files.Misplaced), new(files.NotRegular), new(report.Unusable),
		new(infer.Refusal)} {
		if errors.As(err, target) {
			return true
		}
	}
	return false
}

// KindOf returns the kind of an error. An error without one is a Failure, or an Interruption if a context was canceled.
func KindOf(err error) Kind {
	e := (*Error)(nil)
	switch {
	case errors.Is(err, context.Canceled):
		return Interruption
	case errors.As(err, &e):
		return e.Kind
	}
	return Failure
}
