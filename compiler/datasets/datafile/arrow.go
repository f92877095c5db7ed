package datafile

import (
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
	"strings"

	flatbuffers "github.com/google/flatbuffers/go"
)

// readArrow reads an Arrow file, which is also Feather from its second version on, or an Arrow stream, as a table: a
// column is numbers, truth values, dates or texts, one for each row, and a null is missing. "Arrow Columnar Format",
// sections "Serialization and Interprocess Communication" and "Physical Memory Layout", has the format. Of
//
//	ARROW1 · schema: y double, g dictionary of texts · texts a, b · batch of 2 rows · batch of 1 row · footer · ARROW1
//
// the footer says again what the columns are, and where the batches.
//
// Apache's module for Go allocates what a file says it holds, so that one wrong byte takes all memory. Checking all
// counts before it sees them would take the same walk through the messages as reading them, so they are read here: no
// count is believed before the bytes that it speaks of are known to be there, or are few enough.
func readArrow(path, text string, s RowCache) (f *File, err error) {
	defer recovered(path, &err)
	in := &arrowFile{path: path, most: s.memory(), words: map[int64]cells{}}
	in.left = in.most
	switch {
	case strings.HasPrefix(text, "FEA1"):
		return nil, fmt.Errorf("%s: the first version of Feather is not read; write it with version 2", path)
	case strings.HasPrefix(text, streamMagic):
		err = in.stream([]byte(text))
	case strings.HasPrefix(text, arrowMagic):
		err = in.file([]byte(text))
	default:
		return nil, fmt.Errorf("%s: not an Arrow file", path)
	}
	if err != nil {
		return nil, err
	}
	return in.table()
}

const (
	arrowMagic  = "ARROW1"
	streamMagic = "\xff\xff\xff\xff"
)

// An arrowFile is what was read of a file so far.
type arrowFile struct {
	path       string
	most, left int64 // bytes that the values may take, and how much of them is left
	fields     []arrowField
	columns    []cells         // one for each field
	words      map[int64]cells // the dictionaries by their numbers
	rows       int
}

// damaged returns the error of a file that contradicts itself.
func (in *arrowFile) damaged(format string, args ...any) error {
	return fmt.Errorf("%s: the file is damaged: %s", in.path, fmt.Sprintf(format, args...))
}

// takes notes that values will take memory, before they do.
func (in *arrowFile) takes(count, each int64) error {
	if count < 0 {
		return in.damaged("a count is negative")
	}
	if count > in.left/each {
		return RowCache{Memory: in.most}.expands(in.path, in.most-in.left)
	}
	in.left -= count * each
	return nil
}

// stream reads messages that follow one another.
func (in *arrowFile) stream(text []byte) (err error) {
	for len(text) > 0 && err == nil {
		text, err = in.next(text)
	}
	return err
}

// Numbers of the fields of a Footer, and the bytes of an element of its lists.
const (
	footerSchema       = 1
	footerDictionaries = 2
	footerBatches      = 3
	blockSize          = 24
)

// file reads the messages that a footer lists.
func (in *arrowFile) file(text []byte) error {
	end := len(text) - len(arrowMagic) - 4
	if end < len(arrowMagic) || string(text[end+4:]) != arrowMagic {
		return fmt.Errorf("%s: the file is cut off: an Arrow file ends with %s", in.path, arrowMagic)
	}
	size := int64(binary.LittleEndian.Uint32(text[end:]))
	if size > int64(end) {
		return in.damaged("its footer is longer than the file")
	}
	footer := rootOf(text[int64(end)-size : end])
	schema, ok := footer.table(footerSchema)
	if !ok {
		return in.damaged("it has no columns")
	}
	if err := in.schema(schema); err != nil {
		return err
	}
	for _, list := range []int{footerDictionaries, footerBatches} {
		from, n := footer.vector(list, blockSize)
		for i := range n {
			at := footer.GetInt64(from + blockSize*flatbuffers.UOffsetT(i))
			if at < 0 || at > int64(end) {
				return in.damaged("a batch lies outside the file")
			}
			if _, err := in.next(text[at:end]); err != nil {
				return err
			}
		}
	}
	return nil
}

// The kinds of messages, and the fields of their tables, as Message.fbs numbers them.
const (
	messageSchema     = 1
	messageDictionary = 2
	messageBatch      = 3
)

