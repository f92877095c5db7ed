package images

import (
	"errors"
	"fmt"
	"io"
	"strings"

	"ppl/compiler/datasets/datafile/content"
	"ppl/compiler/datasets/datafile/damage"
	"ppl/compiler/datasets/datafile/rowfile"
	"ppl/compiler/datasets/datafile/stream"
	"ppl/numbers"
)

// CIFAR-10's binary version (Krizhevsky, Learning multiple layers of features from tiny images, 2009) has for each
// image a byte with its class, 0 to 9, then the red, green and blue values of 32×32 pixels, row-major. The arrays read
// here have the channels as the last axis, as layers need them. A concatenation of such files is such a file.
const (
	cifarSide     = 32
	cifarChannels = 3
	cifarPixels   = cifarSide * cifarSide
	cifarRecord   = 1 + cifarChannels*cifarPixels
	cifarClasses  = 10
)

// A cifarSource is a rowfile.Source of images and their classes.
type cifarSource struct {
	path string
	in   io.Reader
	row  int
	raw  []byte
}

func newCIFAR(path string, in io.Reader) *cifarSource {
	return &cifarSource{path: path, in: in, raw: make([]byte, cifarRecord)}
}

func (s *cifarSource) Columns() []rowfile.Column {
	return []rowfile.Column{{Name: "image", Shape: []int{cifarSide, cifarSide, cifarChannels}, Type: "u1", Int: true},
		{Name: "label", Type: "u1", Int: true}}
}

func (s *cifarSource) Next(record []float64) error {
	switch n, err := io.ReadFull(s.in, s.raw); {
	case err == io.EOF:
		return io.EOF
	case errors.Is(err, io.ErrUnexpectedEOF):
		return fmt.Errorf("%s: the file ends after %d of the %d bytes of image %d; files that end with .bin are read "+
			"as CIFAR-10's binary version", s.path, n, cifarRecord, s.row+1)
	case err != nil:
		return fmt.Errorf("%s: %w", s.path, damage.Cause(err))
	case s.raw[0] >= cifarClasses:
		return fmt.Errorf("%s: image %d is of class %d, but CIFAR-10's classes are 0 to %d", s.path, s.row+1, s.raw[0],
			cifarClasses-1)
	}
	for channel := range cifarChannels {
		for k, v := range s.raw[1+channel*cifarPixels:][:cifarPixels] {
			record[k*cifarChannels+channel] = float64(v)
		}
	}
	record[cifarChannels*cifarPixels] = float64(s.raw[0])
	s.row++
	return nil
}

// ReadCIFAR returns all images and their classes, as arrays image and label.
func ReadCIFAR(name, text string) (*content.File, error) {
	s := newCIFAR(name, strings.NewReader(text))
	rows := len(text) / cifarRecord
	pixels, classes := make([]byte, 0, rows*cifarChannels*cifarPixels), make([]byte, 0, rows)
	record := make([]float64, cifarRecord)
	for {
		err := s.Next(record)
		if err == io.EOF {
			break
		}
		if err != nil {
			return nil, err
		}
		for _, v := range record[:cifarRecord-1] {
			pixels = append(pixels, byte(v))
		}
		classes = append(classes, s.raw[0])
	}
	f := content.NewFile(name, false)
	f.Add(&content.Array{Name: "image", Origin: name, Int: true,
		Shape: []int{rows, cifarSide, cifarSide, cifarChannels}, Values: numbers.OfBytes(pixels)})
	f.Add(&content.Array{Name: "label", Origin: name, Int: true, Shape: []int{rows}, Values: numbers.OfBytes(classes)})
	return f, nil
}

// CIFARRows returns a source of the images of a file.
func CIFARRows(in *stream.Input, _ *stream.Learned) (rowfile.Source, error) {
	return newCIFAR(in.Path, in.Text), nil
}
