package content

import (
	"errors"
	"fmt"
)

// An unreadable is the error of values that are not read although the file is not damaged.
type unreadable struct{ error }

func (u unreadable) Unwrap() error { return u.error }

// NotRead marks an error as the reason why values of an undamaged file are not read. Such an error matters only if a
// model reads the values.
func NotRead(err error) error { return unreadable{err} }

// IsNotRead reports whether an error is marked by NotRead.
func IsNotRead(err error) bool { return errors.As(err, &unreadable{}) }

// ValueError returns an error about the value of a column in a row, counted from 1.
func ValueError(path string, row int, column string, err error) error {
	return fmt.Errorf("%s: row %d of column %q: %w", path, row, column, err)
}

// TwoOfName returns the error of two columns, counted from 0, with the same name.
func TwoOfName(path string, first, second int, name string) error {
	return fmt.Errorf("%s:1: columns %d and %d are both named %q", path, first+1, second+1, name)
}
