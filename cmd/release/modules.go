package main

import (
	"bytes"
	"debug/buildinfo"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime/debug"
	"strings"
	"time"
)

// linked returns the modules of a program, as recorded by the linker.
func linked(program string) ([]*debug.Module, error) {
	info, err := buildinfo.ReadFile(program)
	if err != nil {
		return nil, err
	}
	for i, m := range info.Deps {
		if m.Replace != nil {
			info.Deps[i] = m.Replace
		}
	}
	return info.Deps, nil
}

var licenceName = regexp.MustCompile(`(?i)^(licen[cs]e|copying|notice|unlicense|patents)`)

// licences returns a text with the licences of the modules and of Go itself. A module without a licence is an error.
func (r *release) licences(modules []*debug.Module) ([]byte, error) {
	var b bytes.Buffer
	b.WriteString("ppl has the licence in LICENSE. These are the licences of what is linked into it.\n")
	root, err := exec.Command(r.goTool, "env", "GOROOT").Output()
	if err != nil {
		return nil, err
	}
	if err := licencesIn(&b, "the Go standard library", strings.TrimSpace(string(root))); err != nil {
		return nil, err
	}
	args := []string{"list", "-m", "-f", "{{.Path}}\t{{.Dir}}"}
	for _, m := range modules {
		args = append(args, m.Path)
	}
	out, err := exec.Command(r.goTool, args...).Output()
	if err != nil {
		return nil, fmt.Errorf("go list -m: %w", err)
	}
	dirs := map[string]string{}
	for line := range strings.Lines(string(out)) {
		path, dir, _ := strings.Cut(strings.TrimSpace(line), "\t")
		dirs[path] = dir
	}
	for _, m := range modules {
		if err := licencesIn(&b, m.Path+" "+m.Version, dirs[m.Path]); err != nil {
			return nil, err
		}
	}
	return b.Bytes(), nil
}

// licencesIn appends the licences in a folder.
func licencesIn(b *bytes.Buffer, of, dir string) error {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return err
	}
	found := false
	for _, e := range entries {
		if e.IsDir() || !licenceName.MatchString(e.Name()) {
			continue
		}
		text, err := os.ReadFile(filepath.Join(dir, e.Name()))
		if err != nil {
			return err
		}
		found = true
		fmt.Fprintf(b, "\n%s\n%s: %s\n\n%s\n", strings.Repeat("=", 80), of, e.Name(), bytes.TrimSpace(text))
	}
	if !found {
		return fmt.Errorf("%s has no licence in %s", of, dir)
	}
	return nil
}

// A component is an entry of a bill of materials.
type component struct {
	Type    string `json:"type"`
	Name    string `json:"name"`
	Version string `json:"version"`
	PURL    string `json:"purl,omitempty"`
}

// billOfMaterials writes the modules of a program in the format CycloneDX 1.5 (https://cyclonedx.org/docs/1.5/json).
func billOfMaterials(w io.Writer, r *release, p platform, modules []*debug.Module) error {
	components := []component{}
	for _, m := range modules {
		components = append(components, component{"library", m.Path, m.Version,
			"pkg:golang/" + m.Path + "@" + m.Version})
	}
	encoder := json.NewEncoder(w)
	encoder.SetIndent("", "  ")
	return encoder.Encode(map[string]any{
		"bomFormat": "CycloneDX", "specVersion": "1.5", "version": 1,
		"metadata": map[string]any{"timestamp": r.at.Format(time.RFC3339),
			"component": component{"application", "ppl (" + p.String() + ")", r.version, ""}},
		"components": components,
	})
}
