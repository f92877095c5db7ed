package terminal

import (
	"encoding/json"
	"fmt"
	"math"
)

// A Number has the JSON form "-inf", "inf" or "nan" if it is not finite, as in Stan JSON. Infinite log densities are
// valid results, so null would not do.
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

// Digits formats a number with ten significant digits.
func Digits(x float64) string { return fmt.Sprintf("%.10g", x) }
