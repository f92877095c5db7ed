package check_test

import (
	"bytes"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"ppl/compiler/frontend/check"
	"ppl/lang/diag"
	"ppl/lang/parse"
	"ppl/lang/source"
)

var update = flag.Bool("update", false, "rewrite the expected diagnostics")

// Every archive in testdata holds models (NAME.ppl), each followed by what the checker reports of it (NAME.want).
func TestEveryMistakeIsReportedAsExpected(t *testing.T) {
	paths, err := filepath.Glob("testdata/*.txtar")
	if err != nil || len(paths) == 0 {
		t.Fatal("no golden files", err)
	}
	for _, path := range paths {
		t.Run(strings.TrimSuffix(filepath.Base(path), ".txtar"), func(t *testing.T) { golden(t, path) })
	}
}

func golden(t *testing.T, path string) {
	ar, err := txtar.ParseFile(path)
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]string{}
	out := &txtar.Archive{Comment: ar.Comment}
	for _, f := range ar.Files {
		want[f.Name] = string(f.Data)
	}
	for _, f := range ar.Files {
		name, isModel := strings.CutSuffix(f.Name, ".ppl")
		if !isModel {
			continue
		}
		got := say(f.Name, string(f.Data))
		out.Files = append(out.Files, f, txtar.File{Name: name + ".want", Data: []byte(got)})
		if !*update && got != want[name+".want"] {
			t.Errorf("%s: the checker says\n%s\nwant\n%s", f.Name, got, want[name+".want"])
		}
		if code, _, ok := strings.Cut(name, "-"); ok && code != "ok" && !strings.Contains(got, "["+code+"]") {
			t.Errorf("%s does not cause %s:\n%s", f.Name, code, got)
		}
		if strings.HasPrefix(name, "ok") && got != "" {
			t.Errorf("%s is right, but the checker says\n%s", f.Name, got)
		}
	}
	if *update {
		if err := os.WriteFile(path, txtar.Format(out), 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

func say(name, text string) string {
	file, ds := parse.File(source.New(name, text))
	if !diag.HasErrors(ds) {
		_, more := check.File(file, nil)
		ds = append(ds, more...)
	}
	var b bytes.Buffer
	diag.Render(&b, ds, false)
	return b.String()
}

// The checker must terminate without a panic for every syntax tree.
func FuzzCheck(f *testing.F) {
	paths, _ := filepath.Glob("testdata/*.txtar")
	for _, path := range paths {
		ar, err := txtar.ParseFile(path)
		if err != nil {
			f.Fatal(err)
		}
		for _, file := range ar.Files {
			if strings.HasSuffix(file.Name, ".ppl") {
				f.Add(string(file.Data))
			}
		}
	}
	f.Fuzz(func(t *testing.T, text string) { say("fuzz.ppl", text) })
}
