package main

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime/debug"
	"strings"
	"testing"
	"time"
)

var noon = time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC)

func sample() []file {
	return []file{{name: "LICENSE", data: []byte("Apache")}, {name: "ppl", data: []byte{0x7f, 'E'}, program: true}}
}

// Archives of the same files have the same bytes, and the program in them is executable.
func TestArchives(t *testing.T) {
	for name, write := range map[string]func(io.Writer, string, []file, time.Time) error{"tar": tarred, "zip": zipped} {
		var first, second bytes.Buffer
		if err := write(&first, "ppl-1.0", sample(), noon); err != nil {
			t.Fatal(err)
		}
		if err := write(&second, "ppl-1.0", sample(), noon.In(time.FixedZone("east", 7200))); err != nil {
			t.Fatal(err)
		}
		if name == "tar" && !bytes.Equal(first.Bytes(), second.Bytes()) {
			t.Errorf("%s: two archives of the same files differ", name)
		}
		modes := modesIn(t, name, first.Bytes())
		if modes["ppl-1.0/ppl"] != 0o755 || modes["ppl-1.0/LICENSE"] != 0o644 {
			t.Errorf("%s: modes %v", name, modes)
		}
	}
}

func modesIn(t *testing.T, kind string, data []byte) map[string]int64 {
	t.Helper()
	modes := map[string]int64{}
	if kind == "zip" {
		r, err := zip.NewReader(bytes.NewReader(data), int64(len(data)))
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range r.File {
			modes[f.Name] = int64(f.Mode())
		}
		return modes
	}
	packed, err := gzip.NewReader(bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	r := tar.NewReader(packed)
	for {
		head, err := r.Next()
		if err != nil {
			return modes
		}
		modes[head.Name] = head.Mode
	}
}

// The licences of all linked modules are included, and a module without one is an error.
func TestLicences(t *testing.T) {
	var b bytes.Buffer
	if err := licencesIn(&b, "x", t.TempDir()); err == nil || !strings.Contains(err.Error(), "x has no licence") {
		t.Errorf("a folder without a licence: %v", err)
	}
	if testing.Short() {
		t.Skip("lists the modules of the program")
	}
	out, err := exec.Command("go", "list", "-deps", "-f", "{{with .Module}}{{.Path}} {{.Version}}{{end}}",
		"ppl/cmd/ppl").Output()
	if err != nil {
		t.Fatal(err)
	}
	var modules []*debug.Module
	for line := range strings.Lines(string(out)) {
		if name, version, ok := strings.Cut(strings.TrimSpace(line), " "); ok && version != "" {
			modules = append(modules, &debug.Module{Path: name, Version: version})
		}
	}
	r := &release{goTool: "go"}
	text, err := r.licences(modules)
	if err != nil {
		t.Fatal(err)
	}
	for _, of := range []string{"gorgonia.org/gorgonia v", "the Go standard library: LICENSE", "parquet-go v"} {
		if !strings.Contains(string(text), of) {
			t.Errorf("the licences lack %s", of)
		}
	}
}

// Formulas contain the archives' names and checksums, and state which archives were not built.
func TestFormulas(t *testing.T) {
	r := &release{version: "1.2", out: t.TempDir()}
	r.sums = map[string]string{"ppl-1.2-linux-amd64.tar.gz": "aaa", "ppl-1.2-linux-amd64.deb": "bbb",
		"ppl-1.2-linux-amd64.cdx.json": "ccc"}
	if err := r.formulas(); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(filepath.Join(r.out, "ppl.rb"))
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"ppl-1.2-linux-amd64.tar.gz\"\n      sha256 \"aaa\"", "not built",
		"version \"1.2\""} {
		if !strings.Contains(string(text), want) {
			t.Errorf("the formula lacks %q:\n%s", want, text)
		}
	}
}

func TestPlaces(t *testing.T) {
	for name, want := range map[string]string{"ppl": "/usr/bin/ppl", "man/man1/ppl.1": "/usr/share/man/man1/ppl.1",
		"LICENSE": "/usr/share/doc/ppl/copyright", "completion/ppl.ps1": "",
		"README.md": "/usr/share/doc/ppl/README.md"} {
		if got := placeIn(name); got != want {
			t.Errorf("%s is in %q, not in %q", name, got, want)
		}
	}
	if v := packageVersion("0123abc"); v != "0.0.0+0123abc" {
		t.Error(v)
	}
}
