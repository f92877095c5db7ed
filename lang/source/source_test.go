package source

import "testing"

func TestPosition(t *testing.T) {
	f := New("m.ppl", "ab\nñandú x\n\nend")
	for _, c := range []struct{ offset, line, column int }{
		{0, 1, 1}, {2, 1, 3}, {3, 2, 1}, {5, 2, 2}, {11, 2, 7}, {12, 2, 8}, {13, 3, 1}, {14, 4, 1}, {17, 4, 4},
		{99, 4, 4}, {-1, 1, 1},
	} {
		if line, column := f.Position(c.offset); line != c.line || column != c.column {
			t.Errorf("offset %d is %d:%d, want %d:%d", c.offset, line, column, c.line, c.column)
		}
	}
	for i, want := range []string{"", "ab", "ñandú x", "", "end", ""} {
		if got := f.Line(i); got != want {
			t.Errorf("line %d is %q, want %q", i, got, want)
		}
	}
}

func TestSpans(t *testing.T) {
	f := New("m.ppl", "abcdef")
	a, b := Span{f, 1, 2}, Span{f, 4, 5}
	if got := b.To(a); got.Text() != "bcde" {
		t.Errorf("%q", got.Text())
	}
	if got := (Span{}).To(a); got != a || a.To(Span{}) != a {
		t.Errorf("a span joined with an invalid one must not change, got %v", got)
	}
	if (Span{}).Valid() || (Span{}).Text() != "" {
		t.Error("the zero span has no place")
	}
}
