package parquetsizes

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
)

// An ErrTooMuch reports that the values of a file exceed the available memory; they take at least Bytes bytes.
type ErrTooMuch struct{ Bytes int64 }

func (e ErrTooMuch) Error() string { return fmt.Sprintf("its values take %d bytes or more", e.Bytes) }

// endSize is the size of the end of a file: the length of the metadata (4 bytes) and the letters PAR1.
const endSize = 8

// Footer checks that the metadata at the end of a file are inside the file, and that no list in them declares more
// elements than the metadata have bytes.
func Footer(in io.ReaderAt, size int64) error {
	end := make([]byte, endSize)
	if size < endSize {
		return errors.New("the file is cut off: it is shorter than the end of a Parquet file")
	}
	if _, err := in.ReadAt(end, size-endSize); err != nil {
		return err
	}
	switch string(end[4:]) {
	case "PARE":
		return errors.New("the file is encrypted; write it without encryption")
	case "PAR1":
	default:
		return errors.New("the file is cut off: a Parquet file ends with PAR1")
	}
	n := int64(binary.LittleEndian.Uint32(end))
	if n > size-endSize {
		return errors.New("the file is damaged: its metadata are longer than the file")
	}
	text := make([]byte, n)
	if _, err := in.ReadAt(text, size-endSize-n); err != nil {
		return err
	}
	if _, err := structEnd(text); err != nil {
		return fmt.Errorf("the file is damaged: its metadata cannot be read: %w", err)
	}
	return nil
}
