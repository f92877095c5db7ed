package diag

import (
	"slices"
	"strings"
	"testing"

	"ppl/lang/source"
)

// spanOf is the place of the first occurrence of part.
func spanOf(f *source.File, part string) source.Span {
	i := strings.Index(f.Text, part)
	return source.Span{File: f, Start: i, End: i + len(part)}
}

func TestRender(t *testing.T) {
	f := source.New("m.ppl", "sigma ~ HalfNormal(1)\n\ty ~ Normal(\"数据\", sgima)\n\x1b[2Jx = 1\r\nfoo(\n  bar)\n")
	end := source.Span{File: f, Start: len(f.Text), End: len(f.Text)}
	var l List
	l.Errorf("E10", spanOf(f, "sgima"), "`%s` is not defined", "sgima").
		Related(spanOf(f, "sigma"), "`sigma` is here").Help("did you mean `sigma`?")
	l.Warnf("W01", spanOf(f, "x = 1"), "an escape is shown, not sent")
	l.Notef("", spanOf(f, "foo(\n  bar)"), "only the first line is marked")
	l.Errorf("E00", end, "at the end")
	l.Errorf("E34", source.Span{}, "no place")
	want := `m.ppl:2:19: error[E10]: ` + "`sgima`" + ` is not defined
  2 |     y ~ Normal("数据", sgima)
    |                        ^^^^^
  m.ppl:1:1: ` + "`sigma`" + ` is here
  1 | sigma ~ HalfNormal(1)
    | ^^^^^
  help: did you mean ` + "`sigma`?" + `

m.ppl:3:5: warning[W01]: an escape is shown, not sent
  3 | �[2Jx = 1
    |     ^^^^^

m.ppl:4:1: note: only the first line is marked
  4 | foo(
    | ^^^^

m.ppl:6:1: error[E00]: at the end
  6 |
    | ^

error[E34]: no place
`
	var b strings.Builder
	Render(&b, l.All(), false)
	if b.String() != want {
		t.Errorf("got\n%s\nwant\n%s", b.String(), want)
	}
}

// Of a long line, the part around the span is shown, and no character is cut in two.
func TestRenderLongLine(t *testing.T) {
	f := source.New("m.ppl", strings.Repeat("ä", 500)+"here"+strings.Repeat("ö", 500))
	for _, at := range []source.Span{spanOf(f, "here"), {File: f, Start: 0, End: len(f.Text)},
		{File: f, Start: len(f.Text) - 2, End: len(f.Text)}} {
		var b strings.Builder
		Render(&b, []Diagnostic{{Span: at, Message: "m"}}, false)
		lines := strings.Split(b.String(), "\n")
		shown, marked := []rune(lines[1]), []rune(lines[2])
		if len(shown) > 6+2*excerptBytes || !strings.Contains(lines[1], "…") ||
			strings.ContainsRune(lines[1], '\uFFFD') {
			t.Errorf("shown is %q", lines[1])
		}
		if first := shown[slices.Index(marked, '^')]; first != []rune(at.Text())[0] {
			t.Errorf("the mark begins under %c, want %c", first, []rune(at.Text())[0])
		}
	}
}

// Colour adds only escape sequences, and the last one resets the colour.
func TestRenderInColour(t *testing.T) {
	f := source.New("m.ppl", "x = y\n")
	var l List
	l.Errorf("E10", spanOf(f, "y"), "`y` is not defined").Related(spanOf(f, "x"), "needed here").Help("define it")
	var plain, colour strings.Builder
	Render(&plain, l.All(), false)
	Render(&colour, l.All(), true)
	p := palettes[true]
	none := strings.NewReplacer(p.bold, "", p.dim, "", p.reset, "", p.severity[Error], "").Replace(colour.String())
	if none != plain.String() || colour.String() == plain.String() {
		t.Errorf("%q without colour is %q, want %q", colour.String(), none, plain.String())
	}
	if i := strings.LastIndex(colour.String(), "\x1b["); !strings.HasPrefix(colour.String()[i:], p.reset) {
		t.Errorf("%q leaves the colour on", colour.String())
	}
}

