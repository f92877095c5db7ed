package datafile

import (
	"archive/zip"
	"bytes"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"ppl/compiler/datasets/datafile/content"
	"ppl/numbers"
)

// archiveOf returns a ZIP archive of files; files alternates names and texts.
func archiveOf(t *testing.T, files ...string) string {
	t.Helper()
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	for i := 0; i < len(files); i += 2 {
		w, err := z.Create(files[i])
		if err == nil {
			_, err = w.Write([]byte(files[i+1]))
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// A table has the same contents, including missing values, if it is read from CSV, JSON, JSON Lines and archives of
// them.
func TestOneTableInManyFormats(t *testing.T) {
	const csv = "g,x,y\nb,1.5,1\na,NA,2\nb,-3,3\n"
	const lines = `{"g": "b", "x": 1.5, "y": 1}
{"y": 2, "g": "a"}

{"g": "b", "x": -3, "y": 3}
`
	want, err := Parse("t.csv", []byte(csv))
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ name, text string }{
		{"t.json", `[{"g": "b", "x": 1.5, "y": 1}, {"y": 2, "g": "a", "x": null}, {"g": "b", "x": -3, "y": 3}]`},
		{"t.jsonl", lines}, {"t.ndjson", strings.ReplaceAll(lines, "\n", "\r\n")}, {"t.json", lines},
		{"t.jsonl", "\ufeff" + lines},
		{"t.zip", archiveOf(t, "t.csv", csv)},
		{"t.csv.zip", archiveOf(t, "data/", "", "data/t.csv", csv, "__MACOSX/t.csv", "?")},
		{"t.zip", archiveOf(t, "t.jsonl", lines)},
	} {
		got, err := Parse(c.name, []byte(c.text))
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		same := cmp.Options{cmpopts.EquateNaNs(), cmpopts.IgnoreUnexported(content.File{}),
			cmpopts.IgnoreFields(content.Array{}, "Origin", "Zeros", "Dialect"),
			cmpopts.IgnoreFields(content.File{}, "Path"),
			cmp.Transformer("numbers", func(l numbers.List) []float64 { return l.Doubles() })}
		if d := cmp.Diff(want, got, same); d != "" {
			t.Errorf("%s:\n%s", c.name, d)
		}
	}
}

func TestArchivesThatAreRefused(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{archiveOf(t, "data/", ""), "a.zip: the archive has no files"},
		{archiveOf(t, "a.csv", "x\n1\n", "b.csv", "x\n1\n"), "a.zip: the archive has 2 files; unpack it"},
		{archiveOf(t, "a.zip", archiveOf(t, "a.csv", "x\n1\n")), "a.zip: its file a.zip is compressed itself"},
		{archiveOf(t, "a.gz", "\x1f\x8b\x08"), "a.zip: its file a.gz is compressed itself"},
		{archiveOf(t, "a", "x\n1\n"), "the name of its file, a, has no ending that shows the format"},
		{archiveOf(t, "a.csv", "x,y\n1\n"), "a.zip#a.csv:2: row 1 has 1 fields"},
		{archiveOf(t, "xl/workbook.xml", ""), "a.zip: the file is a spreadsheet workbook"},
	} {
		if f, err := Parse("a.zip", []byte(c.text)); f != nil || err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v, want %q", err, c.want)
		}
	}
}
