package datafile

import (
	"archive/zip"
	"compress/flate"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"image"
	"image/jpeg"
	"image/png"
	"io"
	"io/fs"
)

// cause says in the words of users what a library found wrong with a file. Errors of the system stay as they are.
func cause(err error) error {
	for _, known := range []struct {
		is   bool
		says string
	}{
		{errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, io.EOF), "the file is cut off"},
		{errors.Is(err, gzip.ErrHeader), "the file begins as gzip does, and is not compressed by it"},
		{errors.Is(err, gzip.ErrChecksum) || errors.Is(err, zip.ErrChecksum), "the file is damaged: its checksum is " +
			"wrong"},
		{errors.As(err, new(flate.CorruptInputError)), "the file is damaged: it cannot be decompressed"},
		{errors.Is(err, zip.ErrFormat), "the file is not a ZIP archive, or is cut off"},
		{errors.Is(err, zip.ErrAlgorithm), "the file is compressed in a way that is not supported; write it by " +
			"numpy.savez_compressed"},
		{errors.Is(err, image.ErrFormat), "the file is not a picture in PNG or JPEG"},
		{errors.Is(err, errNoPixels), "the picture is damaged: " + errNoPixels.Error()},
		{errors.As(err, new(png.FormatError)) || errors.As(err, new(png.UnsupportedError)),
			"the picture is damaged, or of a kind of PNG that is not supported"},
		{errors.As(err, new(jpeg.FormatError)) || errors.As(err, new(jpeg.UnsupportedError)),
			"the picture is damaged, or of a kind of JPEG that is not supported"},
	} {
		if known.is {
			return fmt.Errorf("%s%w", known.says, silent{err})
		}
	}
	if errors.As(err, new(*fs.PathError)) || errors.Is(err, context.Canceled) {
		return err
	}
	return fmt.Errorf("the file is damaged%w", silent{err})
}

// silent is an error whose meaning the text before it has.
type silent struct{ error }

func (silent) Error() string   { return "" }
func (s silent) Unwrap() error { return s.error }
