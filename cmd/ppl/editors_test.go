package main

import (
	"os"
	"regexp"
	"strings"
	"testing"

	"ppl/app/topics"
)

// The syntax files of editors highlight every word that ppl help explains.
func TestWordsOfEditors(t *testing.T) {
	t.Parallel()
	for _, path := range []string{"editors/vscode/syntaxes/ppl.tmLanguage.json", "editors/vim/syntax/ppl.vim",
		"editors/emacs/ppl-mode.el", "python/src/ppl_lang/lexer.py"} {
		text, err := os.ReadFile("../../" + path)
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