func TestListOrder(t *testing.T) {
	a, b := source.New("a.ppl", "one\ntwo\n"), source.New("b.ppl", "one\n")
	var l List
	l.Warnf("5", source.Span{}, "no place")
	l.Warnf("4", spanOf(b, "one"), "other file")
	l.Warnf("2", spanOf(a, "two"), "first of its place")
	l.Warnf("3", spanOf(a, "two"), "second of its place")
	l.Warnf("1", spanOf(a, "one"), "first")
	if l.HasErrors() {
		t.Error("warnings are not errors")
	}
	var got []string
	for _, d := range l.All() {
		got = append(got, string(d.Code))
	}
	if want := []string{"1", "2", "3", "4", "5"}; !slices.Equal(got, want) {
		t.Errorf("order %v, want %v", got, want)
	}
	l.Errorf("6", source.Span{}, "an error")
	if !l.HasErrors() || l.Len() != 6 {
		t.Errorf("HasErrors %v, Len %d", l.HasErrors(), l.Len())
	}
}

func TestNearest(t *testing.T) {
	for _, c := range []struct {
		name       string
		candidates []string
		want       string // "" if none is near
	}{
		{"sgima", []string{"mu", "sigma", "sigma_y"}, "sigma"},
		{"log_radn", []string{"log_radon", "log_random"}, "log_radon"},
		{"normal", []string{"Normal", "LogNormal"}, "Normal"},
		{"n", []string{"k", "N"}, "N"},
		{"x", []string{"y", "z"}, ""},
		{"mu", []string{"nu", "phi"}, "nu"},
		{"Raschh", []string{"rescale", "PartialCredit"}, ""},
		{"Catagorical", []string{"Categorical", "OrderedLogistic"}, "Categorical"},
		{"beta", []string{"beta"}, ""}, // the name itself is not a suggestion
		{"abcdefghijklmno", []string{"abcd"}, ""},
		{"", []string{"a"}, ""},
	} {
		got, ok := Nearest(c.name, c.candidates)
		if got != c.want || ok != (c.want != "") {
			t.Errorf("Nearest(%q, %v) = %q, %v, want %q", c.name, c.candidates, got, ok, c.want)
		}
	}
}

// A percent sign in a name is not a formatting verb.
func TestMeantAmong(t *testing.T) {
	for name, want := range map[string]string{"rate%": "did you mean `rate%d`?", "size": "there are two"} {
		if got := MeantAmong([]string{"rate%d", "mu"}, "`%s`", name, "there are two"); got != want {
			t.Errorf("%s: %s", name, got)
		}
	}
}

// Distances by hand. For "ca" and "abc", optimal string alignment gives 3, and the unrestricted distance 2.
func TestDistance(t *testing.T) {
	for _, c := range []struct {
		a, b string
		want int
	}{
		{"", "", 0}, {"", "abc", 3}, {"kitten", "sitting", 3}, {"ab", "ba", 1}, {"ca", "abc", 3},
		{"größe", "grösse", 2},
	} {
		if got := distance(c.a, c.b); got != c.want {
			t.Errorf("distance(%q, %q) = %d, want %d", c.a, c.b, got, c.want)
		}
		if got := distance(c.b, c.a); got != c.want {
			t.Errorf("distance(%q, %q) = %d, want %d", c.b, c.a, got, c.want)
		}
	}
}

// A message that quotes a file contains no control characters and is not very long.
func TestPrintable(t *testing.T) {
	if got, want := Printable("a\tb\n\x1b[2Jc\u202e"), "a    b\n\ufffd[2Jc\ufffd"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	long := Printable(strings.Repeat("é", 1<<20))
	if len(long) > 3*longestWord || !strings.Contains(long, "… (") || strings.ContainsRune(long, '\ufffd') {
		t.Errorf("%d bytes", len(long))
	}
}

// A message that quotes a text as long as a file is cut in the middle, and its end is kept.
func TestLongMessage(t *testing.T) {
	var l List
	l.Errorf("E57", source.Span{}, "`x` is text: %s (row 1)", strings.Repeat("ä", 1<<20)).
		Help("look at %s", strings.Repeat("b", 1<<20))
	d := l.All()[0]
	if len(d.Message) > 3*longestWord || !strings.HasSuffix(d.Message, "ä (row 1)") ||
		!strings.Contains(d.Message, " bytes left out") || len(d.Help) > 2*longestAll {
		t.Errorf("%d bytes, %d of help: …%s", len(d.Message), len(d.Help), d.Message[len(d.Message)-20:])
	}
}
