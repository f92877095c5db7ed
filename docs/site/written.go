package main

import (
	"fmt"
	"path"
	"strings"

	"ppl/docs/pagerun"
)

// A group is a section of the menu with written pages, in reading order.
type group struct {
	title string
	pages []string // paths below docs/pages, without the extension
}

// writtenGroups lists every page of docs/pages. A test compares the list with the directory.
func writtenGroups() []group {
	return []group{
		{"Start", []string{"index", "install", "tutorial"}},
		{"How to", []string{"howto/multilevel", "howto/timeseries", "howto/survival", "howto/counts", "howto/missing",
			"howto/mixtures", "howto/largedata", "howto/networks", "howto/gpu", "howto/cluster"}},
		{"Coming from", []string{"from/stan", "from/brms", "from/pymc", "from/numpyro", "from/jags", "from/lme4"}},
		{"With other programs", []string{"with/python", "with/r", "with/arviz", "with/csv", "with/labels"}},
		{"How it works", []string{"draws", "renhd"}},
	}
}

// writtenPages writes the pages of docs/pages. It runs their commands and shows the output and pictures.
func (s *site) writtenPages() error {
	for _, g := range writtenGroups() {
		s.begin(g.title)
		for _, name := range g.pages {
			if err := s.writtenPage(name + ".md"); err != nil {
				return err
			}
		}
	}
	return nil
}

func (s *site) writtenPage(name string) error {
	text, err := s.read(path.Join("docs/pages", name))
	if err != nil {
		return err
	}
	title, err := titleOf(text)
	if err == nil {
		text, err = pagerun.Expand(text, s.read)
	}
	if err == nil {
		text, err = s.withOutputs(text, name)
	}
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	return s.page(name, title, titledFences(text))
}

// titleOf returns the text of the heading in the first line of a page.
func titleOf(text string) (string, error) {
	first, _, _ := strings.Cut(text, "\n")
	title, ok := strings.CutPrefix(first, "# ")
	if !ok {
		return "", fmt.Errorf("the first line is not a title")
	}
	return title, nil
}
