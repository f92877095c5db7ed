package main

import (
	"fmt"
	"os/exec"
	"regexp"
	"strings"
)

// language writes the language reference.
func (s *site) language() error {
	s.begin("Reference")
	text, err := s.read("lang/REFERENCE.md")
	if err != nil {
		return err
	}
	text = strings.ReplaceAll(titledFences(text), "lang/diag/DIAGNOSTICS.md", "[Messages](messages.md)")
	return s.page("language.md", "The language", text)
}

var coded = regexp.MustCompile(`(?m)^### ([EW][0-9]+): .*$`)

// messages writes the list of diagnostics, with an anchor for each code, as in messages/#e10.
func (s *site) messages() error {
	s.begin("Messages and commands")
	text, err := s.read("lang/diag/DIAGNOSTICS.md")
	if err != nil {
		return err
	}
	text = coded.ReplaceAllStringFunc(titledFences(text), func(line string) string {
		return fmt.Sprintf("%s { #%s }", line, strings.ToLower(coded.FindStringSubmatch(line)[1]))
	})
	text = strings.Replace(text, "# Diagnostics", "# Messages", 1)
	return s.page("messages.md", "Messages", text)
}

// help returns the output of `ppl help NAME`.
func (s *site) help(name ...string) (string, error) {
	out, err := exec.Command(s.ppl, append([]string{"help"}, name...)...).CombinedOutput()
	if err != nil {
		return "", fmt.Errorf("ppl help %s: %w\n%s", strings.Join(name, " "), err, out)
	}
	return string(out), nil
}

var listed = regexp.MustCompile(`(?m)^  ([a-z]+) +(\S.*)$`)

// commands writes a section for each command with its flags, as printed by `ppl help`.
func (s *site) commands() error {
	all, err := s.help()
	if err != nil {
		return err
	}
	var b strings.Builder
	b.WriteString("# Commands\n\n`ppl COMMAND --help` prints what is on this page. Results go to standard output, " +
		"progress and notes to standard error. Exit codes: 0 done; 1 the model, its data or the run are wrong; " +
		"2 wrong usage; 3 the run, a device or a disk failed; 130 interrupted.\n")
	found := listed.FindAllStringSubmatch(all, -1)
	if len(found) < 10 {
		return fmt.Errorf("ppl help lists %d commands", len(found))
	}
	for _, command := range found {
		text, err := s.help(command[1])
		if err != nil {
			return err
		}
		fmt.Fprintf(&b, "\n## ppl %s\n\n```text\n%s\n```\n", command[1], strings.TrimSpace(text))
	}
	return s.page("commands.md", "Commands", b.String())
}

// A nameList is a list that `ppl help KIND` prints, with the title on the page.
type nameList struct{ kind, title string }

// nameLists returns the lists of `ppl help` that have no separate pages.
func nameLists() []nameList {
	return []nameList{{"functions", "Functions"}, {"words", "Keywords and operators"}, {"constructs", "Constructs"},
		{"declarations", "Declarations"}, {"samplers", "Samplers"}, {"settings", "Settings of samplers"},
		{"solvers", "Solvers of differential equations"}, {"devices", "Devices"}, {"numbers", "Numbers of a run"}}
}

// names writes a page with all lists of names.
func (s *site) names() error {
	var b strings.Builder
	b.WriteString("# Names\n\nWhat `ppl help NAME` explains. " +
		"Distributions have [pages of their own](distributions/index.md).\n")
	for _, l := range nameLists() {
		lines, err := s.help(l.kind)
		if err != nil {
			return err
		}
		fmt.Fprintf(&b, "\n## %s\n\n```text\n%s\n```\n", l.title, strings.TrimSpace(lines))
	}
	return s.page("names.md", "Names", b.String())
}
