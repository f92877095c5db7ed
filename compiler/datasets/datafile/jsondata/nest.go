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
	sizes   []int // size of each axis; -1 until the first array at this depth is closed
	rank    int   // depth of the elements; -1 until the first element
	values  []float64
	isInt   bool
	texts   []string // texts of the elements; "" for a number
	labels  int      // number of elements that are texts
	numbers int      // number of elements that are numbers and not missing

	path []string   // names of the values being read in the open objects, outermost first
	keys [][]string // for values in objects, their names by axis; nil for lists

	lengths []int // lengths of the lists at depth 1
	uneven  error // error for the first of these lists with another length than those before
}

// array reads a scalar, a list or an object as an array. A list of lists of different lengths becomes a vector with
// Lengths and Uneven.
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

// array returns the elements of a nest as an array.
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

// named reads an object whose values are elements with names. It adds them in the order of the file, each with its
// names in all objects that contain it.
func (r *reader) named(n *nest, depth int) error {
	switch {
	case depth > len(n.path):
		return r.errorf(r.at, "%q has an object in a list; give names to all elements or to none", n.name)
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

// ofName reads a value of an object, and records its names unless it is an object itself.
func (r *reader) ofName(n *nest) error {
	if r.peek() == '{' {
		return r.named(n, len(n.path))
	}
	if n.keys == nil {
		n.keys, n.sizes = make([][]string, len(n.path)), []int{-1}
	}
	if len(n.keys) != len(n.path) {
		return r.errorf(r.at, "%q has values nested in %d objects here, but in %d before", n.name, len(n.path),
			len(n.keys))
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

// items reads the elements of a list with its brackets, and returns their number.
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

// scalar reads a number, a boolean, a missing value or a text. A text such as "NaN" or "-inf", as Stan writes these
// numbers, is read as the number.
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

// word reads the text up to the next white space, bracket, comma, colon or quote.
func (r *reader) word() string {
	start := r.at
	end := strings.IndexAny(r.src.Text[start:], " \t\r\n,:[]{}\"")
	if end < 0 {
		end = len(r.src.Text) - start
	}
	r.at += end
	return r.src.Text[start:r.at]
}
