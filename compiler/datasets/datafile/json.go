package datafile

import (
	"encoding/json"
	"fmt"
	"strings"

	"ppl/lang/source"
)

// maxRank bounds the nesting of arrays, and with it the reader's recursion.
const maxRank = 16

// A jsonReader walks the text of one JSON file: an object of numbers, booleans, strings and nested rectangular arrays,
// as Stan has it, and of objects of them, whose elements have names; or a list of records, which is a table; or records
// one after another (JSON Lines, jsonlines.org), which is a table as well. Beyond JSON proper it takes the bare words
// NaN, NA, inf and Infinity, which R and Python write.
type jsonReader struct {
	src   *source.File
	at    int // next byte
	words map[string]number
}

func readJSON(path, text string, s RowCache) (*File, error) {
	r := newJSONReader(path, text)
	records := r.peek() == '[' && r.afterBracket() == '{'
	f, read := newFile(path, records), r.object
	if records {
		read = r.records
	}
	if err := read(f); err != nil {
		return nil, err
	}
	switch {
	case r.peek() == 0:
		return f, nil
	case !records && r.peek() == '{': // as pandas, BigQuery and DuckDB write tables under this ending, too
		return readJSONLines(path, text, s)
	}
	return nil, r.errorf(r.at, "more text after the closing bracket")
}

func readJSONLines(path, text string, _ RowCache) (*File, error) {
	f := newFile(path, true)
	if err := newJSONReader(path, text).lines(f); err != nil {
		return nil, err
	}
	return f, nil
}

func newJSONReader(path, text string) *jsonReader {
	r := &jsonReader{src: source.New(path, text), words: words()}
	delete(r.words, "") // in a table an empty field is missing; here it is a label
	return r
}

func (r *jsonReader) errorf(at int, format string, args ...any) error {
	line, column := r.src.Position(at)
	return fmt.Errorf("%s:%d:%d: %s", r.src.Name, line, column, fmt.Sprintf(format, args...))
}

func (r *jsonReader) space() {
	for r.at < len(r.src.Text) && strings.IndexByte(" \t\r\n", r.src.Text[r.at]) >= 0 {
		r.at++
	}
}

// peek returns the next byte that is not space, 0 at the end.
func (r *jsonReader) peek() byte {
	r.space()
	if r.at == len(r.src.Text) {
		return 0
	}
	return r.src.Text[r.at]
}

func (r *jsonReader) take(c byte) bool {
	if r.peek() != c {
		return false
	}
	r.at++
	return true
}

func (r *jsonReader) expect(c byte, where string) error {
	if r.take(c) {
		return nil
	}
	if r.at == len(r.src.Text) {
		return r.errorf(r.at, "the file ends where %q is expected %s", c, where)
	}
	return r.errorf(r.at, "expected %q %s", c, where)
}

func (r *jsonReader) object(f *File) error {
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

func (r *jsonReader) member(f *File) error {
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
		f.add(a)
	case r.skip(start):
		f.refuse(name, err)
	default:
		return err
	}
	return nil
}

// skip passes over the value that begins at a place; false if the brackets and quotes there have no end.
func (r *jsonReader) skip(start int) bool {
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

// afterBracket returns the first byte in a list that is not space.
func (r *jsonReader) afterBracket() byte {
	inside := *r
	inside.at++
	return inside.peek()
}

// text reads a string in quotes.
func (r *jsonReader) text() (string, error) {
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
