package arrow

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"io"
	"math"
	"slices"

	"ppl/compiler/datasets/datafile/budget"
	"ppl/compiler/datasets/datafile/content"
	"ppl/compiler/datasets/datafile/elements"

	flatbuffers "github.com/google/flatbuffers/go"
	"github.com/klauspost/compress/zstd"
	"github.com/pierrec/lz4/v4"

	"ppl/numbers"
)

// cells are the values of a column, in order.
type cells struct {
	values []float64 // NaN if missing; for texts 0, for a column with a dictionary the index
	texts  []string  // as long as values for columns of texts; empty for others
}

// valueCost is the memory of one value of a column, in bytes.
const valueCost = 80

// A batchReader reads the columns of a batch in order. The batch lists the sizes and buffers of all columns in this
// order; the reader removes those that it has used.
type batchReader struct {
	in      *reader
	rows    int64
	body    []byte
	sizes   [][2]int64 // for each column, the numbers of rows and of missing values
	buffers [][2]int64 // for each buffer, its offset in the body and its length
	views   []int64    // for each column of text views, the number of buffers to which it refers
	codec   codec
}

type codec int

const (
	codecNone codec = iota
	codecLZ4
	codecZstd
)

// Numbers of the fields of a RecordBatch.
const (
	batchRowsField   = 0
	batchNodes       = 1
	batchBuffers     = 2
	batchCompression = 3
	batchViews       = 4
)

// batch appends the rows of a batch to the columns.
func (in *reader) batch(t fields, body []byte) error {
	b, err := in.batchOf(t, body, nodes(in.fields))
	if err != nil {
		return err
	}
	for i, f := range in.fields {
		if f.skipped != nil {
			err = b.skip(f.skipped)
		} else {
			err = b.column(f.stored, &in.columns[i])
		}
		if err != nil {
			return fmt.Errorf("%w (column %q)", err, f.name)
		}
	}
	in.rows += int(b.rows)
	return nil
}

// dictionary reads the values of a dictionary, or further values that the file adds to it. It ignores dictionaries of
// columns that are not read.
func (in *reader) dictionary(t fields, body []byte) error {
	id := t.int64(0)
	at := slices.IndexFunc(in.fields, func(f schemaField) bool { return f.dictionary && f.id == id })
	data, ok := t.table(1)
	if !ok {
		return in.damaged("a dictionary has no values")
	}
	if at < 0 {
		return nil
	}
	words, known := in.words[id]
	if more := t.byte(2) != 0; known && !more {
		in.changed(id)
		return nil
	}
	b, err := in.batchOf(data, body, 1)
	if err != nil {
		return err
	}
	err = b.column(in.fields[at].words, &words)
	in.words[id] = words
	return err
}

// changed marks the columns of a dictionary that another replaces as unreadable, because the values of their indices
// depend on the batch.
func (in *reader) changed(id int64) {
	for i := range in.fields {
		if f := &in.fields[i]; f.dictionary && f.id == id && f.why == nil {
			f.why = fmt.Errorf("%s: column %q changes its dictionary; write the table as one Feather file", in.path,
				f.name)
		}
	}
}

// batchOf returns a reader of a batch with the given number of columns. It returns an error for a batch with another
// number of columns, an unknown compression, or too many values for the memory.
func (in *reader) batchOf(t fields, body []byte, columns int) (b *batchReader, err error) {
	b = &batchReader{in: in, rows: t.int64(batchRowsField), body: body}
	if err := in.takes(int64(columns), valueCost); err != nil {
		return nil, err
	}
	if err := in.takes(b.rows, int64(columns)*valueCost); err != nil {
		return nil, err
	}
	if b.sizes, err = in.pairs(t, batchNodes); err != nil {
		return nil, err
	}
	if b.buffers, err = in.pairs(t, batchBuffers); err != nil {
		return nil, err
	}
	if len(b.sizes) != columns {
		return nil, in.damaged("a batch has %d columns instead of %d", len(b.sizes), columns)
	}
	from, n := t.vector(batchViews, 8)
	for i := range n {
		b.views = append(b.views, t.GetInt64(from+8*flatbuffers.UOffsetT(i)))
	}
	if packed, ok := t.table(batchCompression); ok {
		b.codec = codecLZ4 + codec(packed.byte(0))
		if b.codec > codecZstd {
			return nil, in.damaged("a batch is compressed in an unknown way")
		}
	}
	return b, nil
}

// pairs returns the elements of a list in which each element is two integers.
func (in *reader) pairs(t fields, field int) (list [][2]int64, err error) {
	from, n := t.vector(field, 16)
	if err := in.takes(int64(n), 16); err != nil {
		return nil, err
	}
	list = make([][2]int64, n)
	for i := range list {
		at := from + 16*flatbuffers.UOffsetT(i)
		list[i] = [2]int64{t.GetInt64(at), t.GetInt64(at + 8)}
	}
	return list, nil
}

