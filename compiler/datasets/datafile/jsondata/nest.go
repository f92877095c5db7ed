package jsondata

import (
	"cmp"
	"fmt"
	"math"
	"strings"

	"ppl/compiler/datasets/datafile/content"
	"ppl/compiler/datasets/datafile/numerals"
	"ppl/numbers"
)

// A nest collects the elements of one nested array and the sizes of its axes.
type nest struct {
	name    string
	sizes   []int // per axis; -1 until the first array of that depth closes
	rank    int   // depth of the elements; -1 until the first element
	values  []float64
	isInt   bool
	texts   []string // elements as text; "" if a number stands
	labels  int      // how many elements are text
	numbers int      // how many elements are numbers, not missing

	path []string   // the names of the objects that are open
	keys [][]string // of values in objects: their names by axis; nil for lists

	lengths []int // of the lists at depth 1
	uneven  error // the first of them that differs from those before
}

// array reads a value of any rank.
func (r *reader) array(name string) (*content.Array, error) {
	n := &nest{name: name, rank: -1, isInt: true}
	if err := r.value(n, 0); err != nil {
		return nil, err
	}
	a := n.array(r.src.Name)
	if n.keys != nil {
		a.Keys, a.Shape[0] = n.keys, len(n.keys[0])
	}
	if n.uneven != nil {
		if len(n.sizes) > 2 || n.keys != nil {
			return nil, n.uneven
		}
		a.Shape, a.Lengths, a.Uneven = []int{len(n.values)}, n.lengths, n.uneven
	}
	return a, nil
}

// array has the elements of a nest.
func (n *nest) array(origin string) *content.Array {
	a := &content.Array{Name: n.name, Shape: n.sizes, Values: numbers.Packed(n.values), Int: n.isInt, Origin: origin}
	if n.labels > 0 {
		a.Labels, a.Values = content.Encode(n.texts, content.MissingIn(n.values))
	}
	return a
}

func (r *reader) value(n *nest, depth int) error {
	switch r.peek() {
	case '[':
		return r.list(n, depth)
	case '{':
		return r.named(n, depth)
	}
	return r.element(n, depth)
}

// named reads an object: its values are those of elements that have names. They are in the order of the file, each with
// the names of all objects that it is in.
func (r *reader) named(n *nest, depth int) error {
	switch {
	case depth > len(n.path):
		return r.errorf(r.at, "%q has an object in a list; write all elements with names, or none", n.name)
	case depth == maxRank:
		return r.errorf(r.at, "%q is nested more than %d deep", n.name, maxRank)
	}
	seen := map[string]bool{}
	r.at++
	if r.take('}') {
		return r.errorf(r.at, "%q has an object without values", n.name)
	}
	for {
		r.space()
		at := r.at
		name, err := r.text()
		if err != nil {
			return err
		}
		if seen[name] {
			return r.errorf(at, "%q has %q twice", n.name, name)
		}
		seen[name] = true
		if err := r.expect(':', fmt.Sprintf("after the name %q", name)); err != nil {
			return err
		}
		n.path = append(n.path, content.Visible(name))
		if err := r.ofName(n); err != nil {
			return err
		}
		n.path = n.path[:len(n.path)-1]
		if !r.take(',') {
			return r.expect('}', "or a comma after a value")
		}
	}
}

// ofName reads the value of an element that has a name.
func (r *reader) ofName(n *nest) error {
	if r.peek() == '{' {
		return r.named(n, len(n.path))
	}
	if n.keys == nil {
		n.keys, n.sizes = make([][]string, len(n.path)), []int{-1}
	}
	if len(n.keys) != len(n.path) {
		return r.errorf(r.at, "%q has values in %d objects here, and in %d before", n.name, len(n.path), len(n.keys))
	}
	for k, name := range n.path {
		n.keys[k] = append(n.keys[k], name)
	}
	return r.value(n, 1)
}

func (r *reader) list(n *nest, depth int) error {
	at := r.at
	if n.rank >= 0 && depth >= n.rank {
		return r.errorf(at, "%q has an array here but single values before", n.name)
	}
	if depth == maxRank {
		return r.errorf(at, "%q is nested more than %d deep", n.name, maxRank)
	}
	if len(n.sizes) == depth {
		n.sizes = append(n.sizes, -1)
	}
	size, err := r.items(n, depth)
	if err != nil {
		return err
	}
	if depth == 1 {
		n.lengths = append(n.lengths, size)
	}
	if n.sizes[depth] >= 0 && n.sizes[depth] != size {
		err := r.errorf(at, "%q is ragged: %d elements here, %d in the arrays before", n.name, size, n.sizes[depth])
		if depth != 1 {
			return err
		}
		n.uneven = cmp.Or(n.uneven, err)
		return nil
	}
	n.sizes[depth] = size
	return nil
}

// items reads what is between [ and ], and counts it.
func (r *reader) items(n *nest, depth int) (size int, err error) {
	r.at++
	if r.take(']') {
		return 0, nil
	}
	for {
		if err := r.value(n, depth+1); err != nil {
			return 0, err
		}
		size++
		if !r.take(',') {
			return size, r.expect(']', "or a comma after an element")
		}
	}
}

func (r *reader) element(n *nest, depth int) error {
	at := r.at
	if len(n.sizes) > depth {
		return r.errorf(at, "%q has a single value here but arrays before", n.name)
	}
	n.rank = depth
	v, label, isText, err := r.scalar()
	if err != nil {
		return err
	}
	n.add(v, label, isText)
	if n.labels > 0 && n.numbers > 0 {
		return r.errorf(at, "%q mixes text and numbers", n.name)
	}
	return nil
}

func (n *nest) add(v numerals.Number, label string, isText bool) {
	n.values = append(n.values, v.Value)
	n.texts = append(n.texts, label)
	n.isInt = n.isInt && v.IsInt
	switch {
	case isText:
		n.labels++
	case !math.IsNaN(v.Value):
		n.numbers++
	}
}

// scalar reads a number, a boolean, a missing value or a text. Text that spells a number without digits ("NaN", "-inf")
// is that number, as Stan writes it.
func (r *reader) scalar() (v numerals.Number, label string, isText bool, err error) {
	at := r.at
	if r.peek() == '"' {
		if label, err = r.text(); err != nil {
			return v, "", false, err
		}
		if v, ok := r.words[strings.ToLower(label)]; ok {
			return v, "", false, nil
		}
		return numerals.Whole(0), label, true, nil
	}
	word := r.word()
	switch word {
	case "":
		return v, "", false, r.errorf(at, "expected a value")
	case "true":
		return numerals.Whole(1), "", false, nil
	case "false":
		return numerals.Whole(0), "", false, nil
	case "null":
		return numerals.Missing(), "", false, nil
	}
	if numerals.IsLong(word) {
		return v, "", false, r.errorf(at, "%s has more digits than a float64 holds exactly; write it in quotes, as "+
			"the name of a group, or with a decimal point", word)
	}
	v, ok, err := numerals.Parse(word, r.words)
	if err != nil {
		return v, "", false, r.errorf(at, "%v", err)
	}
	if !ok {
		return v, "", false, r.errorf(at, "%q is not a number", word)
	}
	return v, "", false, nil
}

// word reads up to the next space, bracket, comma or quote.
func (r *reader) word() string {
	start := r.at
	end := strings.IndexAny(r.src.Text[start:], " \t\r\n,:[]{}\"")
	if end < 0 {
		end = len(r.src.Text) - start
	}
	r.at += end
	return r.src.Text[start:r.at]
}
