// Command release builds the files to publish: for each platform an archive with the program, its manual pages,
// completion scripts, examples and the licences of all linked modules; packages for Debian and Red Hat, if the program
// nfpm is installed; a list of the modules (CycloneDX); formulas for package managers; and checksums.
//
//	go run ./cmd/release -out dist
//
// The same commit gives the same bytes: times are that of the commit, names are sorted, and paths are omitted.
// See https://reproducible-builds.org/docs/ for the reasons.
package main

import (
	"cmp"
	"crypto/sha256"
	"flag"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"time"
)

// A platform is a target of the build.
type platform struct {
	os, arch string
	static   bool // without glibc's loader, for Alpine and other musl systems; cannot run compiled models
}

func (p platform) String() string {
	if p.static {
		return "musl-" + p.arch
	}
	return p.os + "-" + p.arch
}

// platforms returns the published platforms. Windows on arm64 and macOS are compiled but not tested.
func platforms() []platform {
	return []platform{{"linux", "amd64", false}, {"linux", "arm64", false}, {"linux", "amd64", true},
		{"linux", "arm64", true}, {"darwin", "amd64", false}, {"darwin", "arm64", false}, {"windows", "amd64", false},
		{"windows", "arm64", false}}
}

// A release holds a version and the files built for it.
type release struct {
	version string
	commit  string
	at      time.Time // time of the commit
	out     string
	goTool  string
	sums    map[string]string // SHA-256 of the files in out, by name
}

func main() {
	out := flag.String("out", "dist", "the `folder` to which the release is written; its earlier content is deleted")
	only := flag.String("only", "", "build these `platforms` alone, such as linux-amd64,musl-amd64")
	goTool := flag.String("go", "go", "the Go `command`")
	flag.Parse()
	if err := run(*out, *only, *goTool); err != nil {
		fmt.Fprintln(os.Stderr, "release:", err)
		os.Exit(1)
	}
}

func run(out, only, goTool string) error {
	chosen, err := choose(only)
	if err != nil {
		return err
	}
	r := &release{version: described(), commit: commit(), at: commitTime(), out: out, goTool: goTool,
		sums: map[string]string{}}
	if err := os.RemoveAll(out); err != nil {
		return err
	}
	if err := os.MkdirAll(out, 0o777); err != nil {
		return err
	}
	work, err := os.MkdirTemp("", "ppl-release")
	if err != nil {
		return err
	}
	defer os.RemoveAll(work)
	pages, err := r.pages(work)
	if err != nil {
		return err
	}
	for _, p := range chosen {
		if err := r.build(p, work, pages); err != nil {
			return fmt.Errorf("%s: %w", p, err)
		}
	}
	return r.conclude()
}

func choose(only string) (chosen []platform, err error) {
	if only == "" {
		return platforms(), nil
	}
	for name := range strings.SplitSeq(only, ",") {
		i := slices.IndexFunc(platforms(), func(p platform) bool { return p.String() == name })
		if i < 0 {
			return nil, fmt.Errorf("unknown platform %q; available: %v", name, platforms())
		}
		chosen = append(chosen, platforms()[i])
	}
	return chosen, nil
}

// described returns the version from the git tag: 1.2 for v1.2, and 1.2-3-g0123abc three commits later.
func described() string {
	out, err := exec.Command("git", "describe", "--tags", "--always", "--dirty").Output()
	if err != nil {
		return "unknown"
	}
	return strings.TrimPrefix(strings.TrimSpace(string(out)), "v")
}

// commit returns the hash of the commit, or "" outside a clone.
func commit() string {
	out, _ := exec.Command("git", "rev-parse", "HEAD").Output()
	return strings.TrimSpace(string(out))
}

// commitTime returns SOURCE_DATE_EPOCH if it is set, else the time of the commit, else a fixed time.
func commitTime() time.Time {
	text := os.Getenv("SOURCE_DATE_EPOCH")
	if text == "" {
		out, _ := exec.Command("git", "log", "-1", "--format=%ct").Output()
		text = strings.TrimSpace(string(out))
	}
	seconds, err := strconv.ParseInt(text, 10, 64)
	if err != nil {
		seconds = 1580601600
	}
	return time.Unix(seconds, 0).UTC()
}

// compile builds the program for a platform.
func (r *release) compile(p platform, to string) error {
	args := []string{"build", "-trimpath", "-o", to, "-ldflags",
		"-s -w -buildid= -X ppl/app/version.number=" + r.version + " -X ppl/app/version.commit=" + r.commit}
	if p.static {
		args = append(args, "-tags", "nonative")
	}
	cmd := exec.Command(r.goTool, append(args, "./cmd/ppl")...)
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0", "GOOS="+p.os, "GOARCH="+p.arch)
	cmd.Stderr = os.Stderr
	return cmd.Run()
}

