package main

import (
	"os"
	"regexp"
	"strings"
	"testing"

	"ppl/app/topics"
)

// The files of editors colour every word that ppl help explains.
func TestWordsOfEditors(t *testing.T) {
	t.Parallel()
	for _, path := range []string{"vscode/syntaxes/ppl.tmLanguage.json", "vim/syntax/ppl.vim", "emacs/ppl-mode.el"} {
		text, err := os.ReadFile("../../editors/" + path)
		if err != nil {
			t.Fatal(err)
		}
		for _, w := range topics.Words() {
			if w.Name != strings.ToLower(w.Name) {
				continue // a distribution by its form
			}
			if !regexp.MustCompile(`\b` + w.Name + `\b`).Match(text) {
				t.Errorf("%s does not colour %s", path, w.Name)
			}
		}
	}
}
