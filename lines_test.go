package ppl_test

import (
	"bytes"
	"go/scanner"
	"go/token"
	"os"
	"os/exec"
	"strings"
	"testing"
	"unicode/utf8"
)

// columns is the width of a line; a tab counts as four.
const columns = 120

// TestLines holds Go files to a width, raw strings aside: they are text for others. `make lines` runs it.
func TestLines(t *testing.T) {
	if os.Getenv("PPL_LINES") == "" {
		t.Skip("make lines runs it")
	}
	out, err := exec.Command("git", "ls-files", "*.go").Output()
	if err != nil {
		t.Skip(err)
	}
	for _, name := range strings.Fields(string(out)) {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		for _, line := range longLines(text) {
			t.Errorf("%s:%d: more than %d columns", name, line, columns)
		}
	}
}

func TestLongLines(t *testing.T) {
	fits, long := "// "+strings.Repeat("é", columns-3), "//  "+strings.Repeat("é", columns-3)
	text := strings.Join([]string{"package p", fits, long, "var s = `", long, "`", "\t" + fits[:len(fits)-6]}, "\n")
	if got := longLines([]byte(text)); len(got) != 2 || got[0] != 3 || got[1] != 7 {
		t.Errorf("long lines %v, want 3 and 7", got)
	}
}

// longLines are the numbers of lines that are too long.
func longLines(text []byte) (long []int) {
	raw := rawLines(text)
	for i, line := range bytes.Split(text, []byte("\n")) {
		if utf8.RuneCount(line)+3*bytes.Count(line, []byte("\t")) > columns && !raw[i+1] {
			long = append(long, i+1)
		}
	}
	return long
}

// rawLines are the lines that a raw string is on.
func rawLines(text []byte) map[int]bool {
	files := token.NewFileSet()
	file := files.AddFile("", -1, len(text))
	var s scanner.Scanner
	s.Init(file, text, nil, 0)
	lines := map[int]bool{}
	for {
		at, kind, literal := s.Scan()
		if kind == token.EOF {
			return lines
		}
		if kind == token.STRING && literal[0] == '`' {
			first := file.Line(at)
			for k := range strings.Count(literal, "\n") + 1 {
				lines[first+k] = true
			}
		}
	}
}
