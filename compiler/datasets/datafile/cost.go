package datafile

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"

	"ppl/lang/source"
	"ppl/runtime/sys/memory"
)

// What reading a file whole takes was measured as the largest memory of `ppl check`, less that of an empty model, on
// files of which nearly all is one thing: fields, lines, names of columns, texts, numbers. It is counted before memory
// is taken, so that a small file that holds much is refused and not read until the machine has no memory left.

// A cost is what a text takes to read, in bytes of memory.
type cost struct {
	each  int64          // of every byte
	of    map[byte]int64 // beyond that, of bytes that end a field, an element or a line
	first map[byte]int64 // of them in the first line, which names columns; nil: as in others
}

// keptCost is the least that a byte of a file takes: it is there as it was read, and as a text.
const keptCost = 2

// highestCost is the most that a byte of any file takes, other than of a compressed one.
const highestCost = packedCost * 512

// containerCost is what a byte takes of a file that compresses by itself and is not known better yet.
const containerCost = 10

// numberCost is what a number of an array of numbers takes, beyond the bytes of its file.
const numberCost = 44

// Costs of the formats that are text. A byte of one long field of a table takes 11.5.
func tableCost() cost {
	return cost{12, map[byte]int64{',': 55, ';': 55, '\t': 55, '\n': 130},
		map[byte]int64{',': 500, ';': 500, '\t': 500, '\n': 500}}
}

func jsonCost() cost {
	return cost{5, map[byte]int64{',': 110, '"': 25, ':': 400, '\n': 35}, nil}
}

// tokenCost is that of a text of which each byte may be a character and a word.
func tokenCost() cost { return cost{each: 60} }

// arrayCost is that of numbers of that many bytes.
func arrayCost(size int) cost { return cost{each: keptCost + int64((numberCost+size-1)/size)} }

// costOf is that of a file that is not compressed and begins so. Formats that compress by themselves (.npz, Parquet,
// Arrow) count what they hold when they know it.
func costOf(path string, start []byte) cost {
	if h, ok := headerOf(path, string(start[:min(len(start), 1<<16)])); ok {
		return arrayCost(h.kind.size)
	}
	path = strings.ToLower(path)
	switch text := !bytes.ContainsRune(start, 0); {
	case strings.HasSuffix(path, ".bin"):
		return arrayCost(1)
	case text && (strings.HasSuffix(path, ".csv") || strings.HasSuffix(path, ".tsv") ||
		strings.HasSuffix(path, ".tab")):
		return tableCost()
	case text && strings.HasSuffix(path, ".txt"):
		return tokenCost()
	case text && (strings.HasSuffix(path, ".json") || strings.HasSuffix(path, ".jsonl") ||
		strings.HasSuffix(path, ".ndjson") || strings.HasSuffix(path, ".r") ||
		bytes.HasPrefix(bytes.TrimSpace(start), []byte("{"))):
		return jsonCost()
	}
	return cost{each: containerCost}
}

// A counter is a writer that adds up the memory that parsing the text written to it takes, and fails if that exceeds
// the available memory.
type counter struct {
	cost
	left  int64 // bytes of memory
	bytes int64 // of the text
}

var errTooMuch = errors.New("there is too little memory")

// Write counts a part of the text.
func (m *counter) Write(p []byte) (int, error) {
	m.bytes += int64(len(p))
	m.left -= m.each * int64(len(p))
	rest := p
	if m.first != nil {
		line, more, ended := bytes.Cut(p, []byte("\n"))
		m.count(line, m.first)
		rest = more
		if ended {
			m.first = nil
		}
	}
	m.count(rest, m.of)
	if m.left < 0 {
		return 0, errTooMuch
	}
	return len(p), nil
}

func (m *counter) count(p []byte, of map[byte]int64) {
	for c, each := range of {
		m.left -= each * int64(bytes.Count(p, []byte{c}))
	}
}

func (s RowCache) memory() int64 { return max(s.Memory, memory.LeastForReading) }

func (s RowCache) counter(c cost) *counter { return &counter{cost: c, left: s.memory()} }

// fits returns an error for a text that would not fit into memory.
func (s RowCache) fits(path string, c cost, text io.Reader) error {
	return s.within(path, s.counter(c), text)
}

func (s RowCache) within(path string, m *counter, text io.Reader) error {
	_, err := io.Copy(m, text)
	switch {
	case errors.Is(err, errTooMuch):
		return s.expands(path, m.bytes)
	case err != nil:
		return fmt.Errorf("%s: %w", path, cause(err))
	}
	return nil
}

// expands returns an error for a file, or a stream, that holds that much or more, which is more than fits into memory.
func (s RowCache) expands(path string, holds int64) error {
	return fmt.Errorf("%s holds at least %s, and reading them takes more than the %s of memory that there are; "+
		"--max-memory SIZE says what there is, and rows of a CSV or .npy file that is not compressed can be read "+
		"from disk",
		path, source.Bytes(holds), source.Bytes(s.memory()))
}
