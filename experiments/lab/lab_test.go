package lab

import "testing"

func TestTable(t *testing.T) {
	table := Table{Columns: []string{"name", "x"}}
	table.Add("é", 0.12345)
	table.Add("longer", 3)
	want := "| name   | x     |\n| ------ | ----- |\n| é      | 0.123 |\n| longer | 3     |\n"
	if got := table.String(); got != want {
		t.Errorf("got\n%s", got)
	}
}

func TestMedian(t *testing.T) {
	if Median([]float64{3, 1, 2}) != 2 || Median([]float64{4, 1, 2, 3}) != 2.5 {
		t.Error("median")
	}
}
