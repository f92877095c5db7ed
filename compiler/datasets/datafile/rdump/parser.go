package rdump

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// A parser reads the values of an R file.
type parser struct {
	scan  scanner
	token string // the next token; empty at the end
	place int    // offset of the token
	depth int    // number of open brackets
}

func (r *parser) next() { r.token, r.place = r.scan.next() }

func (r *parser) take(want string) error {
	if r.token != want {
		if r.token == "" {
			return fmt.Errorf("the file ends where `%s` is expected", want)
		}
		return fmt.Errorf("expected `%s` here, but found `%s`", want, r.token)
	}
	r.next()
	return nil
}

// statement reads `name <- value`, or a structure or list without a name, as dput writes it.
func (r *parser) statement() (name string, v *rValue, err error) {
	if r.token == "structure" || r.token == "list" {
		v, err = r.value()
		return "", v, err
	}
	if name, err = r.name(); err != nil {
		return "", nil, err
	}
	if r.token == "=" {
		r.next()
	} else if err := r.take("<-"); err != nil {
		return "", nil, err
	}
	v, err = r.value()
	return name, v, err
}

// name reads a name, which may be in quotes.
func (r *parser) name() (string, error) {
	name := r.token
	if name != "" && strings.ContainsRune("\"'`", rune(name[0])) {
		text, err := unquoted(name)
		if err == nil {
			r.next()
		}
		return text, err
	}
	if name == "" {
		return "", fmt.Errorf("the file ends where a name is expected")
	}
	first, _ := utf8.DecodeRuneInString(name)
	if !isNameRune(first) || unicode.IsDigit(first) {
		return "", fmt.Errorf("expected a name here, but found `%s`", name)
	}
	r.next()
	return name, nil
}

// value reads a number, a text, a range or a call.
func (r *parser) value() (*rValue, error) {
	v := &rValue{}
	if err := r.appendTo(v); err != nil {
		return nil, err
	}
	return v, nil
}

// function returns the method that reads the arguments of a function that R writes in dumps; nil for other names.
func (r *parser) function(name string) func(*rValue) error {
	switch name {
	case "c":
		return r.vector
	case "list":
		return r.listOf
	case "structure":
		return r.structure
	case "integer", "double", "numeric", "logical", "character":
		return func(v *rValue) error {
			v.text = v.text || name == "character"
			return r.zeros(v)
		}
	}
	return nil
}

// appendTo reads a value and appends its elements to v.
func (r *parser) appendTo(v *rValue) error {
	if read := r.function(r.token); read != nil {
		r.depth++
		if r.depth > 20 {
			return fmt.Errorf("brackets are nested more than 20 deep")
		}
		defer func() { r.depth-- }()
		r.next()
		if err := r.take("("); err != nil {
			return err
		}
		if err := read(v); err != nil {
			return err
		}
		return r.take(")")
	}
	if r.token == "NULL" {
		r.next()
		return nil
	}
	if r.token == "NA_character_" || r.token != "" && strings.ContainsRune("\"'", rune(r.token[0])) {
		return r.appendText(v)
	}
	first, err := r.number()
	if err != nil {
		return err
	}
	if r.token == ":" {
		return r.rangeFrom(v, first)
	}
	v.scalar = len(v.numbers) == 0
	v.numbers = append(v.numbers, first)
	return nil
}

func (r *parser) appendText(v *rValue) error {
	text, value := "", 0.0
	if r.token == "NA_character_" {
		value = math.NaN()
	} else {
		var err error
		if text, err = unquoted(r.token); err != nil {
			return err
		}
	}
	v.scalar, v.text = len(v.numbers) == 0, true
	for len(v.texts) < len(v.numbers) { // missing values before the first text
		v.texts = append(v.texts, "")
	}
	v.texts, v.numbers = append(v.texts, text), append(v.numbers, value)
	r.next()
	return nil
}

// rangeFrom reads the colon and the last number of first:last, and appends the range to v.
func (r *parser) rangeFrom(v *rValue, first float64) error {
	r.next()
	last, err := r.number()
	if err != nil {
		return err
	}
	if last-first > 1e7 || first-last > 1e7 {
		return fmt.Errorf("a range may have at most 10 million numbers")
	}
	step := 1.0
	if last < first {
		step = -1
	}
	for x := first; step*(last-x) >= 0; x += step {
		v.numbers = append(v.numbers, x)
	}
	return nil
}

// zeros reads the argument n of integer(n) and similar functions, and appends n zeros or empty texts to v.
func (r *parser) zeros(v *rValue) error {
	n, err := r.number()
	if err != nil {
		return err
	}
	if n < 0 || n > 1e7 {
		return fmt.Errorf("an array must have 0 to 10 million elements here, not %g", n)
	}
	v.numbers = append(v.numbers, make([]float64, int(n))...)
	if v.text {
		v.texts = append(v.texts, make([]string, int(n))...)
	}
	return nil
}

