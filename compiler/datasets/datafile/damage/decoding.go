package damage

import (
	"errors"
	"fmt"
	"strings"
)

// Decoding returns an error that describes the error of a library for binary formats in words for users. It recognises
// the error by parts of its text.
func Decoding(err error) error {
	text := err.Error()
	for _, known := range []struct{ part, says string }{
		{"thrift", "its metadata cannot be read"},
		{"unexpected EOF", "it is cut off"},
		{"slice bounds", "a value is outside its page"},
		{"index out of range", "a value is outside its page"},
		{"invalid magic", "it does not begin as a Parquet file does"},
		{"corrupted", "sizes of its pages contradict each other"},
		{"cannot read values of type", "it has a page of an unknown kind"},
		{"not supported", "its compression or encoding is not supported"},
		{"unsupported", "its compression or encoding is not supported"},
	} {
		if strings.Contains(text, known.part) {
			return fmt.Errorf("the file is damaged: %s", known.says)
		}
	}
	return errors.New("the file is damaged: its values cannot be decoded")
}

// Recover sets *err after a panic of a library, which some damaged files cause. It must be deferred.
func Recover(path string, err *error) {
	if r := recover(); r != nil {
		*err = fmt.Errorf("%s: %w", path, Decoding(fmt.Errorf("%v", r)))
	}
}
