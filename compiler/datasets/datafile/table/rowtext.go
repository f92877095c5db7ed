package table

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/unicode"
	"golang.org/x/text/transform"

	"ppl/compiler/datasets/datafile/stream"
)

// utf8Text returns a reader that converts a large table to UTF-8 with line feeds and returns an error for NUL bytes,
// like decodeText, oneKindOfLines and checkStart for a text in memory. windows reports whether the table is in
// Windows-1252.
func utf8Text(in *stream.Input, windows bool) (text *bufio.Reader, notes []string, err error) {
	const size = 1 << 20
	var utf transform.Transformer = encoding.UTF8Validator
	switch start, _ := in.Text.Peek(2); {
	case string(start) == "\xff\xfe" || string(start) == "\xfe\xff":
		utf = unicode.UTF16(unicode.LittleEndian, unicode.UseBOM).NewDecoder()
	case windows:
		utf = charmap.Windows1252.NewDecoder()
		notes = []string{windowsNote(in.Part())}
	}
	text = bufio.NewReaderSize(&textReader{in: transform.NewReader(in.Text, utf), path: in.Part(), part: in.At}, size)
	if start, _ := text.Peek(3); string(start) == "\ufeff" {
		if _, err := text.Discard(3); err != nil {
			return nil, nil, err
		}
	}
	if start, _ := text.Peek(1 << 16); bytes.ContainsRune(start, '\r') && !bytes.ContainsRune(start, '\n') {
		text = bufio.NewReaderSize(lineReader{text}, size)
	}
	return text, notes, nil
}

// startOf returns the complete lines in the first 64 KiB of a table.
func startOf(text *bufio.Reader) string {
	peeked, err := text.Peek(1 << 16)
	start := string(peeked)
	if at := strings.LastIndexByte(start, '\n'); at >= 0 && err == nil {
		start = start[:at+1]
	}
	return start
}

// A textReader returns an error for NUL bytes, and a Retyping if the text is not in UTF-8.
type textReader struct {
	in    io.Reader
	path  string
	part  int // number of the file in the data set
	lines int // number of lines read
	err   error
}

func (r *textReader) Read(p []byte) (n int, err error) {
	if r.err != nil {
		return 0, r.err
	}
	n, r.err = r.in.Read(p)
	if errors.Is(r.err, encoding.ErrInvalidUTF8) {
		r.err = stream.Retyping{Windows: true, Column: r.part}
	}
	at := bytes.IndexByte(p[:n], 0)
	if at >= 0 {
		n = at
	}
	r.lines += bytes.Count(p[:n], []byte("\n"))
	if at >= 0 {
		r.err = nulByte(r.path, r.lines+1)
	}
	return n, r.err
}

// An atLine is an error whose text names the line.
type atLine struct{ error }

func nulByte(path string, line int) error {
	return atLine{fmt.Errorf("%s:%d: the line has a NUL byte, so the file is not a valid text; export it again", path,
		line)}
}

// A lineReader replaces carriage returns by line feeds.
type lineReader struct{ in io.Reader }

func (r lineReader) Read(p []byte) (n int, err error) {
	n, err = r.in.Read(p)
	for i, c := range p[:n] {
		if c == '\r' {
			p[i] = '\n'
		}
	}
	return n, err
}
