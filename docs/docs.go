// Package docs holds the guides that `ppl help NAME` prints and the site shows. A guide is a Markdown file in guides/
// whose name is the topic; its first line is the title:
//
//	g := docs.Guides()[0]   // Guide{Name: "arviz", Title: "Opening a run in ArviZ", Body: "A run directory …"}
//
// A test compiles each model of each guide.
package docs

import (
	"embed"
	"path"
	"strings"
)

//go:embed guides/*.md
var files embed.FS

// A Guide is one page. Users request it by Name.
type Guide struct {
	Name, Title, Body string
}

// Guides returns all pages in alphabetical order.
func Guides() (all []Guide) {
	entries, err := files.ReadDir("guides")
	if err != nil {
		panic(err) // panic: the directory is part of the binary
	}
	for _, e := range entries {
		text, err := files.ReadFile("guides/" + e.Name())
		if err != nil {
			panic(err)
		}
		title, body, _ := strings.Cut(string(text), "\n")
		all = append(all, Guide{strings.TrimSuffix(path.Base(e.Name()), ".md"), strings.TrimPrefix(title, "# "),
			strings.TrimSpace(body)})
	}
	return all
}
