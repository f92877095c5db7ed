package checkpoint

import (
	"bytes"
	"errors"
	"io"
	"math"

	"github.com/fxamacker/cbor/v2"
)

// A Sequence is a state that is written as several values, so that large states are not copied at once.
type Sequence interface {
	WriteValues(put func(value any) error) error
}

// A Reader is a state that reads the values written by a Sequence. next returns io.EOF after the last value.
type Reader interface {
	ReadValues(next func(into any) error) error
}

// Encode returns a state in the encoding of checkpoints. Each number uses the fewest bytes that represent it exactly; a
// number of single precision needs at most five.
func Encode(state any) ([]byte, error) {
	var text bytes.Buffer
	err := encode(&text, state)
	return text.Bytes(), err
}

func encode(to io.Writer, state any) error {
	mode, err := cbor.EncOptions{Sort: cbor.SortBytewiseLexical, ShortestFloat: cbor.ShortestFloat16,
		NaNConvert: cbor.NaNConvertNone, InfConvert: cbor.InfConvertNone}.UserBufferEncMode()
	if err != nil {
		return err
	}
	var value bytes.Buffer // a separate buffer: the Encoder's is from a shared pool, and would remain as large
	put := func(v any) error {
		value.Reset()
		if err := mode.MarshalToBuffer(v, &value); err != nil {
			return err
		}
		_, err := to.Write(value.Bytes())
		return err
	}
	if s, ok := state.(Sequence); ok {
		return s.WriteValues(put)
	}
	return put(state)
}

// Decode reads a state written by Encode. It returns an error for fields that the state does not have, which come from
// another version of ppl.
func Decode(text []byte, state any) error { return decode(bytes.NewReader(text), state) }

func decode(from io.Reader, state any) error {
	next := newDecoder(from).Decode
	var err error
	if s, ok := state.(Reader); ok {
		err = s.ReadValues(next)
	} else {
		err = next(state)
	}
	if err != nil {
		return err
	}
	var more any
	switch err := next(&more); {
	case err == nil:
		return errors.New("there is an unexpected value after the state")
	case !errors.Is(err, io.EOF):
		return err
	}
	return nil
}

func newDecoder(from io.Reader) *cbor.Decoder {
	mode, err := cbor.DecOptions{MaxArrayElements: math.MaxInt32, MaxMapPairs: math.MaxInt32,
		ExtraReturnErrors: cbor.ExtraDecErrorUnknownField}.DecMode()
	if err != nil {
		panic(err) // the options are constants
	}
	return mode.NewDecoder(from)
}
