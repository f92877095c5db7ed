package parquetsizes

import (
	"errors"
	"fmt"
	"io"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/encoding/thrift"
	"github.com/parquet-go/parquet-go/format"
)

// A column holds the properties of a column that its pages in a group of rows must match.
type column struct {
	name     string
	kind     parquet.Kind
	length   int  // number of bytes of a value of fixed length
	optional bool // values may be missing
	codec    format.CompressionCodec
	rows     int64
}

// Limits bounds the number of bytes of a decompressed page, and of all decompressed pages of a group of rows.
type Limits struct{ Page, Group int64 }

// Group checks the pages of a group of rows against their declared sizes, and returns the number of bytes that they
// take when decompressed. Columns with lists or records are not checked, and must not be read. The error is ErrTooMuch
// if pages exceed the limits.
func Group(in io.ReaderAt, f *parquet.File, group int, most Limits) (int64, error) {
	left := most.Group
	for _, c := range f.Root().Columns() {
		n, err := Chunk(in, f, group, c, Limits{most.Page, left})
		var much ErrTooMuch
		switch {
		case errors.As(err, &much):
			return 0, ErrTooMuch{most.Group - left + much.Bytes}
		case err != nil:
			return 0, err
		}
		left -= n
	}
	return most.Group - left, nil
}

// Shapes checks that each group of rows has the columns of the file, and a number of rows that is not negative. It must
// be called before the other functions.
func Shapes(f *parquet.File) error {
	columns := leaves(f.Root())
	for _, g := range f.Metadata().RowGroups {
		if len(g.Columns) != columns {
			return fmt.Errorf("the file is damaged: a group of rows has %d columns, and the file %d", len(g.Columns),
				columns)
		}
		if g.NumRows < 0 {
			return errors.New("the file is damaged: a group has a negative number of rows")
		}
	}
	return nil
}

// Chunk checks a single column in the same way as Group.
func Chunk(in io.ReaderAt, f *parquet.File, group int, c *parquet.Column, most Limits) (int64, error) {
	if !c.Leaf() || c.Repeated() {
		return 0, nil
	}
	g := f.Metadata().RowGroups[group]
	m := g.Columns[c.Index()].MetaData
	of := column{c.Name(), c.Type().Kind(), c.Type().Length(), c.Optional(), m.Codec, g.NumRows}
	n, err := of.chunk(in, m, most)
	if err != nil && !errors.As(err, new(ErrTooMuch)) {
		err = fmt.Errorf("column %q is damaged: %w", of.name, err)
	}
	return n, err
}

// leaves returns the number of columns with values at or below a column.
func leaves(c *parquet.Column) (n int) {
	if c.Leaf() {
		return 1
	}
	for _, child := range c.Columns() {
		n += leaves(child)
	}
	return n
}

// chunk checks the pages of a column.
func (c column) chunk(in io.ReaderAt, m format.ColumnMetaData, most Limits) (taken int64, err error) {
	from := m.DataPageOffset
	if m.DictionaryPageOffset != 0 {
		from = m.DictionaryPageOffset
	}
	if from < 0 {
		return 0, errors.New("its position in the file is negative")
	}
	if m.TotalCompressedSize < 0 {
		return 0, errors.New("its size in the file is negative")
	}
	for end := from + m.TotalCompressedSize; from < end; {
		header, size, err := readHeader(io.NewSectionReader(in, from, end-from))
		if err != nil {
			return 0, err
		}
		from += int64(size)
		if n := int64(header.CompressedPageSize); n < 0 || n > end-from {
			return 0, errors.New("the size of a page is negative or exceeds its column")
		}
		packed := make([]byte, header.CompressedPageSize)
		if _, err := io.ReadFull(io.NewSectionReader(in, from, int64(len(packed))), packed); err != nil {
			return 0, errors.New("a page is longer than the file")
		}
		from += int64(len(packed))
		n, err := c.page(header, packed, min(most.Page, most.Group-taken))
		if err != nil {
			return 0, err
		}
		taken += n
	}
	return taken, nil
}

// The number of bytes that are read to find the end of a header is usualHeader at first, and mostHeader at most:
// statistics can make a header long.
const (
	usualHeader = 4 << 10
	mostHeader  = 64 << 20
)

// readHeader reads the header of a page, and returns it with its own length in bytes.
func readHeader(in *io.SectionReader) (h *format.PageHeader, size int, err error) {
	for most := int64(usualHeader); ; most *= 16 {
		text := make([]byte, min(most, in.Size(), mostHeader))
		n, err := in.ReadAt(text, 0)
		if err != nil && !errors.Is(err, io.EOF) {
			return nil, 0, err
		}
		size, err = structEnd(text[:n])
		if errors.Is(err, errShort) && int64(n) == most && most < mostHeader {
			continue
		}
		if err != nil {
			return nil, 0, fmt.Errorf("the header of a page cannot be read: %w", err)
		}
		h = new(format.PageHeader)
		if err := thrift.Unmarshal(new(thrift.CompactProtocol), text[:size], h); err != nil {
			return nil, 0, errors.New("the header of a page cannot be read")
		}
		return h, size, nil
	}
}

