package lab

import (
	"errors"
	"io/fs"
	"os"
	"strings"
)

// Section writes one section of a Markdown file. It replaces the section with the same heading ("## …") or appends a
// new one, and replaces the text before the first heading by the preface. It creates the file if necessary.
func Section(path, preface, heading, body string) error {
	old, err := os.ReadFile(path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return os.WriteFile(path, []byte(replaceSection(string(old), preface, heading, body)), 0o666)
}

func replaceSection(old, preface, heading, body string) string {
	text, done := strings.TrimSpace(preface)+"\n", false
	for i, part := range strings.Split("\n"+old, "\n## ") {
		name, _, _ := strings.Cut(part, "\n")
		switch {
		case i == 0:
		case name == heading:
			text, done = text+section(heading, body), true
		default:
			text += "\n## " + strings.TrimSpace(part) + "\n"
		}
	}
	if !done {
		text += section(heading, body)
	}
	return text
}

func section(heading, body string) string {
	return "\n## " + heading + "\n\n" + strings.TrimSpace(body) + "\n"
}
