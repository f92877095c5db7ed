package diag

import "testing"

func TestOrdinal(t *testing.T) {
	for n, want := range map[int]string{1: "first", 3: "third", 4: "4th", 10: "10th", 11: "11th", 12: "12th",
		13: "13th", 20: "20th", 21: "21st", 22: "22nd", 23: "23rd", 24: "24th", 101: "101st", 111: "111th",
		112: "112th"} {
		if got := Ordinal(n); got != want {
			t.Errorf("Ordinal(%d) = %q, want %q", n, got, want)
		}
	}
}
