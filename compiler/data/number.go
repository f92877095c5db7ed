package data

import (
	"fmt"
	"math"
	"regexp"
	"strconv"
	"strings"
)

var numberForm = regexp.MustCompile(`^[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?$`)

// A number is a parsed token: its value, and whether it was written as an integer.
type number struct {
	value float64
	isInt bool
}

// words are the spellings of numbers that have no digits: Stan's, R's, Python's and JSON's. A missing value says nothing
// against the others being integers.
func words() map[string]number {
	nan, inf := number{math.NaN(), true}, math.Inf(1)
	return map[string]number{
		"": nan, "na": nan, "nan": nan,
		"inf": {inf, false}, "+inf": {inf, false}, "-inf": {-inf, false},
		"infinity": {inf, false}, "+infinity": {inf, false}, "-infinity": {-inf, false},
	}
}

// parseNumber reads digits or a word; ok is false when the text is neither. An error says that the number is too large.
func parseNumber(text string, words map[string]number) (n number, ok bool, err error) {
	if n, ok := words[strings.ToLower(text)]; ok {
		return n, true, nil
	}
	if !numberForm.MatchString(text) {
		return number{}, false, nil
	}
	v, err := strconv.ParseFloat(text, 64)
	if err != nil {
		return number{}, false, fmt.Errorf("%s is too large for a float64", text)
	}
	return number{v, v == math.Trunc(v) && !strings.Contains(text, ".")}, true, nil
}
