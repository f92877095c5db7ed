package datafile

import (
	"fmt"
	"math"
	"math/big"
	"strconv"
	"strings"
)

// numberForm reports whether a text is a number in digits: [+-]? (digits [. digits?] | . digits) ([eE] [+-]? digits)?
func numberForm(text string) bool {
	rest := sign(text)
	whole, rest := digits(rest)
	part := 0
	if len(rest) > 0 && rest[0] == '.' {
		part, rest = digits(rest[1:])
	}
	if whole+part == 0 {
		return false
	}
	if len(rest) > 0 && (rest[0] == 'e' || rest[0] == 'E') {
		n := 0
		n, rest = digits(sign(rest[1:]))
		if n == 0 {
			return false
		}
	}
	return rest == ""
}

// sign returns what follows a sign, if there is one.
func sign(text string) string {
	if len(text) > 0 && (text[0] == '+' || text[0] == '-') {
		return text[1:]
	}
	return text
}

// digits counts those that a text begins with.
func digits(text string) (n int, rest string) {
	for n < len(text) && '0' <= text[n] && text[n] <= '9' {
		n++
	}
	return n, text[n:]
}

// likeIdentifier reports whether a text is digits, an e and digits without a sign: programs write 3e+05 or 3E+05.
func likeIdentifier(text string) bool {
	n, rest := digits(text)
	if n == 0 || rest == "" || rest[0] != 'e' && rest[0] != 'E' {
		return false
	}
	m, end := digits(rest[1:])
	return m > 0 && end == ""
}

// A number is a parsed token: its value, and whether it was written as an integer.
type number struct {
	value float64
	isInt bool
}

// words returns the spellings of numbers that have no digits: Stan's, R's, Python's and JSON's. A missing value says
// nothing against the others being integers.
func words() map[string]number {
	nan, inf := number{math.NaN(), true}, math.Inf(1)
	return map[string]number{
		"": nan, "na": nan, "nan": nan,
		"inf": {inf, false}, "+inf": {inf, false}, "-inf": {-inf, false},
		"infinity": {inf, false}, "+infinity": {inf, false}, "-infinity": {-inf, false},
	}
}

// longCode reports whether a text is a whole number with more digits than a float64 holds, such as an identifier of 18
// digits: as a number it would be the same as its neighbours.
func longCode(text string) bool {
	rest := sign(text)
	n, end := digits(rest)
	if n < 16 || end != "" {
		return false
	}
	whole, ok := new(big.Int).SetString(rest, 10)
	v, _ := strconv.ParseFloat(rest, 64)
	back, accuracy := new(big.Float).SetFloat64(v).Int(nil)
	return ok && (accuracy != big.Exact || back.Cmp(whole) != 0)
}

// parseNumber reads digits or a word; ok is false when the text is neither. An error says that the number is too large.
func parseNumber(text string, words map[string]number) (n number, ok bool, err error) {
	if !numberForm(text) {
		n, ok := words[strings.ToLower(text)]
		return n, ok, nil
	}
	v, err := strconv.ParseFloat(text, 64)
	if err != nil {
		return number{}, false, fmt.Errorf("%s is too large for a float64", text)
	}
	return number{v, v == math.Trunc(v) && !strings.Contains(text, ".")}, true, nil
}
