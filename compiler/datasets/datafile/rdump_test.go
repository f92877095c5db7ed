package datafile

import (
	"fmt"
	"strings"
	"testing"
)

// What R's dump writes is read as R has it: the first axis of an array runs fastest there, and slowest here.
func TestRDump(t *testing.T) {
	f, err := Parse("d.data.R", []byte(`# made by dump
N <- 3L
x <-
c(1.5, -2, .5e1)
"y" = 2:4
M <- structure(c(1, 2, 3, 4, 5, 6), .Dim = c(2L, 3L))
none <- integer(0)
flags <- c(TRUE, FALSE); down <- 3:1
who <- c("a", "b")
`))
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{"N": "[] [3]", "x": "[3] [1.5 -2 5]", "y": "[3] [2 3 4]",
		"M": "[2 3] [1 3 5 2 4 6]", "none": "[0] []", "flags": "[2] [1 0]", "down": "[3] [3 2 1]"} {
		a := f.Arrays[name]
		if a == nil {
			t.Errorf("`%s` is missing", name)
			continue
		}
		var values []float64
		for _, v := range a.Values.All() {
			values = append(values, v)
		}
		if got := fmt.Sprint(a.Shape, " ", values); got != want {
			t.Errorf("`%s` is %s, not %s", name, got, want)
		}
	}
}

// Texts are a mistake only where a model reads them.
func TestRDumpTexts(t *testing.T) {
	f, err := Parse("d.R", []byte(`who <- c("a", "b")
n <- 2`))
	if err != nil || f.Arrays["who"].Unread == nil || f.Arrays["n"].Unread != nil {
		t.Errorf("%v %v", f, err)
	}
}

func TestRDumpMistakes(t *testing.T) {
	for text, want := range map[string]string{
		"x <- c(1, 2":  "the file ends where `)` is expected",
		"x <- \n\nfoo": "d.R:3: `foo` is not a number",
		"x <- structure(c(1, 2), .Dim = c(2, 2))": "there are 2 numbers for 4 elements",
		"x <- structure(c(1), .Dim = c(1e9))":     "do not fit",
		"x 3":                                     "`3` is not expected here",
		"x <- 1\nx <- 2":                          "`x` is there twice",
		"x <- 1:1e300":                            "a range of more than",
		"x <- " + strings.Repeat("c(", 1000):      "nest more than 20 deep",
	} {
		if _, err := Parse("d.R", []byte(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v", text, err)
		}
	}
}
