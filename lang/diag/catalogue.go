package diag

import (
	_ "embed"
	"regexp"
	"strings"
)

// catalogueText is the catalogue of codes. A section explains a code and its correction, with example models and the
// diagnostics that ppl prints for them; a test runs these models.
//
//go:embed DIAGNOSTICS.md
var catalogueText string

// An Explanation is one section of the catalogue.
type Explanation struct {
	Code  Code
	Title string
	Body  string // Markdown: prose and fenced examples
}

// Catalogue returns the explanation of every code, in the order of the document.
func Catalogue() []Explanation {
	section := regexp.MustCompile(`(?m)^##.*$`)
	title := regexp.MustCompile(`^### ([EW][0-9]{2}): (.*)$`)
	var all []Explanation
	at := append(section.FindAllStringIndex(catalogueText, -1), []int{len(catalogueText)})
	for i, m := range at[:len(at)-1] {
		if t := title.FindStringSubmatch(catalogueText[m[0]:m[1]]); t != nil {
			all = append(all, Explanation{Code(t[1]), t[2], strings.TrimSpace(catalogueText[m[1]:at[i+1][0]])})
		}
	}
	return all
}