// column appends the values of the next column in the batch to a column.
func (b *batchReader) column(t valueType, to *cells) error {
	rows := b.sizes[0][0]
	b.sizes = b.sizes[1:]
	if rows != b.rows {
		return b.in.damaged("a column has %d rows in a batch of %d", rows, b.rows)
	}
	if t.form == formNull {
		to.values = append(to.values, slices.Repeat([]float64{math.NaN()}, int(rows))...)
		return nil
	}
	present, err := b.present()
	if err != nil {
		return err
	}
	raw, err := b.buffer()
	if err != nil {
		return err
	}
	switch t.form {
	case formText:
		return b.texts(t, raw, present, to)
	case formView:
		return b.viewed(raw, present, to)
	}
	return b.numbers(t, raw, present, to)
}

// buffer returns the contents of the next buffer of the batch, decompressed.
func (b *batchReader) buffer() ([]byte, error) {
	if len(b.buffers) == 0 {
		return nil, b.in.damaged("a batch lacks values")
	}
	from, n := b.buffers[0][0], b.buffers[0][1]
	b.buffers = b.buffers[1:]
	if from < 0 || n < 0 || from > int64(len(b.body)) || n > int64(len(b.body))-from {
		return nil, b.in.damaged("values lie outside their batch")
	}
	raw := b.body[from : from+n]
	if b.codec == codecNone || n == 0 {
		return raw, nil
	}
	if n < 8 {
		return nil, b.in.damaged("compressed values lack their size")
	}
	size := int64(binary.LittleEndian.Uint64(raw))
	raw = raw[8:]
	if size == -1 {
		return raw, nil
	}
	return b.unpacked(raw, size)
}

// widestWindow is the smallest limit, in bytes, of the distance over which Zstandard data may refer back. For larger
// buffers the limit is twice their size.
const widestWindow = 8 << 20

// unpacked decompresses a buffer that has the given size when decompressed. It allocates memory as it decompresses, not
// for the size that the file declares.
func (b *batchReader) unpacked(raw []byte, size int64) ([]byte, error) {
	if err := b.in.takes(size, 1); err != nil {
		return nil, err
	}
	var r io.Reader = lz4.NewReader(bytes.NewReader(raw))
	if b.codec == codecZstd {
		z, err := zstd.NewReader(bytes.NewReader(raw), zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true),
			zstd.WithDecoderMaxWindow(min(max(widestWindow, 2*uint64(size)), 1<<32)))
		if err != nil {
			return nil, b.in.damaged("values cannot be decompressed")
		}
		defer z.Close()
		r = z
	}
	var out bytes.Buffer
	n, err := io.Copy(&out, io.LimitReader(r, size+1))
	if err != nil {
		return nil, b.in.damaged("values cannot be decompressed")
	}
	if n != size {
		return nil, b.in.damaged("values are %d bytes, but %d were declared", n, size)
	}
	return out.Bytes(), nil
}

// present returns a function that reports whether the value of a row of the next column is present.
func (b *batchReader) present() (func(row int) bool, error) {
	bits, err := b.buffer()
	if err != nil {
		return nil, err
	}
	if len(bits) == 0 {
		return func(int) bool { return true }, nil
	}
	if int64(len(bits)) < (b.rows+7)/8 {
		return nil, b.in.damaged("the list of missing values is too short")
	}
	return func(row int) bool { return bit(bits, row) }, nil
}

func bit(bits []byte, i int) bool { return bits[i/8]>>(i%8)&1 == 1 }

// holds returns an error for a buffer that has fewer values than rows; bits is the size of a value in bits.
func (b *batchReader) holds(raw []byte, rows, bits int64) error {
	if int64(len(raw)) < (rows*bits+7)/8 {
		return b.in.damaged("a column has fewer values than rows")
	}
	return nil
}

func (b *batchReader) numbers(t valueType, raw []byte, present func(int) bool, to *cells) error {
	bits := int64(8 * t.bytes)
	if t.form == formTruth {
		bits = 1
	}
	if err := b.holds(raw, b.rows, bits); err != nil {
		return err
	}
	number := t.reader()
	for i := range int(b.rows) {
		v := math.NaN()
		if present(i) {
			v = number(raw, i)
		}
		to.values = append(to.values, v)
	}
	return nil
}

// reader returns a function that reads the i-th number of a buffer.
func (t valueType) reader() func(raw []byte, i int) float64 {
	kind := "u"
	switch {
	case t.form == formTruth:
		return func(raw []byte, i int) float64 {
			if bit(raw, i) {
				return 1
			}
			return 0
		}
	case t.form == formReal:
		kind = "f"
	case t.signed:
		kind = "i"
	}
	e, _ := elements.Of(fmt.Sprintf("%s%d", kind, t.bytes))
	return func(raw []byte, i int) float64 { return e.Read(raw[i*t.bytes:], binary.LittleEndian) }
}

