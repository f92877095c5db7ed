// Package fault defines the errors of package app, classified by what the caller can do about them:
//
//	draws, err := app.Sample(ctx, request, notes.None{})
//	if e := (*fault.Error)(nil); errors.As(err, &e) && e.Kind == fault.Input {
//		for _, d := range e.Diagnostics { … }   // problems of the model or its data, with positions
//	}
//
// The kind of an error determines the reaction: correct the model or the data; correct an option; check the machine; or
// nothing, since the caller itself cancelled the call. Messages name options as flags of the command, for example
// --chains.
package fault

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"ppl/infer"
	"ppl/infer/checkpoint"
	"ppl/lang/diag"
	"ppl/posterior/quantities"
	"ppl/posterior/store"
	"ppl/runtime/sys/files"
)

// A Kind classifies errors by their cause.
type Kind int

// These are the kinds of errors.
const (
	Input        Kind = iota + 1 // the model, its data or the named run is wrong
	Usage                        // an option is wrong or contradicts another
	Failure                      // a device, a disk or ppl itself failed
	Interruption                 // the context was cancelled
)

// String returns the name of the kind.
func (k Kind) String() string {
	return [...]string{"no error", "wrong input", "wrong usage", "failure", "interruption"}[k]
}

// An Error is an error with its kind. Err is nil if Diagnostics describe it, or if the kind alone suffices.
type Error struct {
	Kind        Kind
	Err         error
	Diagnostics []diag.Diagnostic // errors of the model and its data, and the warnings found with them
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

// Wrong returns an error of kind Input. Its cause may be nil.
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

// Silent returns an error of kind Failure without a message, for callers that have already printed it.
func Silent() error { return &Error{Kind: Failure} }

// Interrupted returns an error of kind Interruption.
func Interrupted() error { return &Error{Kind: Interruption} }

// Of returns err with a kind: its own kind if it has one, else Input if the caller can correct the cause, else Failure.
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

// correctable reports whether an error is due to the caller's input: a run that is damaged, incomplete, or lacks
// something; a file that is not what its name says; a request that needs too much memory; or a model that a sampler
// does not support.
func correctable(err error) bool {
	for _, target := range []any{new(store.ErrDamaged), new(store.ErrIncomplete), new(store.ErrNotRun),
		new(store.ErrNotKept), new(store.ErrMemory),
		new(checkpoint.ErrUnusable), new(files.Misplaced), new(files.NotRegular), new(quantities.Unusable),
		new(infer.Refusal)} {
		if errors.As(err, target) {
			return true
		}
	}
	return false
}

// KindOf returns the kind of an error. An error without a kind is a Failure, or an Interruption if a context was
// cancelled.
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
