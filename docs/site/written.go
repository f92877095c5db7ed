package main

import (
	"fmt"
	"path"
	"strings"

	"ppl/docs/pagerun"
)

// A group of written pages is a section of the menu, in the order of reading.
type group struct {
	title string
	pages []string // below docs/pages, without the ending
}

// writtenGroups has every page of docs/pages; a test compares it with the directory.
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

// writtenPages makes the pages of docs/pages. Their commands are run, and what they print or draw is shown.
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

// titleOf returns the first line of a page without its mark.
func titleOf(text string) (string, error) {
	first, _, _ := strings.Cut(text, "\n")
	title, ok := strings.CutPrefix(first, "# ")
	if !ok {
		return "", fmt.Errorf("the first line is not a title")
	}
	return title, nil
}
