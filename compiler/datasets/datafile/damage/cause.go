// Package damage describes damaged files: it replaces the errors of the libraries that read compressed files and
// archives, which are written for programmers, by sentences for users. Of
//
//	_, err := io.ReadFull(unzipped, text)                  unexpected EOF
//	return fmt.Errorf("%s: %w", path, damage.Cause(err))   x.csv.gz: the file is cut off
//
// errors.Is still finds the library's error.
package damage

import (
	"archive/zip"
	"compress/flate"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
)

// Cause returns an error that describes the error of a library in words for users. It returns errors of the operating
// system and context.Canceled unchanged.
func Cause(err error) error {
	for _, known := range []struct {
		is   bool
		says string
	}{
		{errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, io.EOF), "the file is cut off"},
		{errors.Is(err, gzip.ErrHeader), "the file is damaged: it begins like a gzip file but is not one"},
		{errors.Is(err, gzip.ErrChecksum) || errors.Is(err, zip.ErrChecksum), "the file is damaged: its checksum is " +
			"wrong"},
		{errors.As(err, new(flate.CorruptInputError)), "the file is damaged: it cannot be decompressed"},
		{errors.Is(err, zip.ErrFormat), "the file is not a ZIP archive, or is cut off"},
		{errors.Is(err, zip.ErrAlgorithm), "the file is compressed by an unsupported method; write it with " +
			"numpy.savez_compressed"},
	} {
		if known.is {
			return fmt.Errorf("%s%w", known.says, Silent{Err: err})
		}
	}
	if errors.As(err, new(*fs.PathError)) || errors.Is(err, context.Canceled) {
		return err
	}
	return fmt.Errorf("the file is damaged%w", Silent{Err: err})
}

// Silent wraps an error whose text the user does not see, because the text before it says the same.
type Silent struct{ Err error }

// Error returns an empty text.
func (Silent) Error() string { return "" }

// Unwrap returns the wrapped error.
func (s Silent) Unwrap() error { return s.Err }
