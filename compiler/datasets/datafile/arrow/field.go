package arrow

import (
	"errors"
	"fmt"

	flatbuffers "github.com/google/flatbuffers/go"
)

// A schemaField is a column as the schema describes it.
type schemaField struct {
	name       string
	stored     valueType // type of the values in a batch; with a dictionary, of the indices
	dictionary bool      // whether the values are indices into a dictionary
	ordered    bool      // whether the order of the dictionary has a meaning
	id         int64     // number of the dictionary
	words      valueType // type of the values in the dictionary
	skipped    *layout   // layout in a batch of a column whose type is not supported
	why        error     // why the column is not read; nil if it is read
}

// A valueType describes how a batch stores the values of a column, and their meaning.
type valueType struct {
	form   valueForm
	bytes  int     // size of a number, or of the offset of a text
	signed bool    // whether an integer is signed
	perDay float64 // for dates and times, the number of units in a day; 0 for numbers
}

// A valueForm determines which buffers a column has in a batch. The first buffer, except of formNull, marks the values
// that are present.
type valueForm int

const (
	formNull  valueForm = iota // no buffers: all values are missing
	formWhole                  // integers
	formReal                   // floating-point numbers
	formTruth                  // bits
	formText                   // offsets of the texts and of their end, then all texts
	formView                   // descriptions of 16 bytes, then the buffers to which they refer
)

// fieldCost is the approximate memory of a column without its values, in bytes.
const fieldCost = 512

// schema reads the names and types of the columns.
func (in *reader) schema(t fields) error {
	if in.fields != nil {
		return in.damaged("it has two schemas")
	}
	if t.int16(0, 0) != 0 {
		return fmt.Errorf("%s: big-endian numbers are not supported; write them little-endian", in.path)
	}
	from, n := t.vector(1, 4)
	if err := in.takes(int64(n), fieldCost); err != nil {
		return err
	}
	in.fields, in.columns = make([]schemaField, n), make([]cells, n)
	for i := range in.fields {
		at := t
		at.Pos = t.Indirect(from + 4*flatbuffers.UOffsetT(i))
		f, err := in.field(at)
		if err != nil {
			return err
		}
		in.fields[i] = f
	}
	return nil
}

// Numbers of the fields of a Field.
const (
	fieldName       = 0
	fieldKind       = 2
	fieldType       = 3
	fieldDictionary = 4
)

func (in *reader) field(t fields) (f schemaField, err error) {
	name := t.text(fieldName)
	if err := in.takes(int64(len(name)), 1); err != nil {
		return f, err
	}
	f.name = string(name)
	if f.stored, err = in.typeOf(f.name, t); errors.As(err, &otherType{}) {
		f.skipped, f.why = layoutOf(t, 0), err
		return f, nil
	} else if err != nil {
		return f, err
	}
	if encoding, ok := t.table(fieldDictionary); ok {
		f.dictionary, f.id, f.words, f.ordered = true, encoding.int64(0), f.stored, encoding.byte(2) != 0
		f.stored = valueType{form: formWhole, bytes: 4, signed: true}
		if index, ok := encoding.table(1); ok {
			f.stored = wholeOf(index)
		}
	}
	if f.stored.form == formWhole && f.stored.bytes != 1 && f.stored.bytes != 2 && f.stored.bytes != 4 &&
		f.stored.bytes != 8 {
		return f, in.damaged("column %q has integers of %d bytes", f.name, f.stored.bytes)
	}
	return f, nil
}

func wholeOf(t fields) valueType {
	return valueType{form: formWhole, bytes: int(t.int32(0)) / 8, signed: t.byte(1) != 0}
}

// The types that are read, as Schema.fbs numbers them.
const (
	typeNull      = 1
	typeInt       = 2
	typeFloat     = 3
	typeText      = 5
	typeBool      = 6
	typeDate      = 8
	typeTimestamp = 10
	typeLargeText = 20
	typeTextView  = 24
)

// typeOf returns the type of a column. It returns an otherType error for columns that are not plain numbers, truth
// values, dates or texts.
func (in *reader) typeOf(name string, f fields) (a valueType, err error) {
	t, _ := f.table(fieldType)
	switch kind := f.byte(fieldKind); kind {
	case typeNull:
		return valueType{form: formNull}, nil
	case typeInt:
		return wholeOf(t), nil
	case typeFloat:
		if precision := t.int16(0, 0); precision == 1 || precision == 2 {
			return valueType{form: formReal, bytes: int(precision) * 4}, nil
		}
	case typeText:
		return valueType{form: formText, bytes: 4}, nil
	case typeLargeText:
		return valueType{form: formText, bytes: 8}, nil
	case typeTextView:
		return valueType{form: formView}, nil
	case typeBool:
		return valueType{form: formTruth}, nil
	case typeDate:
		if t.int16(0, 1) == 0 { // days; the default is milliseconds
			return valueType{form: formWhole, bytes: 4, signed: true, perDay: 1}, nil
		}
		return valueType{form: formWhole, bytes: 8, signed: true, perDay: 86400e3}, nil
	case typeTimestamp:
		units := []float64{1, 1e3, 1e6, 1e9}
		if unit := int(t.int16(0, 0)); unit >= 0 && unit < len(units) {
			return valueType{form: formWhole, bytes: 8, signed: true, perDay: 86400 * units[unit]}, nil
		}
	default:
		if word, ok := otherTypes()[kind]; ok {
			return a, otherType{fmt.Errorf("%s: column %q has %s; write plain numbers or texts, one for each row",
				in.path, name, word)}
		}
	}
	if f.byte(fieldKind) == typeFloat && t.int16(0, 0) == 0 {
		return a, otherType{fmt.Errorf("%s: column %q has half-precision numbers; write them as float32 or float64",
			in.path, name)}
	}
	return a, in.damaged("column %q has an unknown type", name)
}

// otherTypes maps the types that are not supported to words for messages.
func otherTypes() map[byte]string {
	return map[byte]string{4: "bytes", 7: "fixed-point decimals", 9: "times of day", 11: "intervals", 12: "lists",
		13: "records", 14: "unions", 15: "bytes", 16: "lists", 17: "maps", 18: "durations", 19: "bytes", 21: "lists",
		22: "run-end encoding", 23: "bytes", 25: "lists", 26: "lists"}
}
