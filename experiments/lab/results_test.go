package lab

import "testing"

func TestSection(t *testing.T) {
	text := replaceSection("", "# A\n", "one", "1\n\n")
	text = replaceSection(text, "# A\n", "two", "2")
	text = replaceSection(text, "# B\nnew\n", "one", "3")
	if want := "# B\nnew\n\n## one\n\n3\n\n## two\n\n2\n"; text != want {
		t.Errorf("got %q, want %q", text, want)
	}
}