// texts appends a column of texts; raw has the offsets of the texts in the next buffer.
func (b *batchReader) texts(t valueType, raw []byte, present func(int) bool, to *cells) error {
	all, err := b.buffer()
	if err != nil {
		return err
	}
	if b.rows == 0 {
		return nil
	}
	if err := b.holds(raw, b.rows+1, int64(8*t.bytes)); err != nil {
		return err
	}
	offset := func(i int) uint64 {
		if t.bytes == 4 {
			return uint64(binary.LittleEndian.Uint32(raw[4*i:]))
		}
		return binary.LittleEndian.Uint64(raw[8*i:])
	}
	for i := range int(b.rows) {
		from, end := offset(i), offset(i+1)
		if from > end || end > uint64(len(all)) {
			return b.in.damaged("a text lies outside its batch")
		}
		if err := b.text(all[from:end], present(i), to); err != nil {
			return err
		}
	}
	return nil
}

// text appends a text, or a missing value if present is false. It counts the memory of each text, because a damaged
// file can declare many overlapping texts.
func (b *batchReader) text(text []byte, present bool, to *cells) error {
	if !present {
		to.values, to.texts = append(to.values, math.NaN()), append(to.texts, "")
		return nil
	}
	word := content.Visible(string(text))
	to.values, to.texts = append(to.values, 0), append(to.texts, word)
	return b.in.takes(int64(len(word))+budget.TextCost-valueCost, 1)
}

// viewed appends a column of text views. raw describes each text by 16 bytes: its length and, if this is at most 12,
// the text; otherwise the first four bytes of the text, the number of its buffer, and its offset in the buffer.
func (b *batchReader) viewed(raw []byte, present func(int) bool, to *cells) error {
	if len(b.views) == 0 {
		return b.in.damaged("a batch lacks texts")
	}
	n := b.views[0]
	b.views = b.views[1:]
	if n < 0 || n > int64(len(b.buffers)) {
		return b.in.damaged("a batch lacks texts")
	}
	all := make([][]byte, n)
	for i := range all {
		var err error
		if all[i], err = b.buffer(); err != nil {
			return err
		}
	}
	if err := b.holds(raw, b.rows, 128); err != nil {
		return err
	}
	for i := range int(b.rows) {
		var text []byte
		if present(i) {
			view := raw[16*i : 16*i+16]
			length := binary.LittleEndian.Uint32(view)
			if length <= 12 {
				text = view[4 : 4+length]
			} else {
				from := uint64(binary.LittleEndian.Uint32(view[12:]))
				text = all[binary.LittleEndian.Uint32(view[8:])][from : from+uint64(length)]
			}
		}
		if err := b.text(text, present(i), to); err != nil {
			return err
		}
	}
	return nil
}

// array returns a column as an array. It returns an error that is NotRead if an integer is too large for a float64.
func (in *reader) array(f schemaField, c cells) (*content.Array, error) {
	t := f.stored
	if f.dictionary {
		var err error
		if c, err = in.decoded(f, c); err != nil {
			return nil, err
		}
		t = f.words
	}
	a := &content.Array{Name: f.name, Shape: []int{len(c.values)}, Int: true, Days: t.perDay > 0, Origin: in.path}
	if t.form == formText || t.form == formView {
		a.Labels, a.Values = content.Encode(c.texts, content.MissingIn(c.values))
		if f.dictionary {
			a.Levels = content.Distinct(in.words[f.id].texts)
		}
		if f.ordered {
			a.Labels, a.Values, a.Ordered = a.Levels, positions(c, a.Levels), true
		}
		return a, nil
	}
	if f.dictionary && t.form == formWhole && t.perDay == 0 {
		a.LevelCodes = in.words[f.id].values
	}
	for i, v := range c.values {
		switch {
		case t.perDay > 0: // convert to days since 1970-01-01, like dates in text files
			c.values[i] = v / t.perDay
		case t.form == formWhole && math.Abs(v) > elements.LargestExact:
			return nil, content.NotRead(content.ValueError(in.path, i+1, f.name,
				fmt.Errorf("%.0f is too large for a float64 to hold exactly", v)))
		}
		v = c.values[i]
		a.Int = a.Int && t.form != formReal && (math.IsNaN(v) || v == math.Trunc(v))
	}
	a.Values = numbers.Packed(c.values)
	return a, nil
}

// decoded replaces the indices of a column by their values in the dictionary of the column.
func (in *reader) decoded(f schemaField, c cells) (out cells, err error) {
	words := in.words[f.id]
	text := f.words.form == formText || f.words.form == formView
	for i, v := range c.values {
		out.values = append(out.values, math.NaN())
		if text {
			out.texts = append(out.texts, "")
		}
		if math.IsNaN(v) {
			continue
		}
		if v < 0 || v >= float64(len(words.values)) {
			return out, in.damaged("row %d of column %q is not in its dictionary", i+1, f.name)
		}
		out.values[i] = words.values[int(v)]
		if text {
			out.texts[i] = words.texts[int(v)]
		}
	}
	return out, nil
}

// positions returns the position of each text of a column in words, from 1, and NaN for missing texts.
func positions(c cells, words []string) numbers.List {
	place, out := map[string]float64{}, make([]float64, len(c.values))
	for i, word := range words {
		place[word] = float64(i + 1)
	}
	for i, v := range c.values {
		out[i] = v
		if !math.IsNaN(v) {
			out[i] = place[c.texts[i]]
		}
	}
	return numbers.Packed(out)
}
