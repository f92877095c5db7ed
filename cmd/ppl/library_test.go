package main

import (
	"flag"
	"fmt"
	"io"
	"maps"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"ppl/app/topics"
	"ppl/cmd/ppl/terminal"
	"ppl/infer/settings"
	"ppl/lang/diag"
	"ppl/lang/parse"
	"ppl/lang/source"
	"ppl/stdlib"
)

var update = flag.Bool("update", false, "rewrite the tables of the reference")

const reference = "../../lang/REFERENCE.md"

// tables returns the parts of the reference that are generated from the library, by name.
func tables() map[string]string {
	return map[string]string{
		"distributions": distributionList(),
		"functions":     topicList(topics.Functions()),
		"settings":      settingList(),
		"codes":         codeTable(),
	}
}

// listItem writes an item of a Markdown list in lines of at most 120 columns. No line begins with characters that
// Markdown interprets as a list or a heading.
func listItem(b *strings.Builder, text string) {
	line := "-"
	var words []string
	for _, word := range strings.Fields(text) {
		if n := len(words); n > 0 && strings.Trim(word, "-+*#>0123456789.)") == "" {
			words[n-1] += " " + word // stays in the line of the word before it
			continue
		}
		words = append(words, word)
	}
	for _, word := range words {
		if utf8.RuneCountInString(line)+1+utf8.RuneCountInString(word) > 120 {
			b.WriteString(line + "\n")
			line = " "
		}
		line += " " + word
	}
	b.WriteString(line + "\n")
}

func distributionList() string {
	var b strings.Builder
	dists := stdlib.Dists()
	for _, name := range slices.Sorted(maps.Keys(dists)) {
		d := dists[name]
		also := ""
		if m := marks(d); m != "" {
			also = " (*" + m + "*)"
		}
		listItem(&b, fmt.Sprintf("`%s`: %s%s. %s", strings.Join(d.Signatures(), "`, `"), d.SupportText(), also,
			topics.Sentence(d.Doc)))
	}
	r := topics.DensityRule()
	listItem(&b, fmt.Sprintf("`%s`: %s", r.Form, topics.Sentence(r.Doc)))
	return b.String()
}

func marks(d *stdlib.Dist) string {
	var m []string
	for _, mark := range []struct {
		letter string
		holds  bool
	}{{"t", d.HasCDF()}, {"n", d.Recentres()}, {"s", d.Enumerate != nil}} {
		if mark.holds {
			m = append(m, mark.letter)
		}
	}
	return strings.Join(m, " ")
}

func topicList(all []topics.Topic) string {
	var b strings.Builder
	for _, t := range all {
		listItem(&b, fmt.Sprintf("`%s`: %s", t.Line, strings.Split(strings.SplitN(t.Text, "\n\n", 3)[1], "\n")[0]))
	}
	return b.String()
}

func settingList() string {
	var b strings.Builder
	for _, name := range settings.Names() {
		listItem(&b, fmt.Sprintf("`%s`: %s", name, topics.Sentence(settings.Doc(name))))
	}
	return b.String()
}

func codeTable() string {
	var b strings.Builder
	b.WriteString("| code | |\n|---|---|\n")
	for _, e := range diag.Catalogue() {
		fmt.Fprintf(&b, "| %s | %s |\n", e.Code, e.Title)
	}
	return b.String()
}

// The tables of the reference are those generated from the library.
func TestReferenceTables(t *testing.T) {
	text, err := os.ReadFile(reference)
	if err != nil {
		t.Fatal(err)
	}
	seen := map[string]bool{}
	part := regexp.MustCompile(`(?s)<!-- table ([a-z]+) -->\n(.*?)<!-- end -->`)
	updated := part.ReplaceAllStringFunc(string(text), func(old string) string {
		m := part.FindStringSubmatch(old)
		want, known := tables()[m[1]]
		if !known {
			t.Errorf("there is no table %q", m[1])
		}
		seen[m[1]] = true
		if m[2] != want && !*update {
			t.Errorf("the table of %s differs from the library: go test ./cmd/ppl -run TestReferenceTables -update "+
				"rewrites it", m[1])
		}
		return "<!-- table " + m[1] + " -->\n" + want + "<!-- end -->"
	})
	if len(seen) != len(tables()) {
		t.Errorf("of %d tables only %v are in the reference", len(tables()), seen)
	}
	if *update {
		if err := os.WriteFile(reference, []byte(updated), 0o666); err != nil {
			t.Fatal(err)
		}
	}
}

// Every topic has a unique name in its kind, except functions that are also reductions, and a text.
func TestTopics(t *testing.T) {
	for _, k := range kinds(newRoot(terminal.Plain(io.Discard, io.Discard))) {
		seen := map[string]int{}
		for _, topic := range k.topics() {
			seen[topic.Name]++
			if body := strings.SplitN(topic.Text, "\n\n", 3); len(body) < 2 || len(body[1]) < 3 {
				t.Errorf("%s: %q says too little", topic.Name, topic.Text)
			}
		}
		for name, n := range seen {
			if n > 1 && !(stdlib.Funcs()[name] != nil && stdlib.Reductions()[name] != nil) {
				t.Errorf("%d topics are named %s", n, name)
			}
		}
	}
}

// The words that help explains are keywords, so that none can be a name.
func TestWordsAreKeywords(t *testing.T) {
	for _, w := range topics.Words() {
		if _, ds := parse.File(source.New("m.ppl", w.Name+" = 1\n")); !diag.HasErrors(ds) {
			t.Errorf("%s can be a name", w.Name)
		}
	}
}
