package parse

import (
	"regexp"
	"strings"

	"ppl/lang/diag"
	"ppl/lang/source"
)

// A foreignLanguage is another language, with patterns that its programs match.
type foreignLanguage struct {
	name, help string
	lines      []*regexp.Regexp // a file is of this language if all of them match
}

// first matches space and comments before the first statement of a file.
const first = `\A(?:\s|//.*\n|#.*\n|/\*(?s:.*?)\*/)*`

// foreignLanguages lists the languages of files that users pass to ppl by mistake. They are tried only if a file does
// not parse, so a pattern need not exclude models of ppl.
func foreignLanguages() []foreignLanguage {
	return []foreignLanguage{
		{"a Stan program", "a file whose name ends in .stan is read as a program of Stan, and `ppl import` makes a " +
			"model of it; `ppl help stan` shows how each block is written",
			patterns(first+`(functions|(transformed\s+)?data|(transformed\s+)?parameters|model)\s*\{`,
				`(?m);\s*\}?\s*(//.*)?$`)},
		{"a BUGS or JAGS model", "`ppl import` translates a file whose name ends in .bug; `ppl help jags` " +
			"shows how each line is written",
			patterns(first+`(model|data)\s*\{`, `(?m)<-|~\s*d[a-z]+\s*\(`)},
		{"a Python program", "a model of ppl is a file of equations such as `mu ~ Normal(0, 1)`; " +
			"`ppl help pymc` shows how a model is written",
			patterns(`(?m)^(import\s+[\w.]+\s+as\s+\w+|from\s+[\w.]+\s+import\s|def\s+\w+\(.*\):)`)},
		{"an R program", "a model of ppl is a file of equations such as `mu ~ Normal(0, 1)`; " +
			"`ppl help brms` shows how a formula is written",
			patterns(`(?m)^\s*(library\(|require\(|[\w.]+\s*<-\s*function\s*\()`)},
	}
}

func patterns(texts ...string) (all []*regexp.Regexp) {
	for _, text := range texts {
		all = append(all, regexp.MustCompile(text))
	}
	return all
}

// foreignFile returns one diagnostic for a file in another language, to replace those of its lines. It returns nil for
// other files.
func foreignFile(src *source.File) []diag.Diagnostic {
	for _, l := range foreignLanguages() {
		at, is := []int(nil), true
		for _, p := range l.lines {
			found := p.FindStringIndex(src.Text)
			is = is && found != nil
			if at == nil {
				at = found
			}
		}
		if !is {
			continue
		}
		var ds diag.List
		ds.Errorf(diag.Syntax, firstLine(src, at[0], at[1]), "this is %s, not a model of ppl", l.name).
			Help("%s", l.help)
		return ds.All()
	}
	return nil
}

// firstLine returns the span of the last line of a match. The lines before it are space and comments.
func firstLine(src *source.File, start, end int) source.Span {
	if at := strings.LastIndexByte(src.Text[start:end], '\n'); at >= 0 {
		start += at + 1
	}
	return source.Span{File: src, Start: start, End: end}
}
