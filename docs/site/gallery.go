package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"
)

// An example is a model in the directory examples. teaches is its description in the README.
type example struct {
	name, teaches, text string
}

var taught = regexp.MustCompile("(?m)^\\| `([a-z_]+)` \\| (.*) \\|$")

// examples returns all examples, in the order of the README.
func (s *site) examples() (all []example, err error) {
	readme, err := s.read("README.md")
	if err != nil {
		return nil, err
	}
	for _, row := range taught.FindAllStringSubmatch(readme, -1) {
		text, err := s.read("examples/" + row[1] + ".ppl")
		if err != nil {
			return nil, err
		}
		all = append(all, example{row[1], row[2], text})
	}
	return all, nil
}

// about returns the comment at the top of the model, as one paragraph.
func (e example) about() string {
	var lines []string
	for line := range strings.Lines(e.text) {
		words, ok := strings.CutPrefix(line, "#")
		if !ok {
			break
		}
		lines = append(lines, strings.TrimSpace(words))
	}
	return strings.Join(lines, " ")
}

// statements returns the model without the comment at its top.
func (e example) statements() string {
	rest := e.text
	for strings.HasPrefix(rest, "#") {
		_, rest, _ = strings.Cut(rest, "\n")
	}
	return strings.TrimSpace(rest)
}

var fromFile = regexp.MustCompile(`\bfrom "([^"#]+)`)

// dataFiles returns the files that the model reads.
func (e example) dataFiles() (all []string) {
	for _, found := range fromFile.FindAllStringSubmatch(e.text, -1) {
		if !slices.Contains(all, found[1]) {
			all = append(all, found[1])
		}
	}
	return all
}

// A view describes the picture of an example: a kind of `ppl plot`, and the names to plot. Kinds that show replicates
// need `predict`.
type view struct {
	kind  string
	names []string
}

// views maps an example to its picture. A test checks that every example has an entry.
func views() map[string]view {
	return map[string]view{
		"eight_schools": {"pairs", []string{"mu", "tau", "theta[1]"}},
		"radon":         {"forest", []string{"mu", "slope", "a"}},
		"rats":          {"density", []string{"mu_b", "sd_b", "birth_weight"}},
		"challenger":    {"density", []string{"risk_at_31", "risk_at_75"}},
		"stackloss":     {"forest", []string{"b"}},
		"pumps":         {"forest", []string{"rate"}},
		"fishing":       {"ppc", nil},
		"galaxies":      {"ppc", nil},
		"deaths":        {"density", nil},
		"lynx":          {"pairs", []string{"phi[1]", "phi[2]", "period"}},
		"five_modes":    {"pairs", []string{"x[1]", "x[2]"}},
		"seeds":         {"forest", []string{"b", "sigma", "plate"}},
		"remission":     {"density", nil},
		"ryegrass":      {"density", []string{"high", "half", "steep"}},
		"ratings":       {"forest", []string{"cut", "sweet", "kind"}},
		"exam":          {"forest", []string{"hard", "sharp"}},
		"slopes":        {"pairs", []string{"tau[1]", "tau[2]", "Omega[1,2]"}},
		"calibration":   {"density", []string{"b", "sigma"}},
		"health":        {"density", []string{"b[2]", "b[3]"}},
		"visits":        {"density", nil},
		"parasites":     {"ppc", nil},
		"capture":       {"density", nil},
		"occupancy":     {"density", []string{"sites", "p"}},
		"coal":          {"histogram", []string{"last_year", "fewer"}},
		"earthquakes":   {"forest", []string{"restless"}},
		"nile":          {"forest", []string{"level"}},
		"volatility":    {"forest", []string{"h"}},
		"garch":         {"density", nil},
		"curve":         {"forest", []string{"f"}},
		"crash":         {"ppc", nil},
		"regions":       {"forest", []string{"risk"}},
		"influenza":     {"ppc", nil},
		"dosing":        {"forest", []string{"typical", "clear"}},
		"elimination":   {"pairs", []string{"absorb", "top", "middle"}},
	}
}

// gallery runs every example and writes a page for each, and an index.
func (s *site) gallery() error {
	s.begin("Gallery")
	examples, err := s.examples()
	if err != nil {
		return err
	}
	if err = s.page("gallery/index.md", "All examples", galleryList(examples)); err != nil {
		return err
	}
	for _, e := range examples {
		text, err := s.examplePage(e)
		if err == nil {
			err = s.page("gallery/"+e.name+".md", e.name, text)
		}
		if err != nil {
			return fmt.Errorf("example %s: %w", e.name, err)
		}
	}
	return nil
}

func galleryList(examples []example) string {
	var b strings.Builder
	b.WriteString("# Gallery\n\nEvery example of the repository, run at its defaults by the build of this site.\n\n" +
		`<div class="grid cards" markdown>` + "\n\n")
	for _, e := range examples {
		fmt.Fprintf(&b, "-   [**%s**](%s.md)\n\n    %s\n\n    [![%s](%s.svg)](%s.md)\n\n", e.name, e.name, e.teaches,
			"Picture of "+e.name, e.name, e.name)
	}
	b.WriteString("</div>\n")
	return b.String()
}

