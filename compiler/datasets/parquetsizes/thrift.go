package parquetsizes

import (
	"encoding/binary"
	"errors"
	"fmt"
)

// errShort is the error for a structure that ends beyond the available bytes.
var errShort = errors.New("it ends within a structure")

// Types of Thrift's compact protocol.
const (
	typeStop   = 0
	typeTrue   = 1
	typeFalse  = 2
	typeByte   = 3
	typeI16    = 4
	typeI32    = 5
	typeI64    = 6
	typeDouble = 7
	typeBinary = 8
	typeList   = 9
	typeSet    = 10
	typeMap    = 11
	typeStruct = 12
	typeUUID   = 13
)

// deepest is the largest allowed depth of nested structures. The structures of Parquet are nested less deeply.
const deepest = 32

// A walker skips a structure in Thrift's compact protocol and checks each length against the remaining bytes.
type walker struct {
	text []byte
	at   int
}

// structEnd returns the position after the structure at the start of text. The error is errShort if text ends inside
// the structure.
func structEnd(text []byte) (int, error) {
	w := walker{text: text}
	err := w.structure(0)
	return w.at, err
}

func (w *walker) skip(n uint64) error {
	if n > uint64(len(w.text)-w.at) {
		return errShort
	}
	w.at += int(n)
	return nil
}

func (w *walker) byte() (byte, error) {
	if w.at >= len(w.text) {
		return 0, errShort
	}
	w.at++
	return w.text[w.at-1], nil
}

func (w *walker) varint() (uint64, error) {
	v, n := binary.Uvarint(w.text[w.at:])
	if n == 0 {
		return 0, errShort
	}
	if n < 0 {
		return 0, errors.New("a number has more than 64 bits")
	}
	w.at += n
	return v, nil
}

func (w *walker) structure(depth int) error {
	if depth > deepest {
		return errors.New("its structures are nested too deeply")
	}
	for {
		b, err := w.byte()
		if err != nil || b == typeStop {
			return err
		}
		if b>>4 == 0 { // the number of the field follows
			if _, err := w.varint(); err != nil {
				return err
			}
		}
		if kind := b & 15; kind != typeTrue && kind != typeFalse {
			if err := w.value(kind, depth+1); err != nil {
				return err
			}
		}
	}
}

func (w *walker) value(kind byte, depth int) error {
	switch kind {
	case typeTrue, typeFalse, typeByte: // Booleans come here only as elements of lists, sets and maps
		return w.skip(1)
	case typeI16, typeI32, typeI64:
		_, err := w.varint()
		return err
	case typeDouble:
		return w.skip(8)
	case typeUUID:
		return w.skip(16)
	case typeBinary:
		n, err := w.varint()
		if err != nil {
			return err
		}
		return w.skip(n)
	case typeList, typeSet:
		return w.list(depth)
	case typeMap:
		return w.dictionary(depth)
	case typeStruct:
		return w.structure(depth)
	}
	return fmt.Errorf("it has a value of the unknown type %d", kind)
}

// elements skips n groups of values, one value of each kind per group. It returns errShort if fewer than n bytes
// remain, because a value takes at least one byte.
func (w *walker) elements(n uint64, depth int, kinds ...byte) error {
	if n > uint64(len(w.text)-w.at) {
		return errShort
	}
	for range n {
		for _, kind := range kinds {
			if err := w.value(kind, depth); err != nil {
				return err
			}
		}
	}
	return nil
}

func (w *walker) list(depth int) error {
	b, err := w.byte()
	if err != nil {
		return err
	}
	n := uint64(b >> 4)
	if n == 15 {
		if n, err = w.varint(); err != nil {
			return err
		}
	}
	return w.elements(n, depth, b&15)
}

func (w *walker) dictionary(depth int) error {
	n, err := w.varint()
	if err != nil || n == 0 {
		return err
	}
	b, err := w.byte()
	if err != nil {
		return err
	}
	return w.elements(n, depth, b>>4, b&15)
}
