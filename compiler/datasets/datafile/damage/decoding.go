package damage

import (
	"errors"
	"fmt"
	"strings"
)

// Decoding returns an error that says in a user's words what a library for binary formats found wrong with a file. The
// texts of these libraries name the steps of their programs.
func Decoding(err error) error {
	text := err.Error()
	for _, known := range []struct{ part, says string }{
		{"thrift", "its metadata cannot be read"},
		{"unexpected EOF", "it is cut off"},
		{"slice bounds", "a value lies outside of its page"},
		{"index out of range", "a value lies outside of its page"},
		{"invalid magic", "it does not begin as a Parquet file does"},
		{"corrupted", "sizes of its pages contradict each other"},
		{"cannot read values of type", "it has a page of an unknown kind"},
		{"not supported", "it is compressed or encoded in a way that is not supported"},
		{"unsupported", "it is compressed or encoded in a way that is not supported"},
	} {
		if strings.Contains(text, known.part) {
			return fmt.Errorf("the file is damaged: %s", known.says)
		}
	}
	return errors.New("the file is damaged: its values cannot be decoded")
}

// Recover turns a panic of a library, which some damaged files cause, into an error. It must be deferred.
func Recover(path string, err *error) {
	if r := recover(); r != nil {
		*err = fmt.Errorf("%s: %w", path, Decoding(fmt.Errorf("%v", r)))
	}
}
