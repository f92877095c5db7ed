package evaluate

import (
	"math"
	"strconv"
)

// EndText returns the text of an end of a range, as it is written in the language.
func EndText(v float64) string {
	switch {
	case math.IsInf(v, 1):
		return "inf"
	case math.IsInf(v, -1):
		return "-inf"
	case v > 0 && v < 1e-300: // means an open end at 0
		return "0"
	}
	return strconv.FormatFloat(v, 'g', -1, 64)
}
