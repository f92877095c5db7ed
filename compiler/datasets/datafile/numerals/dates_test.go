package numerals

import "testing"

// Days agrees with GNU date: date -u -d 2024-02-29 +%s divided by 86400.
func TestDays(t *testing.T) {
	for text, want := range map[string]float64{"1970-01-01": 0, "2024-02-29": 19782, "1969-12-31": -1,
		"2024-02-29 06:00:00": 19782.25, "2024-02-29T12:00:00+06:00": 19782.25, "2024-02": 19754} {
		if got, ok := Days(text); !ok || got != want {
			t.Errorf("%s is %v %v, want %v", text, got, ok, want)
		}
	}
	if got := DateOf(18263); got != "2020-01-02" {
		t.Errorf("day 18263 is %s", got)
	}
	for _, text := range []string{"", "2023-02-29", "29/02/2024", "20240229", "Guy's"} {
		if got, ok := Days(text); ok {
			t.Errorf("%q is read as %v", text, got)
		}
	}
}
