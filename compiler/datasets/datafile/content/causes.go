package content

import (
	"errors"
	"fmt"
)

// An unreadable is the error of values that are not read, in a file without damage.
type unreadable struct{ error }

func (u unreadable) Unwrap() error { return u.error }

// NotRead marks an error as that of values which are not read, in a file without damage: it is a mistake only if
// a model reads the values.
func NotRead(err error) error { return unreadable{err} }

// IsNotRead reports whether an error is that of values which are not read, in a file without damage.
func IsNotRead(err error) bool { return errors.As(err, &unreadable{}) }

// ValueError returns the error of a value in a row, counted from 1, of a column.
func ValueError(path string, row int, column string, err error) error {
	return fmt.Errorf("%s: row %d of column %q: %w", path, row, column, err)
}

// TwoOfName returns the error of two columns, counted from 0, that have one name.
func TwoOfName(path string, first, second int, name string) error {
	return fmt.Errorf("%s:1: columns %d and %d are both named %q", path, first+1, second+1, name)
}
