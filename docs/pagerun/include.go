package pagerun

import (
	"fmt"
	"path"
	"regexp"
	"strings"
)

var (
	include = regexp.MustCompile(`(?m)^<!-- include ([^#\s]+)(?:#(.+?))? -->$`)
	heading = regexp.MustCompile(`^(#+) (.*)$`)
	picture = regexp.MustCompile(`!\[([^\]]*)\]\(([^):]+)\)`)
	linked  = regexp.MustCompile(`(^|[^!])\[([^\]]+)\]\(([^)#:]+)\)`)
)

// Expand includes files of the repository in a page. read returns the text of a file. `<!-- include FILE -->` is
// replaced by the text of a file without its title, and `<!-- include FILE#Heading -->` by one section. A model becomes
// a block of code. The paths of pictures become relative to the repository; links to files become file names.
func Expand(page string, read func(path string) (string, error)) (string, error) {
	var failed error
	page = include.ReplaceAllStringFunc(page, func(found string) string {
		parts := include.FindStringSubmatch(found)
		text, err := included(parts[1], parts[2], read)
		if err != nil && failed == nil {
			failed = err
		}
		return text
	})
	return page, failed
}

func included(file, section string, read func(path string) (string, error)) (string, error) {
	text, err := read(file)
	if err != nil {
		return "", err
	}
	if strings.HasSuffix(file, ".ppl") {
		return fmt.Sprintf("```ppl %s\n%s\n```", path.Base(file), strings.TrimSpace(text)), nil
	}
	if section == "" {
		_, text, _ = strings.Cut(text, "\n")
	} else if text, err = sectionOf(text, section); err != nil {
		return "", fmt.Errorf("%s: %w", file, err)
	}
	text = linked.ReplaceAllString(text, "$1$2 (`$3` in the repository)")
	text = picture.ReplaceAllString(text, "![$1]("+path.Dir(file)+"/$2)")
	return narrowTables(strings.TrimSpace(text)), nil
}

// sectionOf returns the text below a heading, including subsections.
func sectionOf(text, title string) (string, error) {
	level := 0
	var b strings.Builder
	for line := range strings.Lines(text) {
		if h := heading.FindStringSubmatch(strings.TrimSuffix(line, "\n")); h != nil {
			if level > 0 && len(h[1]) <= level {
				break
			}
			if level == 0 && h[2] == title {
				level = len(h[1])
				continue
			}
		}
		if level > 0 {
			b.WriteString(line)
		}
	}
	if level == 0 {
		return "", fmt.Errorf("there is no section %q", title)
	}
	return b.String(), nil
}

var (
	blanks = regexp.MustCompile(` {2,}\|`)
	dashes = regexp.MustCompile(`-{4,}`)
)

// narrowTables removes the blanks that align the columns of tables.
func narrowTables(text string) string {
	var b strings.Builder
	for line := range strings.Lines(text) {
		if strings.HasPrefix(line, "|") {
			line = dashes.ReplaceAllString(blanks.ReplaceAllString(line, " |"), "---")
		}
		b.WriteString(line)
	}
	return b.String()
}
