package evaluate

import (
	"math"
	"strconv"
)

// EndText writes an end of a range as the language does.
func EndText(v float64) string {
	switch {
	case math.IsInf(v, 1):
		return "inf"
	case math.IsInf(v, -1):
		return "-inf"
	case v > 0 && v < 1e-300: // open at 0
		return "0"
	}
	return strconv.FormatFloat(v, 'g', -1, 64)
}
