package repl

import (
	"sort"
	"strings"

	"ppl/stdlib"
)

// A completer completes names, functions, labels and commands.
type completer struct{ s *session }

// Do returns possible continuations at the cursor, and the length of the word before it.
func (c completer) Do(line []rune, pos int) (rest [][]rune, length int) {
	before := string(line[:pos])
	word, candidates := c.candidates(before)
	for _, name := range candidates {
		if strings.HasPrefix(name, word) && name != word {
			rest = append(rest, []rune(name[len(word):]))
		}
	}
	return rest, len([]rune(word))
}

// candidates returns the word before the cursor, and its possible completions.
func (c completer) candidates(before string) (word string, all []string) {
	if strings.Count(before, `"`)%2 == 1 { // inside a label
		word = before[strings.LastIndexByte(before, '"')+1:]
		if c.s.run != nil {
			for _, label := range c.s.run.Inquiry.Labels() {
				all = append(all, label+`"]`)
			}
		}
		return word, all
	}
	at := strings.LastIndexFunc(before, func(r rune) bool {
		return !(r == '_' || r == '.' || r >= '0' && r <= '9' || r|0x20 >= 'a' && r|0x20 <= 'z')
	})
	word = before[at+1:]
	if strings.HasPrefix(word, ".") && strings.TrimSpace(before[:at+1]) == "" {
		for _, cmd := range c.s.commands() {
			all = append(all, cmd.name+" ")
		}
		return word, all
	}
	return word, c.names()
}

func (c completer) names() []string {
	all := []string{"P(", "rank "}
	for name := range stdlib.Dists() {
		all = append(all, name+"(")
	}
	if c.s.run != nil {
		all = append(all, c.s.run.Inquiry.Names()...)
	} else {
		for name := range stdlib.Funcs() {
			all = append(all, name)
		}
	}
	sort.Strings(all)
	return all
}