// next reads a message and returns what follows it; nothing follows the end of a stream.
func (in *arrowFile) next(text []byte) ([]byte, error) {
	if len(text) >= 4 && string(text[:4]) == streamMagic {
		text = text[4:]
	}
	if len(text) < 4 {
		return nil, in.damaged("it ends within a message")
	}
	size := int64(binary.LittleEndian.Uint32(text))
	text = text[4:]
	if size == 0 {
		return nil, nil
	}
	if size > int64(len(text)) {
		return nil, in.damaged("a message is longer than the file")
	}
	message, text := rootOf(text[:size]), text[size:]
	length := message.int64(3)
	if length < 0 || length > int64(len(text)) {
		return nil, in.damaged("the values of a message are longer than the file")
	}
	return text[length:], in.message(message, text[:length])
}

func (in *arrowFile) message(message fields, body []byte) error {
	header, ok := message.table(2)
	if !ok {
		return in.damaged("a message has no content")
	}
	kind := message.byte(1)
	if kind != messageSchema && in.fields == nil {
		return in.damaged("values come before the names of columns")
	}
	switch kind {
	case messageSchema:
		return in.schema(header)
	case messageDictionary:
		return in.dictionary(header, body)
	case messageBatch:
		return in.batch(header, body)
	}
	return in.damaged("it has a message of the kind %d", kind)
}

// table returns what was read as a data file.
func (in *arrowFile) table() (*File, error) {
	f := newFile(in.path, true)
	f.rows = in.rows
	for i, field := range in.fields {
		if first := slices.IndexFunc(in.fields, func(o arrowField) bool { return o.name == field.name }); first < i {
			f.Arrays[visible(field.name)].Unread = twoOfName(in.path, first, i, field.name)
			continue
		}
		if field.why != nil {
			f.refuse(field.name, field.why)
			continue
		}
		a, err := in.array(field, in.columns[i])
		if unread := (unreadable{}); errors.As(err, &unread) {
			f.refuse(field.name, err)
			continue
		} else if err != nil {
			return nil, err
		}
		f.add(a)
	}
	if len(in.fields) == 0 {
		return nil, in.damaged("it has no columns")
	}
	return f, nil
}

// fields is a table of flatbuffers, whose fields have numbers. Reading outside the message panics.
type fields struct{ flatbuffers.Table }

func rootOf(text []byte) fields {
	return fields{flatbuffers.Table{Bytes: text, Pos: flatbuffers.GetUOffsetT(text)}}
}

// at returns where a field is in the message; ok is false if it has its default value.
func (t fields) at(field int) (flatbuffers.UOffsetT, bool) {
	o := flatbuffers.UOffsetT(t.Offset(flatbuffers.VOffsetT(4 + 2*field)))
	return t.Pos + o, o != 0
}

func (t fields) int64(field int) (v int64) {
	if at, ok := t.at(field); ok {
		v = t.GetInt64(at)
	}
	return v
}

func (t fields) int32(field int) (v int32) {
	if at, ok := t.at(field); ok {
		v = t.GetInt32(at)
	}
	return v
}

// int16 returns a field whose default value is not always 0.
func (t fields) int16(field int, v int16) int16 {
	if at, ok := t.at(field); ok {
		v = t.GetInt16(at)
	}
	return v
}

func (t fields) byte(field int) (v byte) {
	if at, ok := t.at(field); ok {
		v = t.GetByte(at)
	}
	return v
}

// text is part of the message, not a copy: several fields may be the same text.
func (t fields) text(field int) (v []byte) {
	if at, ok := t.at(field); ok {
		v = t.ByteVector(at)
	}
	return v
}

func (t fields) table(field int) (fields, bool) {
	at, ok := t.at(field)
	if ok {
		at = t.Indirect(at)
	}
	return fields{flatbuffers.Table{Bytes: t.Bytes, Pos: at}}, ok
}

// vector returns where the elements of a list begin, and how many there are, of which each has that many bytes.
func (t fields) vector(field, each int) (from flatbuffers.UOffsetT, n int) {
	at, ok := t.at(field)
	if !ok {
		return 0, 0
	}
	at -= t.Pos
	from, n = t.Vector(at), t.VectorLen(at)
	if n < 0 || int64(from)+int64(n)*int64(each) > int64(len(t.Bytes)) {
		panic("a list is longer than its message")
	}
	return from, n
}
