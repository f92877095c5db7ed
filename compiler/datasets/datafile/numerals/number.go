// Package numerals finds out which numbers the texts of a table mean: 1.5, -2e3, NA and true, but also 1,234.5 and
// 1.234,5, dates, and codes such as 02139 that are numbers for some models and names for others. Of the columns
//
//	2,50   1.200   the first has a decimal comma (Evidence.Add), so that the second has 1200 and 870 (StyleOf)
//	0,10   870
//	007    12      the third has numbers that are also written 007 and 08 (Zeros.Add)
//	08     13
package numerals

import (
	"fmt"
	"math"
	"math/big"
	"strconv"
	"strings"
)

// IsDecimal reports whether a text is a number in digits: [+-]? (digits [. digits?] | . digits) ([eE] [+-]? digits)?
func IsDecimal(text string) bool {
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

// MayBeIdentifier reports whether a text is digits, an e and digits without a sign: programs write 3e+05 or 3E+05.
func MayBeIdentifier(text string) bool {
	n, rest := digits(text)
	if n == 0 || rest == "" || rest[0] != 'e' && rest[0] != 'E' {
		return false
	}
	m, end := digits(rest[1:])
	return m > 0 && end == ""
}

// A Number is a parsed token: its value, and whether it was written as an integer.
type Number struct {
	Value float64
	IsInt bool
}

// Whole returns a number that was written as an integer.
func Whole(v float64) Number { return Number{Value: v, IsInt: true} }

// Real returns a number that was not written as an integer.
func Real(v float64) Number { return Number{Value: v} }

// Of returns a number, which is an integer if its value is.
func Of(v float64) Number { return Number{Value: v, IsInt: v == math.Trunc(v)} }

// Missing returns a missing value, which may be one of a column of integers.
func Missing() Number { return Whole(math.NaN()) }

// Words returns the spellings of numbers that have no digits: Stan's, R's, Python's and JSON's. A missing value says
// nothing against the others being integers.
func Words() map[string]Number {
	nan, inf := Missing(), math.Inf(1)
	return map[string]Number{
		"": nan, "na": nan, "nan": nan,
		"inf": {inf, false}, "+inf": {inf, false}, "-inf": {-inf, false},
		"infinity": {inf, false}, "+infinity": {inf, false}, "-infinity": {-inf, false},
	}
}

// IsLong reports whether a text is a whole number with more digits than a float64 holds, such as an identifier of 18
// digits: as a number it would be the same as its neighbours.
func IsLong(text string) bool {
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

// Parse reads digits or a word; ok is false when the text is neither. An error means that the number is too large.
func Parse(text string, words map[string]Number) (n Number, ok bool, err error) {
	if !IsDecimal(text) {
		n, ok := words[strings.ToLower(text)]
		return n, ok, nil
	}
	v, err := strconv.ParseFloat(text, 64)
	if err != nil {
		return Number{}, false, fmt.Errorf("%s is too large for a float64", text)
	}
	return Number{Value: v, IsInt: v == math.Trunc(v) && !strings.Contains(text, ".")}, true, nil
}
