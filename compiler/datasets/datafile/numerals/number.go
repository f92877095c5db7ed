// Package numerals determines which numbers the texts of a table mean: 1.5, -2e3, NA and true, but also 1,234.5 and
// 1.234,5, dates, and codes such as 02139 that are numbers for some models and names for others. In
//
//	2,50   1.200   007
//	0,10   870     08
//
// the first column has decimal commas (Evidence.Add), so the second has the numbers 1200 and 870 (StyleOf). The
// spellings 007 and 08 of the third are recorded (Zeros.Add).
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

// sign returns the text without a sign at its beginning.
func sign(text string) string {
	if len(text) > 0 && (text[0] == '+' || text[0] == '-') {
		return text[1:]
	}
	return text
}

// digits returns the number of digits at the beginning of a text, and the text after them.
func digits(text string) (n int, rest string) {
	for n < len(text) && '0' <= text[n] && text[n] <= '9' {
		n++
	}
	return n, text[n:]
}

// MayBeIdentifier reports whether a text consists of digits, an e and digits, such as 3e5. Most programs write numbers
// with a sign in the exponent, 3e+05, so such a text may be an identifier.
func MayBeIdentifier(text string) bool {
	n, rest := digits(text)
	if n == 0 || rest == "" || rest[0] != 'e' && rest[0] != 'E' {
		return false
	}
	m, end := digits(rest[1:])
	return m > 0 && end == ""
}

// A Number is the value of a text, and whether it was written as an integer.
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

// Missing returns a missing value. It counts as written as an integer, because a column of integers may contain it.
func Missing() Number { return Whole(math.NaN()) }

// Words returns the texts, in lower case, by which Stan, R, Python and JSON write missing and infinite numbers.
func Words() map[string]Number {
	nan, inf := Missing(), math.Inf(1)
	return map[string]Number{
		"": nan, "na": nan, "nan": nan,
		"inf": {inf, false}, "+inf": {inf, false}, "-inf": {-inf, false},
		"infinity": {inf, false}, "+infinity": {inf, false}, "-infinity": {-inf, false},
	}
}

// IsLong reports whether a text is an integer that a float64 does not represent exactly, such as most identifiers of 18
// digits.
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

// Parse reads a number in digits, or one of the given words; ok is false for other texts. It returns an error if the
// number is too large for a float64.
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
