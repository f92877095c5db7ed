package pagerun

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

const sample = "# Title\n\n```csv a.csv\nx\n1\n```\n\n```sh show\ncat a.csv\n```\n\n" +
	"```sh needs=no-such-program\nno\n```\n"

func TestBlocks(t *testing.T) {
	blocks := Blocks(sample)
	if len(blocks) != 3 {
		t.Fatalf("%d blocks", len(blocks))
	}
	if b := blocks[0]; b.Language != "csv" || b.File != "a.csv" || b.Text != "x\n1\n" || b.Commands() {
		t.Errorf("%+v", b)
	}
	if b := blocks[1]; !b.Show || !b.Commands() || sample[:b.End] != sample[:strings.Index(sample, "\n\n```sh needs")] {
		t.Errorf("%+v", b)
	}
	if b := blocks[2]; b.Needs != "no-such-program" || b.Commands() {
		t.Errorf("%+v", b)
	}
}

func TestOutput(t *testing.T) {
	dir, blocks := t.TempDir(), Blocks(sample)
	if err := WriteFiles(dir, blocks); err != nil {
		t.Fatal(err)
	}
	out, err := blocks[1].Output(dir, filepath.Join(dir, "ppl"))
	if out != "x\n1\n" || err != nil {
		t.Errorf("%q, %v", out, err)
	}
	if _, err = (Block{Text: "false\ntrue\n"}).Output(dir, "ppl"); err == nil {
		t.Error("a command that fails does not end the block")
	}
}

func TestExpand(t *testing.T) {
	read := func(path string) (string, error) {
		switch path {
		case "dir/page.md":
			return "# Page\n\nStart.\n\n## One\n\n" +
				"| a    | b |\n|------|---|\n![p](p.svg), [q](q.md)\n\n### Sub\n\ntext\n\n## Two\n", nil
		case "dir/m.ppl":
			return "x ~ Normal(0, 1)\n", nil
		}
		return "", fmt.Errorf("%s: %w", path, os.ErrNotExist)
	}
	for _, c := range [][2]string{
		{"a\n<!-- include dir/page.md#One -->\nb",
			"a\n| a | b |\n|---|---|\n![p](dir/p.svg), q (`q.md` in the repository)\n\n### Sub\n\ntext\nb"},
		{"<!-- include dir/page.md#Sub -->", "text"},
		{"<!-- include dir/m.ppl -->", "```ppl m.ppl\nx ~ Normal(0, 1)\n```"},
	} {
		if got, err := Expand(c[0], read); got != c[1] || err != nil {
			t.Errorf("%s: %v, got\n%s\nwant\n%s", c[0], err, got, c[1])
		}
	}
	for _, bad := range []string{"<!-- include dir/page.md#Three -->", "<!-- include no.md -->"} {
		if _, err := Expand(bad, read); err == nil {
			t.Errorf("%s is included", bad)
		}
	}
}

func TestScript(t *testing.T) {
	if got := Script(Blocks(sample)); got != "cat a.csv\n" {
		t.Errorf("%q", got)
	}
}
