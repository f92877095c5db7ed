// Package arrow reads Arrow files and streams as a table: a column has numbers, truth values, dates or texts, one for
// each row, and a null is missing. The format is described in "Arrow Columnar Format" (arrow.apache.org/docs/format),
// sections "Serialization and Interprocess Communication" and "Physical Memory Layout". Of
//
//	ARROW1 · schema: y double, g dictionary of texts · texts a, b · batch of 2 rows · batch of 1 row · footer · ARROW1
//
// the footer repeats the schema and lists the offsets of the batches.
//
// Apache's Go module allocates as much memory as the counts in a file require, so that one wrong byte can exhaust the
// memory. Checking all counts first would need the same code as reading. This package therefore reads the messages
// itself, and allocates memory only for values that are in the file or whose number is within the limit.
package arrow

import (
	"encoding/binary"
	"fmt"
	"slices"
	"strings"

	"ppl/compiler/datasets/datafile/budget"
	"ppl/compiler/datasets/datafile/content"
	"ppl/compiler/datasets/datafile/damage"

	flatbuffers "github.com/google/flatbuffers/go"
)

// Read reads an Arrow file, an Arrow stream, or a Feather file of version 2 or later, which is an Arrow file.
func Read(path, text string, memory budget.Memory) (f *content.File, err error) {
	defer damage.Recover(path, &err)
	in := &reader{path: path, memory: memory, left: int64(memory), words: map[int64]cells{}}
	switch {
	case strings.HasPrefix(text, FeatherMagic):
		return nil, fmt.Errorf("%s: version 1 of Feather is not supported; write it with version 2", path)
	case strings.HasPrefix(text, StreamMagic):
		err = in.stream([]byte(text))
	case strings.HasPrefix(text, Magic):
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
	Magic        = "ARROW1"
	FeatherMagic = "FEA1" // beginning of files of version 1; later versions begin like Arrow files
	StreamMagic  = "\xff\xff\xff\xff"
)

// A reader holds the contents of a file that have been read so far.
type reader struct {
	path    string
	memory  budget.Memory // memory that the values may take
	left    int64         // bytes of this memory that are left
	fields  []schemaField
	columns []cells         // one for each field
	words   map[int64]cells // the dictionaries by their numbers
	rows    int
}

// damaged returns the error of a damaged file.
func (in *reader) damaged(format string, args ...any) error {
	return fmt.Errorf("%s: the file is damaged: %s", in.path, fmt.Sprintf(format, args...))
}

// takes subtracts the memory of count values of each bytes from the memory that is left, or returns an error if it is
// too little. It must be called before the memory is allocated.
func (in *reader) takes(count, each int64) error {
	if count < 0 {
		return in.damaged("a count is negative")
	}
	if count > in.left/each {
		return in.memory.Exceeded(in.path, int64(in.memory)-in.left)
	}
	in.left -= count * each
	return nil
}

// stream reads the messages of an Arrow stream.
func (in *reader) stream(text []byte) (err error) {
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
func (in *reader) file(text []byte) error {
	end := len(text) - len(Magic) - 4
	if end < len(Magic) || string(text[end+4:]) != Magic {
		return fmt.Errorf("%s: the file is cut off: an Arrow file ends with %s", in.path, Magic)
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

// next reads a message and returns the text after it, or nil at the end of a stream.
func (in *reader) next(text []byte) ([]byte, error) {
	if len(text) >= 4 && string(text[:4]) == StreamMagic {
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

func (in *reader) message(message fields, body []byte) error {
	header, ok := message.table(2)
	if !ok {
		return in.damaged("a message has no content")
	}
	kind := message.byte(1)
	if kind != messageSchema && in.fields == nil {
		return in.damaged("values precede the schema")
	}
	switch kind {
	case messageSchema:
		return in.schema(header)
	case messageDictionary:
		return in.dictionary(header, body)
	case messageBatch:
		return in.batch(header, body)
	}
	return in.damaged("it has a message of unknown kind %d", kind)
}

// table returns the columns that were read as a table. Of columns with the same name it adds only an array with an
// error.
func (in *reader) table() (*content.File, error) {
	f := content.NewFile(in.path, true)
	f.Rows = in.rows
	for i, field := range in.fields {
		if first := slices.IndexFunc(in.fields, func(o schemaField) bool { return o.name == field.name }); first < i {
			f.Arrays[content.Visible(field.name)].Unread = content.TwoOfName(in.path, first, i, field.name)
			continue
		}
		if field.why != nil {
			f.Refuse(field.name, field.why)
			continue
		}
		a, err := in.array(field, in.columns[i])
		if content.IsNotRead(err) {
			f.Refuse(field.name, err)
			continue
		} else if err != nil {
			return nil, err
		}
		f.Add(a)
	}
	if len(in.fields) == 0 {
		return nil, in.damaged("it has no columns")
	}
	return f, nil
}
