// Command site writes the pages of the site as Markdown, from tested sources in the repository: the pages of docs, the
// language reference, the tables of the library, the diagnostics, and the examples, which it runs:
//
//	go run ./docs/site -ppl bin/ppl -build dist/site
//	dist/site/source/distributions/gamma.md    signature, formula, arguments, a picture of the density
//	dist/site/source/gallery/radon.md          model, data, picture, run time
//	dist/site/mkdocs.yml                       the list of pages
//
// MkDocs (https://www.mkdocs.org) converts the pages to HTML with search. `make site` runs both commands, and then
// command deadlinks. The outputs of examples and commands are stored in dist/site/kept and reused as long as the text
// and data are unchanged.
package main

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
)

func main() {
	ppl := flag.String("ppl", "bin/ppl", "the program that runs examples and the commands of pages")
	build := flag.String("build", "dist/site", "the directory to which the site is written")
	flag.Parse()
	program, err := filepath.Abs(*ppl)
	if err == nil {
		err = newSite(".", *build, program).write()
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "site:", err)
		os.Exit(1)
	}
}

// write writes all pages, in the order of the menu.
func (s *site) write() error {
	if err := os.RemoveAll(s.source("")); err != nil {
		return err
	}
	for _, step := range []func() error{
		s.writtenPages, s.gallery, s.language, s.distributions, s.messages, s.commands, s.names, s.copyAssets,
		s.configuration,
	} {
		if err := step(); err != nil {
			return err
		}
	}
	return nil
}
