package layout

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

// Undefined is the text for undefined numbers, such as R-hat of a constant.
const Undefined = "-"

// Fixed formats x with d decimals, without the sign of a negative zero.
func Fixed(x float64, d int) string {
	text := strconv.FormatFloat(x, 'f', d, 64)
	if strings.Trim(text, "-0.") == "" {
		return strings.TrimPrefix(text, "-")
	}
	return text
}

// Thousandths formats a number with three decimals; NaN, the value for a constant, becomes "-".
func Thousandths(x float64) string {
	if math.IsNaN(x) {
		return Undefined
	}
	return fmt.Sprintf("%.3f", x)
}

// Thousands formats a number with commas between groups of three digits.
func Thousands(n int64) string {
	digits := fmt.Sprint(n)
	for at := len(digits) - 3; at > 0 && digits[at-1] != '-'; at -= 3 {
		digits = digits[:at] + "," + digits[at:]
	}
	return digits
}

// Temperature formats a temperature.
func Temperature(t float64) string {
	if math.IsInf(t, 1) {
		return "infinity (the prior)"
	}
	return fmt.Sprintf("%.3g", t)
}

// Duration formats a time in seconds, with a unit.
func Duration(seconds float64) string {
	switch {
	case math.IsNaN(seconds):
		return "an unknown time"
	case seconds < 10:
		return fmt.Sprintf("%.2g s", seconds)
	case seconds < 100:
		return fmt.Sprintf("%.0f s", seconds)
	case seconds < 6000:
		return fmt.Sprintf("%.0f min", seconds/60)
	}
	return fmt.Sprintf("%.1f h", seconds/3600)
}

// RHat formats an R-hat with three decimals, or as ">1000" if it is that large.
func RHat(x float64) string {
	switch {
	case math.IsNaN(x):
		return Undefined
	case x >= 1000:
		return ">1000"
	}
	return strconv.FormatFloat(x, 'f', 3, 64)
}
