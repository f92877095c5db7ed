package main

import (
	"bytes"
	"fmt"
	"maps"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"ppl/posterior/plot"
	"ppl/stdlib"
)

// distributions writes a page for each distribution, and an index that groups them by support.
func (s *site) distributions() error {
	s.begin("Distributions")
	usedBy, err := s.examplesByDistribution()
	if err != nil {
		return err
	}
	dists := stdlib.Dists()
	names := slices.Sorted(maps.Keys(dists))
	if err := s.page("distributions/index.md", "All distributions", distributionList(dists, names)); err != nil {
		return err
	}
	for _, name := range names {
		text, err := s.distributionPage(dists[name], usedBy[name])
		if err == nil {
			err = s.page(distributionPath(name), name, text)
		}
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
	}
	return nil
}

func distributionPath(name string) string { return "distributions/" + strings.ToLower(name) + ".md" }

// distributionList returns the index page, with a table for each support.
func distributionList(dists map[string]*stdlib.Dist, names []string) string {
	bySupport := map[string][]string{}
	var supports []string
	for _, name := range names {
		d := dists[name]
		support := d.SupportText()
		if bySupport[support] == nil {
			supports = append(supports, support)
		}
		first, _, _ := strings.Cut(d.Doc, ":")
		row := fmt.Sprintf("| [`%s`](%s.md) | %s |\n", d.Signatures()[0], strings.ToLower(name), cell(first))
		bySupport[support] = append(bySupport[support], row)
	}
	slices.SortStableFunc(supports, func(a, b string) int { return len(bySupport[b]) - len(bySupport[a]) })
	var b strings.Builder
	b.WriteString("# Distributions\n\nEach page has the log density, the arguments and a picture. " +
		"`ppl help NAME` prints the same in a terminal.\n")
	for _, support := range supports {
		fmt.Fprintf(&b, "\n## Support: %s\n\n| distribution | what it is |\n|---|---|\n%s", support,
			strings.Join(bySupport[support], ""))
	}
	return b.String()
}

// cell escapes text for a cell of a table.
func cell(text string) string { return strings.ReplaceAll(text, "|", `\|`) }

// distributionPage returns the page of a distribution: the text of `ppl help`, an example, a picture, and the models
// that use the distribution.
func (s *site) distributionPage(d *stdlib.Dist, usedBy []string) (string, error) {
	help, err := s.help(d.Name)
	if err != nil {
		return "", err
	}
	var b strings.Builder
	fmt.Fprintf(&b, "# %s\n\n%s\n", d.Name, helpAsMarkdown(help))
	shown, ok := shownDistributions()[d.Name]
	if !ok {
		return "", fmt.Errorf("shownDistributions has no row for it")
	}
	fmt.Fprintf(&b, "## Example\n\n```ppl\n%s\n```\n", shown.example(d))
	if p, ok := shown.picture(d); ok {
		name := "distributions/" + strings.ToLower(d.Name) + ".svg"
		if err = s.draw(name, p); err != nil {
			return "", err
		}
		fmt.Fprintf(&b, "\n![%s](%s)\n", shown.caption(d), filepath.Base(name))
	}
	if len(usedBy) > 0 {
		b.WriteString("\n## In the gallery\n\n")
		for _, name := range usedBy {
			fmt.Fprintf(&b, "- [`%s`](../gallery/%s.md)\n", name, name)
		}
	}
	return b.String(), nil
}

func (s *site) draw(name string, p plot.Picture) error {
	var b bytes.Buffer
	if err := plot.Write(&b, p, "svg", plot.Size{}); err != nil {
		return err
	}
	return s.put(name, b.Bytes())
}

// helpAsMarkdown converts the output of `ppl help` to Markdown: signatures become code, and indented lines become a
// table of arguments.
func helpAsMarkdown(help string) string {
	signatures, rest, _ := strings.Cut(strings.TrimSpace(help), "\n\n")
	var b strings.Builder
	fmt.Fprintf(&b, "```ppl\n%s\n```\n\n", signatures)
	for _, part := range strings.Split(rest, "\n\n") {
		if !strings.HasPrefix(part, "  ") {
			fmt.Fprintf(&b, "%s\n\n", escapedProse(part))
			continue
		}
		b.WriteString("| argument | what it is |\n|---|---|\n")
		for line := range strings.Lines(part) {
			name, what, _ := strings.Cut(strings.TrimSpace(line), " ")
			fmt.Fprintf(&b, "| `%s` | %s |\n", name, cell(strings.TrimSpace(what)))
		}
		b.WriteString("\n")
	}
	return b.String()
}

// escapedProse escapes characters that Markdown would interpret, except in code between backquotes.
func escapedProse(text string) string {
	parts := strings.Split(text, "`")
	for i := 0; i < len(parts); i += 2 {
		parts[i] = strings.NewReplacer("*", `\*`, "_", `\_`, "[", `\[`, "]", `\]`, "<", "&lt;").Replace(parts[i])
	}
	return strings.Join(parts, "`")
}

var called = regexp.MustCompile(`\b([A-Z][A-Za-z]+)\(`)

// examplesByDistribution maps a distribution to the examples that use it.
func (s *site) examplesByDistribution() (map[string][]string, error) {
	examples, err := s.examples()
	if err != nil {
		return nil, err
	}
	by := map[string][]string{}
	for _, e := range examples {
		for _, found := range called.FindAllStringSubmatch(e.statements(), -1) {
			if name := found[1]; !slices.Contains(by[name], e.name) {
				by[name] = append(by[name], e.name)
			}
		}
	}
	return by, nil
}
