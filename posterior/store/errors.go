package store

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"reflect"
	"strings"
)

// ErrNoDraws reports that a run has no draws yet.
type ErrNoDraws struct {
	Dir  string
	Info Info
}

// ErrNotRun reports that a directory or file is not a run of ppl.
type ErrNotRun struct {
	Dir    string
	Reason string
}

// ErrExists reports that the directory already contains a run, which was not changed.
type ErrExists struct {
	Dir    string
	Status Status
	Draws  int // number of draws of every chain in that run
}

// ErrNotKept reports that a run does not store the draws of an array, as requested.
type ErrNotKept struct {
	Dir, Name string
	Keep      []string // what the run was asked to store
}

// ErrIncomplete reports that a run directory lacks a file. Since run.json is written first, either the run had no time
// to begin, or files were removed.
type ErrIncomplete struct {
	Dir   string
	Cause error // error of the operating system
}

// ErrDamaged reports that a file of a run is missing, truncated or invalid.
type ErrDamaged struct {
	Dir   string
	Cause error // names the file
}

func (e ErrDamaged) Error() string {
	return fmt.Sprintf("the run in %s is damaged: %v", e.Dir, e.Cause)
}

func (e ErrDamaged) Unwrap() error { return e.Cause }

func damaged(dir, file string, err error) error {
	return ErrDamaged{dir, fmt.Errorf("%s: %w", file, err)}
}

// jsonError rewrites an error of package json, whose text names Go types, for users.
func jsonError(err error) error {
	var syntax *json.SyntaxError
	var kind *json.UnmarshalTypeError
	switch {
	case errors.As(err, &syntax):
		return fmt.Errorf("it is not valid JSON at byte %d", syntax.Offset)
	case errors.As(err, &kind):
		return fmt.Errorf("%q is %s and must be %s", kind.Field, article(kind.Value), wantOf(kind.Type))
	}
	return err
}

func article(what string) string {
	if strings.HasPrefix(what, "number ") {
		return "the " + what
	}
	return "a JSON " + what
}

// wantOf describes a Go type in terms of JSON.
func wantOf(t reflect.Type) string {
	switch t.Kind() {
	case reflect.Bool:
		return "true or false"
	case reflect.String:
		return "a string"
	case reflect.Slice, reflect.Array:
		return "a list"
	case reflect.Struct, reflect.Map:
		return "an object"
	case reflect.Float32, reflect.Float64:
		return "a number"
	}
	return "a whole number"
}

func (e ErrIncomplete) Error() string {
	what := e.Cause.Error()
	if missing := new(fs.PathError); errors.As(e.Cause, &missing) {
		what = missing.Path + " is missing"
	}
	return fmt.Sprintf("the run in %s is incomplete: %s", e.Dir, what)
}

// Unwrap returns the error of the operating system.
func (e ErrIncomplete) Unwrap() error { return e.Cause }

// incomplete converts the error for a missing file to ErrIncomplete.
func incomplete(dir string, err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return ErrIncomplete{dir, err}
	}
	return err
}

func (e ErrNotKept) Error() string {
	return fmt.Sprintf("the run in %s has no draws of `%s`: it was sampled with --keep %s", e.Dir, e.Name,
		strings.Join(e.Keep, ","))
}

func (e ErrExists) Error() string {
	return fmt.Sprintf("%s already has a run (%s, %d draws per chain): choose another directory, or remove it", e.Dir,
		e.Status, e.Draws)
}

func (e ErrNotRun) Error() string { return fmt.Sprintf("%s is not a ppl run: %s", e.Dir, e.Reason) }

func (e ErrNoDraws) Error() string {
	return fmt.Sprintf("the run in %s has no draws yet (%s in warm-up)", e.Dir, e.Info.Status)
}
