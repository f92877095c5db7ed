package parquetsizes

import (
	"encoding/binary"
	"errors"
	"fmt"
)

var (
	errCutOff = errors.New("the values of a page are cut off")
	errLonger = errors.New("a text is longer than its page")
)

// prefixed removes a part with a length prefix of four bytes from the start of text, and returns the part.
func prefixed(text *[]byte) ([]byte, error) {
	b := *text
	if len(b) < 4 {
		return nil, errCutOff
	}
	n := int64(binary.LittleEndian.Uint32(b))
	if n > int64(len(b)-4) {
		return nil, errCutOff
	}
	*text = b[4+n:]
	return b[4 : 4+n], nil
}

// spare is the number of values by which runs may exceed the values of a page. Writers pad the last bit-packed run at
// least to a multiple of eight values.
const spare = 1 << 12

// runs checks that the runs (RLE or bit-packed) of numbers with the given number of bits contain at most n + spare
// numbers.
func runs(text []byte, bits int, n int64) error {
	left := uint64(n) + spare
	for len(text) > 0 {
		v, k := binary.Uvarint(text)
		if k <= 0 {
			return errCutOff
		}
		text = text[k:]
		count, bytes := v>>1, uint64(bits+7)/8
		if v&1 == 1 {
			if count > left {
				return declares(count*8, n)
			}
			bytes = count * uint64(bits)
			count *= 8
		}
		if count > left {
			return declares(count, n)
		}
		left -= count
		if bytes > uint64(len(text)) {
			return nil // the library reports this error, or pads the last run
		}
		text = text[bytes:]
	}
	return nil
}

func declares(count uint64, n int64) error {
	return fmt.Errorf("a run declares %d values in a page of %d", count, n)
}

// A delta is the header of a list of integers in the encoding DELTA_BINARY_PACKED.
type delta struct {
	perMini, minis int
	total          int64
	first          int64
}

// mostBlock is the largest number of values of a block that is accepted. Known writers use fewer values.
const mostBlock = 1 << 16

// newDelta reads the header of a list of integers, and returns the bytes after it. It returns an error if the list
// declares more than n integers.
func newDelta(text []byte, n int64) (d delta, rest []byte, err error) {
	var head [3]uint64
	for i := range head {
		v, k := binary.Uvarint(text)
		if k <= 0 {
			return d, nil, errCutOff
		}
		head[i], text = v, text[k:]
	}
	first, k := binary.Varint(text)
	switch {
	case k <= 0:
		return d, nil, errCutOff
	case head[2] > uint64(n):
		return d, nil, declares(head[2], n)
	case head[0] == 0 || head[0] > mostBlock || head[1] == 0 || head[1] > head[0] || head[0]/head[1]%8 != 0:
		return d, nil, fmt.Errorf("a page declares invalid blocks: %d values in %d parts", head[0], head[1])
	}
	return delta{int(head[0] / head[1]), int(head[1]), int64(head[2]), first}, text[k:], nil
}

// deltaCount returns the number of integers that a list declares. It returns an error if this number exceeds n.
func deltaCount(text []byte, n int64) (int64, error) {
	if len(text) == 0 {
		return 0, nil
	}
	d, _, err := newDelta(text, n)
	return d.total, err
}

// deltaValues reads a list of at most n integers, and returns the bytes after it.
func deltaValues(text []byte, n int64) (values []int64, rest []byte, err error) {
	d, text, err := newDelta(text, n)
	if err != nil || d.total == 0 {
		return nil, text, err
	}
	values = append(values, d.first)
	for int64(len(values)) < d.total {
		least, k := binary.Varint(text)
		if k <= 0 || len(text[k:]) < d.minis {
			return nil, nil, errCutOff
		}
		widths := text[k : k+d.minis]
		text = text[k+d.minis:]
		for _, bits := range widths {
			if int64(len(values)) == d.total {
				break // the last block may be incomplete
			}
			size := d.perMini * int(bits) / 8
			if bits > 64 || size > len(text) {
				return nil, nil, errCutOff
			}
			for i := 0; i < d.perMini && int64(len(values)) < d.total; i++ {
				last := values[len(values)-1]
				values = append(values, last+least+int64(bitsAt(text, i*int(bits), int(bits))))
			}
			text = text[size:]
		}
	}
	return values, text, nil
}

// bitsAt returns the number that `bits` bits encode, starting at bit `at`, the lowest bit first.
func bitsAt(text []byte, at, bits int) (v uint64) {
	for i := range bits {
		v |= uint64(text[(at+i)/8]>>((at+i)%8)&1) << i
	}
	return v
}

// deltaTexts checks the lengths of at most n texts, and returns the number of bytes that the texts take. If prefixes
// are shared, a list of prefix lengths comes first: each text starts with that number of bytes of the previous text.
func deltaTexts(text []byte, n int64, shared bool, most int64) (taken int64, err error) {
	if len(text) == 0 {
		return 0, nil
	}
	var prefixes []int64
	if shared {
		if prefixes, text, err = deltaValues(text, n); err != nil {
			return 0, err
		}
	}
	suffixes, text, err := deltaValues(text, n)
	if err != nil {
		return 0, err
	}
	if shared && len(prefixes) != len(suffixes) {
		return 0, errors.New("a page declares different numbers of texts and of shared beginnings")
	}
	taken, before, left := 4*n, int64(0), int64(len(text))
	for i, suffix := range suffixes {
		if suffix < 0 || suffix > left {
			return 0, errLonger
		}
		left -= suffix
		if shared {
			if prefixes[i] < 0 || prefixes[i] > before {
				return 0, errLonger
			}
			before = prefixes[i] + suffix
			suffix = before
		}
		taken += suffix
		if taken > most {
			return 0, ErrTooMuch{taken}
		}
	}
	return taken, nil
}