// vector reads the elements of c(…), which may have names.
func (r *parser) vector(v *rValue) error {
	for r.token != ")" {
		name, err := r.elementName()
		if err != nil {
			return err
		}
		before := v.length()
		if err := r.appendTo(v); err != nil {
			return err
		}
		if name != "" || v.names != nil {
			for len(v.names) < before {
				v.names = append(v.names, "")
			}
			v.names = append(v.names, name)
		}
		if r.token != "," {
			break
		}
		r.next()
	}
	v.scalar = false
	if v.text && len(v.texts) < len(v.numbers) { // missing values after the last text
		v.texts = append(v.texts, make([]string, len(v.numbers)-len(v.texts))...)
	}
	for i, x := range v.numbers {
		if v.text && v.texts[i] == "" && x == x && x != 0 {
			return fmt.Errorf("a vector has numbers and texts; it must have only one of these kinds")
		}
	}
	return nil
}

// elementName reads `name =` before an element, and returns the name, or "" if there is none.
func (r *parser) elementName() (string, error) {
	scan, token, place := r.scan, r.token, r.place
	if r.function(token) != nil {
		return "", nil
	}
	c, _ := utf8.DecodeRuneInString(token)
	if !isNameRune(c) && !strings.ContainsRune("\"'`", c) || unicode.IsDigit(c) {
		return "", nil
	}
	name, err := r.name()
	if err == nil && r.token == "=" {
		r.next()
		return name, nil
	}
	r.scan, r.token, r.place = scan, token, place
	return "", nil
}

// listOf reads the items of list(…), which may have names.
func (r *parser) listOf(v *rValue) error {
	v.list = true
	for r.token != ")" {
		name, err := r.elementName()
		if err != nil {
			return err
		}
		item, err := r.value()
		if err != nil {
			return err
		}
		v.items, v.names = append(v.items, item), append(v.names, name)
		if r.token != "," {
			break
		}
		r.next()
	}
	return nil
}

// structure reads a value and its attributes: structure(c(…), .Dim = c(…)).
func (r *parser) structure(v *rValue) error {
	if err := r.appendTo(v); err != nil {
		return err
	}
	v.attributes = map[string]*rValue{}
	for r.token == "," {
		r.next()
		name, err := r.name()
		if err != nil {
			return err
		}
		if err := r.take("="); err != nil {
			return err
		}
		if v.attributes[name], err = r.value(); err != nil {
			return err
		}
	}
	return nil
}

func (r *parser) number() (float64, error) {
	sign := 1.0
	for r.token == "-" || r.token == "+" {
		if r.token == "-" {
			sign = -sign
		}
		r.next()
	}
	t := r.token
	v, ok := constantOf(t)
	if !ok && t != "" && (isDigit(t[0]) || t[0] == '.') {
		var err error
		v, err = strconv.ParseFloat(strings.TrimSuffix(t, "L"), 64)
		ok = err == nil
	}
	if !ok {
		return 0, fmt.Errorf("`%s` is not a number", t)
	}
	r.next()
	return sign * v, nil
}

// constantOf returns the value of one of R's constants; ok is false for other words.
func constantOf(word string) (value float64, ok bool) {
	switch word {
	case "TRUE", "T":
		return 1, true
	case "FALSE", "F":
		return 0, true
	case "Inf":
		return math.Inf(1), true
	case "NA", "NaN", "NA_real_", "NA_integer_":
		return math.NaN(), true
	}
	return 0, false
}

// escaped returns the character that a letter after a backslash means in R's texts.
func escaped(letter byte) byte {
	if i := strings.IndexByte("ntr0abfv", letter); i >= 0 {
		return "\n\t\r\x00\a\b\f\v"[i]
	}
	return letter
}

// unquoted returns the text of a token in quotes.
func unquoted(token string) (string, error) {
	if len(token) < 2 || token[len(token)-1] != token[0] {
		return "", fmt.Errorf("a text is not closed")
	}
	token = token[1 : len(token)-1]
	if !strings.Contains(token, `\`) {
		return token, nil
	}
	var b strings.Builder
	for i := 0; i < len(token); i++ {
		c := token[i]
		if c != '\\' || i+1 == len(token) {
			b.WriteByte(c)
			continue
		}
		i++
		c = token[i]
		code, n := escapedCode(token[i:])
		if n > 0 {
			b.WriteRune(code)
			i += n - 1
		} else {
			b.WriteByte(escaped(c))
		}
	}
	return b.String(), nil
}

// escapedCode reads the part of an escape sequence after the backslash: u00e9, u{e9}, U0001F600 or xe9. n is its
// length, and 0 for other texts.
func escapedCode(text string) (code rune, n int) {
	most := map[byte]int{'u': 4, 'U': 8, 'x': 2}[text[0]]
	if most == 0 {
		return 0, 0
	}
	at := 1
	if strings.HasPrefix(text[1:], "{") {
		at++
	}
	end := at
	for end < len(text) && end-at < most && strings.IndexByte("0123456789abcdefABCDEF", text[end]) >= 0 {
		end++
	}
	v, err := strconv.ParseUint(text[at:end], 16, 32)
	if err != nil {
		return 0, 0
	}
	if at == 2 && strings.HasPrefix(text[end:], "}") {
		end++
	}
	return rune(v), end
}
