package main

import (
	"fmt"
	"hash/fnv"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"strings"
)

// A candidate is a model with its data files, by name.
type candidate struct {
	name  string
	model string
	data  map[string]string
}

// write stores a candidate as one file in the format of golang.org/x/tools/txtar. The file name is a hash of the text.
func (c candidate) write(dir string) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	text := "-- model.ppl --\n" + ended(c.model)
	for name, data := range c.data {
		if strings.Contains(c.model, name) {
			text += "-- " + name + " --\n" + ended(data)
		}
	}
	return os.WriteFile(filepath.Join(dir, fmt.Sprintf("%08x.txtar", sum(text))), []byte(text), 0o644)
}

func ended(text string) string {
	if strings.HasSuffix(text, "\n") {
		return text
	}
	return text + "\n"
}

func sum(text string) uint32 {
	h := fnv.New32a()
	io.WriteString(h, text) // the hash never returns an error
	return h.Sum32()
}

// seeds are the models to change, and a pool of all their tokens.
type seeds struct {
	models []candidate
	pool   []string
}

var (
	tokens = regexp.MustCompile(`[A-Za-z_][A-Za-z0-9_]*|[0-9.]+(?:e-?[0-9]+)?|\S`)
	named  = regexp.MustCompile(`from "([^"#]+)`)
	fenced = regexp.MustCompile("(?s)```ppl[^\n]*\n(.*?)```")
)

// odd returns tokens that are likely to cause faults.
func odd() []string {
	return []string{"0", "-1", "1.5", "1e-308", "1e308", "1e9", "2147483648", "inf", "nan", "1/0", "0/0", "N",
		"missing", "noncentered", "ordered", "zerosum", `"no such label"`}
}

// readSeeds reads models, and all models in Markdown files.
func readSeeds(paths []string) (*seeds, error) {
	s := &seeds{pool: odd()}
	for _, path := range paths {
		text, err := os.ReadFile(path)
		if err != nil {
			return nil, err
		}
		if filepath.Ext(path) != ".md" {
			s.add(path, string(text))
			continue
		}
		for k, found := range fenced.FindAllStringSubmatch(string(text), -1) {
			s.add(fmt.Sprintf("%s#%d", path, k+1), found[1])
		}
	}
	if len(s.models) == 0 {
		return nil, fmt.Errorf("no models given: name model files, or Markdown files that contain models")
	}
	return s, nil
}

func (s *seeds) add(name, model string) {
	c := candidate{name: name, model: model, data: map[string]string{}}
	for _, found := range named.FindAllStringSubmatch(model, -1) {
		text, err := os.ReadFile(filepath.Join(filepath.Dir(name), found[1]))
		if err == nil {
			c.data[found[1]] = string(text)
		}
	}
	s.models, s.pool = append(s.models, c), append(s.pool, tokens.FindAllString(model, -1)...)
}

// choose picks a model and changes one to three tokens or lines of it or its data.
func (s *seeds) choose(r *rand.Rand) candidate {
	from := s.models[r.IntN(len(s.models))]
	c := candidate{model: from.model, data: map[string]string{}}
	for name, text := range from.data {
		c.data[name] = text
	}
	changes := 1 + r.IntN(3)
	for range changes {
		if name := anyKey(c.data, r); name != "" && r.IntN(4) == 0 {
			c.data[name] = mutated(r, c.data[name], odd())
		} else {
			c.model = mutated(r, c.model, s.pool)
		}
	}
	c.name = fmt.Sprintf("%s, %d changes", from.name, changes)
	return c
}

func anyKey(m map[string]string, r *rand.Rand) (key string) {
	seen := 0
	for k := range m {
		seen++
		if r.IntN(seen) == 0 {
			key = k
		}
	}
	return key
}

// mutated deletes a token or a line, repeats a line, adds 1 to a token, or replaces a token by one of the pool.
func mutated(r *rand.Rand, text string, pool []string) string {
	places := tokens.FindAllStringIndex(text, -1)
	if len(places) == 0 {
		return text
	}
	at := places[r.IntN(len(places))]
	lines := strings.SplitAfter(text, "\n")
	k := r.IntN(len(lines))
	switch r.IntN(6) {
	case 0:
		return text[:at[0]] + text[at[1]:]
	case 1:
		return text[:at[0]] + "(" + text[at[0]:at[1]] + " + 1)" + text[at[1]:]
	case 2:
		return strings.Join(append(lines[:k:k], lines[k+1:]...), "")
	case 3:
		return strings.Join(lines[:k+1], "") + "\n" + strings.Join(lines[k:], "")
	}
	return text[:at[0]] + pool[r.IntN(len(pool))] + text[at[1]:]
}

// minimise removes lines of the model and its data, and then tokens, as long as the candidate still fails in the same
// way.
func minimise(c candidate, fails func(candidate) bool) candidate {
	c.model = smaller(c.model, lineEnds, func(model string) bool {
		return fails(candidate{c.name, model, c.data})
	})
	for name := range c.data {
		c.data[name] = smaller(c.data[name], lineEnds, func(text string) bool {
			data := map[string]string{name: text}
			for other, text := range c.data {
				if other != name {
					data[other] = text
				}
			}
			return fails(candidate{c.name, c.model, data})
		})
	}
	c.model = smaller(c.model, tokens, func(model string) bool {
		return fails(candidate{c.name, model, c.data})
	})
	return c
}

var lineEnds = regexp.MustCompile(`[^\n]*\n?`)

// mostCuts is the maximal number of cuts that are tried on one text.
const mostCuts = 200

// smaller removes pieces of a text while the rest still fails. It starts with half of the pieces and ends with single
// ones.
func smaller(text string, piece *regexp.Regexp, fails func(string) bool) string {
	cuts := 0
	for size := len(piece.FindAllString(text, -1)) / 2; size > 0; size /= 2 {
		for k := 0; cuts < mostCuts; cuts++ {
			places := piece.FindAllStringIndex(text, -1)
			if k >= len(places) {
				break
			}
			end := places[min(k+size, len(places))-1][1]
			if less := text[:places[k][0]] + text[end:]; fails(less) {
				text = less
			} else {
				k += size
			}
		}
	}
	return text
}
