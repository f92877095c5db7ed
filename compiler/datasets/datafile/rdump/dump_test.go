package rdump

import (
	"fmt"
	"strings"
	"testing"
)

// Values that R's dump writes are read correctly. In the file, the index of the first axis of an array changes fastest.
func TestRDump(t *testing.T) {
	f, err := Read("d.data.R", `# made by dump
N <- 3L
x <-
c(1.5, -2, .5e1)
"y" = 2:4
M <- structure(c(1, 2, 3, 4, 5, 6), .Dim = c(2L, 3L))
none <- integer(0)
flags <- c(TRUE, FALSE); down <- 3:1
who <- c("a", NA, "b")
`)
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{"N": "[] [3]", "x": "[3] [1.5 -2 5]", "y": "[3] [2 3 4]",
		"M": "[2 3] [1 3 5 2 4 6]", "none": "[0] []", "flags": "[2] [1 0]", "down": "[3] [3 2 1]",
		"who": "[3] [1 NaN 2]"} {
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

// Factors have all their levels, also those without rows. Dates are days. A data frame becomes its columns.
func TestRDumpDataFrame(t *testing.T) {
	f, err := Read("d.R", `structure(list(county = structure(c(2L, 1L, NA), levels = c("Z", "A", "none"),
class = "factor"), dose = structure(c(1L, 3L, 1L), .Label = c("low", "mid", "high"), class = c("ordered", "factor")),
day = structure(c(18000, NA, 1), class = "Date"), who = c("a\"b", NA, "\u00e9"), ok = c(TRUE, NA, FALSE),
`+"`ph.ecog`"+` = c(1.5, -2, NaN)), class = "data.frame", row.names = c(NA, -3L))`)
	if err != nil || !f.Table {
		t.Fatal(f, err)
	}
	for name, want := range map[string]string{
		"county":  "[3] [2 1 NaN] [Z A none] [Z A none] true",
		"dose":    "[3] [1 3 1] [low mid high] [low mid high] true",
		"day":     "[3] [18000 NaN 1] [] [] false",
		"who":     "[3] [1 NaN 2] [a\"b é] [] false",
		"ok":      "[3] [1 NaN 0] [] [] false",
		"ph.ecog": "[3] [1.5 -2 NaN] [] [] false",
	} {
		a := f.Arrays[name]
		if got := fmt.Sprint(a.Shape, a.Values, a.Labels, a.Levels, a.Ordered); got != want {
			t.Errorf("`%s` is %s, not %s", name, got, want)
		}
	}
	if !f.Arrays["day"].Days {
		t.Error("dates are not days")
	}
}

// Names of elements become Keys, like those of JSON objects.
func TestRDumpNames(t *testing.T) {
	f, err := Read("d.R", "x <- c(north = 1, `the south` = 2)\n"+
		"y <- structure(c(3, 4), names = c(\"u\", \"v\"))")
	if err != nil || fmt.Sprint(f.Arrays["x"].Keys, f.Arrays["y"].Keys) != "[[north the south]] [[u v]]" || f.Table {
		t.Error(f.Arrays["x"], f.Arrays["y"], err)
	}
}

func TestRDumpMistakes(t *testing.T) {
	for text, want := range map[string]string{
		"x <- c(1, 2":  "the file ends where `)` is expected",
		"x <- \n\nfoo": "d.R:3: `foo` is not a number",
		"x <- structure(c(1, 2), .Dim = c(2, 2))":    "the shape [2 2] needs 4 numbers, but there are 2",
		"x <- structure(c(1), .Dim = c(1e9))":        "does not fit",
		"x <- c(1, \"a\")":                           "a vector has numbers and texts",
		"x <- \"a":                                   "a text is not closed",
		"structure(list(1), class = \"data.frame\")": "a value has no name",
		"x 3":                                "expected `<-` here, but found `3`",
		"x <- 1\nx <- 2":                     "`x` is defined twice",
		"x <- 1:1e300":                       "a range may have at most",
		"x <- " + strings.Repeat("c(", 1000): "nested more than 20 deep",
	} {
		if _, err := Read("d.R", text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v", text, err)
		}
	}
}