// page checks one page, and returns the number of bytes that it takes.
func (c column) page(h *format.PageHeader, packed []byte, most int64) (int64, error) {
	size := int64(h.UncompressedPageSize)
	switch {
	case size < 0:
		return 0, errors.New("the size of a page is negative")
	case size > most:
		return 0, ErrTooMuch{size}
	}
	switch h.Type {
	case format.DictionaryPage:
		text, err := decompressed(c.codec, packed, size, most)
		if err != nil {
			return 0, err
		}
		n := int64(h.DictionaryPageHeader.V.NumValues)
		return c.dictionary(n, int64(len(text)))
	case format.DataPage:
		text, err := decompressed(c.codec, packed, size, most)
		if err != nil {
			return 0, err
		}
		d := h.DataPageHeader.V
		return c.data(text, nil, int64(d.NumValues), d.Encoding, d.DefinitionLevelEncoding, most)
	case format.DataPageV2:
		return c.pageV2(h.DataPageHeaderV2.V, packed, size, most)
	}
	return 0, nil
}

// pageV2 checks a page of version 2, whose levels come first and are not compressed.
func (c column) pageV2(d format.DataPageHeaderV2, packed []byte, size, most int64) (int64, error) {
	repetition, definition := int64(d.RepetitionLevelsByteLength), int64(d.DefinitionLevelsByteLength)
	if repetition < 0 || definition < 0 || repetition+definition > int64(len(packed)) {
		return 0, errors.New("the sizes of the levels of a page do not fit the page")
	}
	if d.NumNulls < 0 || d.NumNulls > d.NumValues {
		return 0, fmt.Errorf("a page declares %d missing values of %d values", d.NumNulls, d.NumValues)
	}
	levels, text := packed[repetition:repetition+definition], packed[repetition+definition:]
	if !d.IsCompressed.Valid || d.IsCompressed.V {
		var err error
		if text, err = decompressed(c.codec, text, max(0, size-repetition-definition), most); err != nil {
			return 0, err
		}
	}
	return c.data(text, levels, int64(d.NumValues), d.Encoding, format.RLE, most)
}

// least returns a lower bound for the number of bits of a value in a page of plain values.
func (c column) least() int64 {
	switch c.kind {
	case parquet.Boolean:
		return 1
	case parquet.Int64, parquet.Double:
		return 64
	case parquet.Int96:
		return 96
	case parquet.FixedLenByteArray:
		return 8 * int64(c.length)
	}
	return 32
}

// dictionary checks that n values fit in a dictionary of the given number of bytes, and returns the number of bytes
// that they take.
func (c column) dictionary(n, bytes int64) (int64, error) {
	if n < 0 || c.least() == 0 || n > 8*bytes/c.least() {
		return 0, fmt.Errorf("its dictionary declares %d values, which %d bytes cannot hold", n, bytes)
	}
	return bytes + 4*n, nil
}

// data checks the values of a page, and returns the number of bytes that they take when decoded. For a page of version
// 2, levels holds its levels.
func (c column) data(text, levels []byte, n int64, values, definition format.Encoding, most int64) (int64, error) {
	if n < 0 || n > c.rows {
		return 0, fmt.Errorf("a page declares %d values, and its group has %d rows", n, c.rows)
	}
	if c.optional && levels == nil && definition == format.RLE {
		rest, err := prefixed(&text)
		if err != nil {
			return 0, err
		}
		levels = rest
	}
	if c.optional && definition == format.RLE {
		if err := runs(levels, 1, n); err != nil {
			return 0, err
		}
	}
	decoded, err := c.values(text, n, values, most)
	if err != nil {
		return 0, err
	}
	decoded += n
	if decoded > most {
		return 0, ErrTooMuch{decoded}
	}
	return decoded, nil
}

// values checks that the encoded values of a page are at most n, and returns the number of bytes that they take.
func (c column) values(text []byte, n int64, e format.Encoding, most int64) (int64, error) {
	plain := int64(len(text)) + n*c.least()/8 + 4*n
	if c.kind == parquet.FixedLenByteArray && c.length > 0 && n > most/int64(c.length) {
		return 0, ErrTooMuch{most + 1}
	}
	switch e {
	//lint:ignore SA1019 older writers use it
	case format.RLEDictionary, format.PlainDictionary:
		if len(text) == 0 {
			return plain, nil
		}
		if text[0] > 32 {
			return 0, errors.New("the numbers of a dictionary have more than 32 bits")
		}
		return plain, runs(text[1:], int(text[0]), n)
	case format.RLE:
		rest, err := prefixed(&text)
		if err != nil {
			return 0, err
		}
		return plain, runs(rest, 1, n)
	case format.DeltaBinaryPacked:
		_, err := deltaCount(text, n)
		return plain, err
	case format.DeltaLengthByteArray, format.DeltaByteArray:
		return deltaTexts(text, n, e == format.DeltaByteArray, most)
	}
	return plain, nil
}