// pages returns the files that the program generates: manual pages and completion scripts.
func (r *release) pages(work string) (all []file, err error) {
	program := filepath.Join(work, "here"+exeOf(runtime.GOOS))
	if err := r.compile(platform{os: runtime.GOOS, arch: runtime.GOARCH}, program); err != nil {
		return nil, err
	}
	man := filepath.Join(work, "man1")
	cmd := exec.Command(program, "man", man)
	cmd.Env = append(os.Environ(), "SOURCE_DATE_EPOCH="+strconv.FormatInt(r.at.Unix(), 10))
	if out, err := cmd.CombinedOutput(); err != nil {
		return nil, fmt.Errorf("ppl man: %w: %s", err, out)
	}
	if all, err = folder(man, "man/man1", nil); err != nil {
		return nil, err
	}
	for _, shell := range []struct{ name, file string }{{"bash", "ppl.bash"}, {"zsh", "_ppl"}, {"fish", "ppl.fish"},
		{"powershell", "ppl.ps1"}} {
		text, err := exec.Command(program, "completion", shell.name).Output()
		if err != nil {
			return nil, fmt.Errorf("ppl completion %s: %w", shell.name, err)
		}
		all = append(all, file{name: "completion/" + shell.file, data: text})
	}
	return all, nil
}

func exeOf(system string) string {
	if system == "windows" {
		return ".exe"
	}
	return ""
}

// build builds the archive and the packages of a platform.
func (r *release) build(p platform, work string, pages []file) error {
	fmt.Println(p)
	program := filepath.Join(work, p.String()+exeOf(p.os))
	if err := r.compile(p, program); err != nil {
		return err
	}
	modules, err := linked(program)
	if err != nil {
		return err
	}
	licences, err := r.licences(modules)
	if err != nil {
		return err
	}
	files := append(slices.Clone(pages), file{name: "LICENSES.txt", data: licences})
	for _, name := range []string{"LICENSE", "README.md", "CHANGELOG.md"} {
		data, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		files = append(files, file{name: name, data: data})
	}
	for _, name := range []string{"examples", "editors"} {
		more, err := folder(name, name, isPublished)
		if err != nil {
			return err
		}
		files = append(files, more...)
	}
	data, err := os.ReadFile(program)
	if err != nil {
		return err
	}
	files = append(files, file{name: "ppl" + exeOf(p.os), data: data, program: true})
	slices.SortFunc(files, func(a, b file) int { return cmp.Compare(a.name, b.name) })

	name, pack := r.named(p), tarred
	if p.os == "windows" {
		pack = zipped
	}
	if err := r.write(r.archive(p), func(w *os.File) error { return pack(w, name, files, r.at) }); err != nil {
		return err
	}
	err = r.write(name+".cdx.json", func(w *os.File) error { return billOfMaterials(w, r, p, modules) })
	if err != nil {
		return err
	}
	if p.os != "linux" || p.static {
		return nil
	}
	return r.packages(p, work, program, files)
}

// isPublished reports whether a file is useful outside a clone.
func isPublished(path string) bool {
	return !strings.HasSuffix(path, ".go") && !strings.Contains(path, "testdata") &&
		!strings.Contains(path, "node_modules")
}

// named returns the base name of a platform's files.
func (r *release) named(p platform) string { return fmt.Sprintf("ppl-%s-%s", r.version, p) }

func (r *release) archive(p platform) string {
	if p.os == "windows" {
		return r.named(p) + ".zip"
	}
	return r.named(p) + ".tar.gz"
}

// write creates a file of the release.
func (r *release) write(name string, fill func(*os.File) error) error {
	w, err := os.Create(filepath.Join(r.out, name))
	if err != nil {
		return err
	}
	if err := fill(w); err != nil {
		_ = w.Close()
		return err
	}
	if err := w.Close(); err != nil {
		return err
	}
	return r.add(name)
}

// add adds a file in r.out to the release.
func (r *release) add(name string) error {
	data, err := os.ReadFile(filepath.Join(r.out, name))
	r.sums[name] = fmt.Sprintf("%x", sha256.Sum256(data))
	return err
}

// conclude writes the formulas, which contain the checksums of archives, and the checksums of all files.
func (r *release) conclude() error {
	if err := r.formulas(); err != nil {
		return err
	}
	var lines strings.Builder
	for _, name := range slices.Sorted(maps.Keys(r.sums)) {
		fmt.Fprintf(&lines, "%s  %s\n", r.sums[name], name)
	}
	return os.WriteFile(filepath.Join(r.out, "SHA256SUMS"), []byte(lines.String()), 0o666)
}
