package main

import (
	"os"
	"path/filepath"
)

// An entry of the menu is a page: its path below the source directory, and its title.
type entry struct{ path, title string }

// A section of the menu is a list of pages with a title.
type section struct {
	title string
	pages []entry
}

// A site holds the paths and the pages written so far.
type site struct {
	root  string // root directory of the repository
	build string
	ppl   string
	menu  []section
}

func newSite(root, build, ppl string) *site { return &site{root: root, build: build, ppl: ppl} }

func (s *site) source(path string) string { return filepath.Join(s.build, "source", path) }

// page writes a page and adds it to the last section of the menu.
func (s *site) page(path, title, text string) error {
	last := &s.menu[len(s.menu)-1]
	last.pages = append(last.pages, entry{path, title})
	return s.put(path, []byte(text))
}

func (s *site) begin(title string) { s.menu = append(s.menu, section{title: title}) }

// put writes a file below the source directory.
func (s *site) put(path string, content []byte) error {
	to := s.source(path)
	if err := os.MkdirAll(filepath.Dir(to), 0o777); err != nil {
		return err
	}
	return os.WriteFile(to, content, 0o666)
}

// read returns a file of the repository.
func (s *site) read(path string) (string, error) {
	text, err := os.ReadFile(filepath.Join(s.root, path))
	return string(text), err
}
