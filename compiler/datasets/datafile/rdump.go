package datafile

import (
	"fmt"
	"math"
	"regexp"
	"strconv"
	"strings"

	"ppl/numbers"
)

// Data as R's dump writes them, and RStan reads them: assignments of numbers, of lists c(…), of ranges 1:3, and of
// structure(c(…), .Dim = c(…)), whose first axis runs fastest.

var rTokens = regexp.MustCompile(`(?s)\s+|#[^\n]*|<-|"[^"\n]*"|[A-Za-z_.][A-Za-z_0-9.]*|` +
	`[-+]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][-+]?[0-9]+)?L?|.`)

// An rReader goes through the tokens of a file.
type rReader struct {
	tokens []string
	places []int // where each begins
	at     int
	depth  int  // of the brackets around
	texts  bool // the present array has texts in it
}

// readRDump reads the arrays of a file.
func readRDump(path, text string, _ RowCache) (*File, error) {
	r := &rReader{}
	for _, m := range rTokens.FindAllStringIndex(text, -1) {
		t := text[m[0]:m[1]]
		if strings.TrimSpace(t) == "" || strings.HasPrefix(t, "#") || t == ";" {
			continue
		}
		r.tokens, r.places = append(r.tokens, t), append(r.places, m[0])
	}
	f := newFile(path, false)
	for r.at < len(r.tokens) {
		a, err := r.assignment()
		if err != nil {
			place := len(text)
			if r.at < len(r.places) {
				place = r.places[r.at]
			}
			return nil, fmt.Errorf("%s:%d: %w", path, 1+strings.Count(text[:place], "\n"), err)
		}
		if _, twice := f.Arrays[a.Name]; twice {
			return nil, fmt.Errorf("%s: `%s` is there twice", path, a.Name)
		}
		if a.Origin = path; r.texts {
			f.refuse(a.Name, fmt.Errorf("%s: `%s` has texts, which are not read from R's dump", path, a.Name))
			continue
		}
		f.add(a)
	}
	return f, nil
}

func (r *rReader) peek() string {
	if r.at < len(r.tokens) {
		return r.tokens[r.at]
	}
	return ""
}

func (r *rReader) take(want string) error {
	if r.peek() != want {
		if r.peek() == "" {
			return fmt.Errorf("the file ends where `%s` is expected", want)
		}
		return fmt.Errorf("`%s` is not expected here, but `%s`", r.peek(), want)
	}
	r.at++
	return nil
}

func (r *rReader) assignment() (*Array, error) {
	name := strings.Trim(r.peek(), `"`)
	r.texts = false
	r.at++
	if r.peek() == "=" {
		r.at++
	} else if err := r.take("<-"); err != nil {
		return nil, err
	}
	a := &Array{Name: name}
	values, scalar, err := r.value(a)
	if err != nil {
		return nil, err
	}
	switch {
	case scalar:
		a.Shape = nil
	case a.Shape == nil:
		a.Shape = []int{len(values)}
	default:
		if values, err = rowMajor(values, a.Shape); err != nil {
			return nil, fmt.Errorf("`%s`: %w", name, err)
		}
	}
	a.Int = true
	for _, v := range values {
		a.Int = a.Int && v == float64(int64(v))
	}
	a.Values = numbers.Packed(values)
	return a, nil
}

// value reads numbers; scalar is set for one without c(…).
func (r *rReader) value(a *Array) (values []float64, scalar bool, err error) {
	switch t := r.peek(); t {
	case "structure":
		return r.structure(a)
	case "c", "integer", "double", "numeric":
		r.at++
		if err := r.take("("); err != nil {
			return nil, false, err
		}
		if t != "c" { // integer(0)
			n, err := r.number()
			if err != nil {
				return nil, false, err
			}
			if n < 0 || n > 1e7 {
				return nil, false, fmt.Errorf("an array of %g elements", n)
			}
			return make([]float64, int(n)), false, r.take(")")
		}
		if r.depth++; r.depth > 20 {
			return nil, false, fmt.Errorf("brackets nest more than 20 deep")
		}
		defer func() { r.depth-- }()
		for r.peek() != ")" {
			part, _, err := r.value(a)
			if err != nil {
				return nil, false, err
			}
			values = append(values, part...)
			if r.peek() != "," {
				break
			}
			r.at++
		}
		return values, false, r.take(")")
	}
	first, err := r.number()
	if err != nil {
		return nil, false, err
	}
	if r.peek() != ":" {
		return []float64{first}, true, nil
	}
	r.at++
	last, err := r.number()
	if err != nil {
		return nil, false, err
	}
	if last-first > 1e7 || first-last > 1e7 {
		return nil, false, fmt.Errorf("a range of more than 10 million numbers")
	}
	step := 1.0
	if last < first {
		step = -1
	}
	for v := first; step*(last-v) >= 0; v += step {
		values = append(values, v)
	}
	return values, false, nil
}

// structure reads structure(c(…), .Dim = c(…)).
func (r *rReader) structure(a *Array) ([]float64, bool, error) {
	r.at++
	if r.depth++; r.depth > 20 {
		return nil, false, fmt.Errorf("brackets nest more than 20 deep")
	}
	defer func() { r.depth-- }()
	if err := r.take("("); err != nil {
		return nil, false, err
	}
	values, _, err := r.value(a)
	if err != nil {
		return nil, false, err
	}
	for r.peek() == "," {
		r.at++
		name := strings.Trim(r.peek(), `"`)
		r.at++
		if err := r.take("="); err != nil {
			return nil, false, err
		}
		of, _, err := r.value(&Array{})
		if err != nil {
			return nil, false, err
		}
		if name == ".Dim" || name == "dim" {
			for _, n := range of {
				a.Shape = append(a.Shape, int(n))
			}
		}
	}
	return values, false, r.take(")")
}

func (r *rReader) number() (float64, error) {
	t := r.peek()
	sign := 1.0
	if t == "-" || t == "+" {
		if t == "-" {
			sign = -1
		}
		r.at++
		t = r.peek()
	}
	r.at++
	switch t {
	case "TRUE", "T":
		return 1, nil
	case "FALSE", "F":
		return 0, nil
	case "Inf":
		return sign * math.Inf(1), nil
	case "NA", "NaN", "NA_real_", "NA_integer_":
		return math.NaN(), nil
	}
	if strings.HasPrefix(t, `"`) {
		r.texts = true
		return 0, nil
	}
	v, err := strconv.ParseFloat(strings.TrimSuffix(t, "L"), 64)
	if err != nil {
		r.at--
		return 0, fmt.Errorf("`%s` is not a number", t)
	}
	return sign * v, nil
}

// rowMajor puts numbers whose first axis runs fastest in the order of rows.
func rowMajor(values []float64, shape []int) ([]float64, error) {
	total := 1
	for _, n := range shape {
		if n < 0 || n > len(values) {
			return nil, fmt.Errorf("the numbers do not fit the axes")
		}
		total *= n
	}
	if total != len(values) {
		return nil, fmt.Errorf("there are %d numbers for %d elements", len(values), total)
	}
	out := make([]float64, len(values))
	at := make([]int, len(shape))
	for i := range out {
		from, stride := 0, 1
		for k, n := range shape {
			from += at[k] * stride
			stride *= n
		}
		out[i] = values[from]
		for k := len(shape) - 1; k >= 0; k-- {
			if at[k]++; at[k] < shape[k] {
				break
			}
			at[k] = 0
		}
	}
	return out, nil
}
