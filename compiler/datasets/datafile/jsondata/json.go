// Package jsondata reads JSON (RFC 8259) as CmdStan writes it ("JSON format for CmdStan"), and the forms in which other
// programs write tables. Each of these files has an array y of two numbers:
//
//	{"y": [1, 2], "N": 2}           an object of numbers, truth values, texts and rectangular arrays of them
//	{"y": {"a": 1, "b": 2}}         an object of objects, whose elements have names
//	[{"y": 1}, {"y": 2}]            a list of records: a table
//	{"y": 1} {"y": 2}               records one after another (JSON Lines, jsonlines.org): a table
//
// Numbers may also be the words NaN, NA, inf and Infinity, which R and Python write.
package jsondata

import (
	"encoding/json"
	"fmt"
	"strings"

	"ppl/compiler/datasets/datafile/budget"
	"ppl/compiler/datasets/datafile/content"
	"ppl/compiler/datasets/datafile/numerals"
	"ppl/lang/source"
)

// maxRank is the largest nesting depth of arrays. It limits the recursion of the reader.
const maxRank = 16

// A reader parses the text of one JSON file.
type reader struct {
	src   *source.File
	at    int // offset of the next byte
	words map[string]numerals.Number
}

// Read reads a JSON file: an object of named values, a list of records, or records one after another.
func Read(path, text string) (*content.File, error) {
	r := newReader(path, text)
	records := r.peek() == '[' && r.afterBracket() == '{'
	f, read := content.NewFile(path, records), r.object
	if records {
		read = r.records
	}
	if err := read(f); err != nil {
		return nil, err
	}
	switch {
	case r.peek() == 0:
		return f, nil
	case !records && r.peek() == '{': // pandas, BigQuery and DuckDB also write JSON Lines to files named .json
		return ReadLines(path, text)
	}
	return nil, r.errorf(r.at, "more text after the closing bracket")
}

// ReadLines reads JSON Lines: records one after another.
func ReadLines(path, text string) (*content.File, error) {
	f := content.NewFile(path, true)
	if err := newReader(path, text).lines(f); err != nil {
		return nil, err
	}
	return f, nil
}

// Cost returns the cost of a JSON file, and of an R dump.
func Cost() budget.Cost {
	return budget.Cost{Each: 5, Of: map[byte]int64{',': 110, '"': 25, ':': 400, '\n': 35}}
}

func newReader(path, text string) *reader {
	r := &reader{src: source.New(path, text), words: numerals.Words()}
	delete(r.words, "") // an empty text is a missing value in tables, but a label in JSON
	return r
}

func (r *reader) errorf(at int, format string, args ...any) error {
	line, column := r.src.Position(at)
	return fmt.Errorf("%s:%d:%d: %s", r.src.Name, line, column, fmt.Sprintf(format, args...))
}

func (r *reader) space() {
	for r.at < len(r.src.Text) && strings.IndexByte(" \t\r\n", r.src.Text[r.at]) >= 0 {
		r.at++
	}
}

// peek skips white space and returns the next byte, or 0 at the end.
func (r *reader) peek() byte {
	r.space()
	if r.at == len(r.src.Text) {
		return 0
	}
	return r.src.Text[r.at]
}

func (r *reader) take(c byte) bool {
	if r.peek() != c {
		return false
	}
	r.at++
	return true
}

func (r *reader) expect(c byte, where string) error {
	if r.take(c) {
		return nil
	}
	if r.at == len(r.src.Text) {
		return r.errorf(r.at, "the file ends where %q is expected %s", c, where)
	}
	return r.errorf(r.at, "expected %q %s", c, where)
}

func (r *reader) object(f *content.File) error {
	if err := r.expect('{', "at the start: data are an object of named arrays"); err != nil {
		return err
	}
	if r.take('}') {
		return nil
	}
	for {
		if err := r.member(f); err != nil {
			return err
		}
		if !r.take(',') {
			return r.expect('}', "or a comma after a value")
		}
	}
}

func (r *reader) member(f *content.File) error {
	r.space()
	at := r.at
	name, err := r.text()
	if err != nil {
		return err
	}
	if f.Arrays[name] != nil {
		return r.errorf(at, "%q is given twice", name)
	}
	if err := r.expect(':', fmt.Sprintf("after the name %q", name)); err != nil {
		return err
	}
	r.space()
	start := r.at
	a, err := r.array(name)
	switch {
	case err == nil:
		f.Add(a)
	case r.skip(start):
		f.Refuse(name, err)
	default:
		return err
	}
	return nil
}

// skip moves behind the value that begins at start. It returns false if brackets or quotes of the value are not closed.
func (r *reader) skip(start int) bool {
	r.at = start
	var open []byte
	for {
		switch c := r.peek(); c {
		case 0:
			return false
		case '[', '{':
			open = append(open, c+2) // the closing one
			r.at++
			continue
		case ']', '}':
			if len(open) == 0 || open[len(open)-1] != c {
				return false
			}
			open = open[:len(open)-1]
			r.at++
		case ',', ':':
			r.at++
			if len(open) > 0 {
				continue
			}
			return false
		case '"':
			if _, err := r.text(); err != nil {
				return false
			}
		default:
			r.word()
		}
		if len(open) == 0 {
			return true
		}
	}
}

// afterBracket returns the first byte after the next byte that is not white space, without moving the reader.
func (r *reader) afterBracket() byte {
	inside := *r
	inside.at++
	return inside.peek()
}

// text reads a string in quotes and returns it decoded.
func (r *reader) text() (string, error) {
	if err := r.expect('"', "to open a name or text"); err != nil {
		return "", err
	}
	start := r.at - 1
	for ; r.at < len(r.src.Text); r.at++ {
		switch r.src.Text[r.at] {
		case '\\':
			r.at++
		case '"':
			r.at++
			var s string
			if err := json.Unmarshal([]byte(r.src.Text[start:r.at]), &s); err != nil {
				return "", r.errorf(start, "not a valid string")
			}
			return s, nil
		}
	}
	r.at = len(r.src.Text)
	return "", r.errorf(start, "the string opened here is not closed")
}
