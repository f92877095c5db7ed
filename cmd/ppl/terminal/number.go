package terminal

import (
	"encoding/json"
	"fmt"
	"math"
)

// A Number's JSON form is "-inf", "inf" or "nan" if it is not finite, as in Stan JSON: a density of zero is an
// answer.
type Number float64

func (x Number) MarshalJSON() ([]byte, error) {
	switch v := float64(x); {
	case math.IsNaN(v):
		return []byte(`"nan"`), nil
	case math.IsInf(v, 1):
		return []byte(`"inf"`), nil
	case math.IsInf(v, -1):
		return []byte(`"-inf"`), nil
	}
	return json.Marshal(float64(x))
}

// Digits prints a number with ten significant digits.
func Digits(x float64) string { return fmt.Sprintf("%.10g", x) }