func (s *site) examplePage(e example) (string, error) {
	r, err := s.runExample(e)
	if err != nil {
		return "", err
	}
	picture, err := os.ReadFile(filepath.Join(r.dir, "picture.svg"))
	if err == nil {
		err = s.put("gallery/"+e.name+".svg", picture)
	}
	if err != nil {
		return "", err
	}
	summary, err := os.ReadFile(filepath.Join(r.dir, "summary.txt"))
	if err != nil {
		return "", err
	}
	seconds, err := os.ReadFile(filepath.Join(r.dir, "seconds.txt"))
	if err != nil {
		return "", err
	}
	var b strings.Builder
	fmt.Fprintf(&b, "# %s\n\n%s\n\n**What it shows:** %s.\n\n", e.name, escapedProse(e.about()), e.teaches)
	fmt.Fprintf(&b, "[Try it in the browser](../playground/index.html#example=%s){ .md-button }\n\n", e.name)
	fmt.Fprintf(&b, "```ppl title=\"%s.ppl\"\n%s\n```\n\n", e.name, e.statements())
	for _, name := range e.dataFiles() {
		text, err := s.read("examples/" + name)
		if err != nil {
			return "", err
		}
		fmt.Fprintf(&b, "## Data\n\n```text title=%q\n%s\n```\n\n", name, firstLines(text, 6, 100))
	}
	fmt.Fprintf(&b, "## Results\n\n![Picture of %s](%s.svg)\n\n", e.name, e.name)
	fmt.Fprintf(&b, "```sh\nppl sample %s.ppl\n%s\n```\n\n", e.name,
		quotedElements(strings.Join(views()[e.name].commands(e.name), "\n")))
	fmt.Fprintf(&b, "The run took %s s on the machine that built this page, with the compilation of the model.\n\n",
		seconds)
	fmt.Fprintf(&b, "```text\n%s\n```\n", firstLines(string(summary), 40, 110))
	return b.String(), nil
}

// commands returns the commands that draw the picture of an example.
func (v view) commands(name string) (lines []string) {
	if v.replicates() {
		lines = append(lines, "ppl predict "+name+".run")
	}
	words := append([]string{"ppl", "plot", name + ".run", v.kind}, v.names...)
	return append(lines, strings.Join(append(words, "--out", name+".svg"), " "))
}

// quotedElements quotes names with brackets, because shells read these as patterns.
func quotedElements(commands string) string { return bracketed.ReplaceAllString(commands, " '$1'") }

var bracketed = regexp.MustCompile(` ([A-Za-z_]+\[[^\]]*\])`)

func (v view) replicates() bool { return strings.HasPrefix(v.kind, "ppc") }

// firstLines returns at most n lines of at most width characters. An ellipsis marks omitted text.
func firstLines(text string, n, width int) string {
	lines := strings.Split(strings.TrimRight(text, "\n"), "\n")
	more := len(lines) > n
	lines = slices.Clone(lines[:min(n, len(lines))])
	for i, line := range lines {
		if rs := []rune(line); len(rs) > width {
			lines[i] = string(rs[:width]) + " …"
		}
	}
	if more {
		lines = append(lines, "…")
	}
	return strings.Join(lines, "\n")
}

// runExample samples an example and draws its picture, unless a record with the same text and data exists.
func (s *site) runExample(e example) (record, error) {
	inputs := []string{e.text, fmt.Sprint(views()[e.name])}
	for _, name := range e.dataFiles() {
		text, err := s.read("examples/" + name)
		if err != nil {
			return record{}, err
		}
		inputs = append(inputs, text)
	}
	r, err := s.kept("gallery/"+e.name, inputs...)
	if err != nil || !r.new {
		return r, err
	}
	fmt.Fprintf(os.Stderr, "site: running examples/%s.ppl\n", e.name)
	run := filepath.Join(r.dir, e.name+".run")
	if err = s.sampleExample(e, run, r.dir); err != nil {
		return r, err
	}
	for _, command := range views()[e.name].commands(e.name) {
		words := strings.Fields(strings.Replace(command, "--out "+e.name, "--out picture", 1))
		if _, err = s.pplIn(r.dir, words[1:]...); err != nil {
			return r, err
		}
	}
	if err = os.RemoveAll(run); err != nil {
		return r, err
	}
	return r, r.finish()
}

// sampleExample runs ppl sample and writes its output and its duration to dir.
func (s *site) sampleExample(e example, run, dir string) error {
	start := time.Now()
	out, err := s.pplIn(s.root, "sample", "examples/"+e.name+".ppl", "--seed", "1", "--quiet", "--out", run)
	if err != nil {
		return err
	}
	seconds := fmt.Sprintf("%.1f", time.Since(start).Seconds())
	if err = os.WriteFile(filepath.Join(dir, "seconds.txt"), []byte(seconds), 0o666); err != nil {
		return err
	}
	summary := strings.ReplaceAll(out, run, e.name+".run")
	return os.WriteFile(filepath.Join(dir, "summary.txt"), []byte(summary), 0o666)
}

// pplIn runs ppl in a directory and returns its standard output.
func (s *site) pplIn(dir string, args ...string) (string, error) {
	cmd := exec.Command(s.ppl, args...)
	cmd.Dir = dir
	out, err := cmd.Output()
	if failed, ok := err.(*exec.ExitError); ok {
		err = fmt.Errorf("ppl %s: %w\n%s", strings.Join(args, " "), err, failed.Stderr)
	}
	return string(out), err
}
