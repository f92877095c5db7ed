package main

import (
	"cmp"
	"embed"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"strings"
	"text/template"
	"time"
)

//go:embed formulas
var templates embed.FS

// packages builds packages for Debian and Red Hat with the external program nfpm (https://nfpm.goreleaser.com).
func (r *release) packages(p platform, work, program string, files []file) error {
	nfpm, err := exec.LookPath("nfpm")
	if errors.Is(err, exec.ErrNotFound) {
		fmt.Printf("%s: without packages for Debian and Red Hat: the program nfpm is missing\n", p)
		return nil
	}
	config, err := r.nfpmConfig(p, filepath.Join(work, "files-"+p.String()), program, files)
	if err != nil {
		return err
	}
	for _, kind := range []string{"deb", "rpm"} {
		name := r.named(p) + "." + kind
		cmd := exec.Command(nfpm, "package", "-f", config, "-p", kind, "-t", filepath.Join(r.out, name))
		cmd.Env = append(os.Environ(), fmt.Sprint("SOURCE_DATE_EPOCH=", r.at.Unix()))
		if out, err := cmd.CombinedOutput(); err != nil {
			return fmt.Errorf("nfpm: %w: %s", err, out)
		}
		if err := r.add(name); err != nil {
			return err
		}
	}
	return nil
}

// placeIn returns the path of an archive's file in a Linux system, or "" for files that packages omit.
func placeIn(name string) string {
	switch {
	case name == "ppl":
		return "/usr/bin/ppl"
	case strings.HasPrefix(name, "man/"):
		return "/usr/share/" + name
	case name == "completion/ppl.bash":
		return "/usr/share/bash-completion/completions/ppl"
	case name == "completion/_ppl":
		return "/usr/share/zsh/vendor-completions/_ppl"
	case name == "completion/ppl.fish":
		return "/usr/share/fish/vendor_completions.d/ppl.fish"
	case name == "LICENSE":
		return "/usr/share/doc/ppl/copyright"
	case strings.HasPrefix(name, "completion/"):
		return ""
	}
	return "/usr/share/doc/ppl/" + name
}

// nfpmConfig writes the files of a package and its configuration, and returns the path of the configuration. It is
// JSON, which is also YAML.
func (r *release) nfpmConfig(p platform, dir, program string, files []file) (string, error) {
	type attributes struct {
		Mode int       `json:"mode"`
		Time time.Time `json:"mtime"`
	}
	type content struct {
		From string     `json:"src"`
		To   string     `json:"dst"`
		Info attributes `json:"file_info"`
	}
	contents := []content{}
	for _, f := range files {
		to := placeIn(f.name)
		if to == "" {
			continue
		}
		from := filepath.Join(dir, path.Clean(f.name))
		if err := os.MkdirAll(filepath.Dir(from), 0o777); err != nil {
			return "", err
		}
		if err := os.WriteFile(from, f.data, 0o666); err != nil {
			return "", err
		}
		contents = append(contents, content{from, to, attributes{int(f.mode()), r.at}})
	}
	data, err := json.Marshal(map[string]any{
		"name": "ppl", "arch": p.arch, "platform": "linux", "version": packageVersion(r.version), "section": "math",
		"maintainer": "The ppl authors <ppl@example.org>", "license": "Apache-2.0", "mtime": r.at,
		"description": "Bayesian models from priors and likelihoods to draws, with the inference inside.",
		"recommends":  []string{"gcc"}, "contents": contents,
	})
	if err != nil {
		return "", err
	}
	config := filepath.Join(dir, "nfpm.json")
	return config, os.WriteFile(config, data, 0o666)
}

var hasRelease = regexp.MustCompile(`^[0-9]+(\.[0-9]+)+`)

// packageVersion returns a version that is valid for packages. It begins with 0.0.0 for a build without a tag.
func packageVersion(version string) string {
	if hasRelease.MatchString(version) {
		return version
	}
	return "0.0.0+" + version
}

// formulas writes the files for package managers from the templates in the folder formulas.
func (r *release) formulas() error {
	all, err := template.New("").Option("missingkey=error").ParseFS(templates, "formulas/*")
	if err != nil {
		return err
	}
	values := map[string]any{"Version": packageVersion(r.version), "URL": "https://example.org/ppl/" + r.version}
	for _, p := range platforms() {
		name := r.archive(p)
		values[strings.ReplaceAll(p.String(), "-", "_")] = map[string]string{"Name": name,
			"SHA256": cmp.Or(r.sums[name], "not built")}
	}
	for _, t := range all.Templates() {
		if t.Name() == "" {
			continue
		}
		if err := r.write(t.Name(), func(w *os.File) error { return t.Execute(w, values) }); err != nil {
			return err
		}
	}
	return nil
}
