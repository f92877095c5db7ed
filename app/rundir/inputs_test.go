package rundir

import (
	"os"
	"testing"
)

// A parsed --data flag is printed as it was given, and keeps its key when the path is replaced.
func TestDataFlags(t *testing.T) {
	t.Chdir(t.TempDir())
	if err := os.WriteFile("a#b.csv", []byte("x\n1\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for flag, want := range map[string]DataFlag{
		"d.csv":         {Path: "d.csv"},
		"y=d.csv":       {Name: "y", Path: "d.csv"},
		"y=d.csv#time":  {Name: "y", Path: "d.csv", Key: "time"},
		"y=20":          {Name: "y", Path: "20"},
		"./a=b.csv":     {Path: "./a=b.csv"},
		"y=a#b.csv":     {Name: "y", Path: "a#b.csv"},
		"y=a#b.csv#col": {Name: "y", Path: "a#b.csv", Key: "col"},
		"y=":            {Name: "y"},
	} {
		got := ParseData(flag)
		if got != want {
			t.Errorf("%s is parsed as %+v, want %+v", flag, got, want)
		}
		if again := got.String(); again != flag && flag != "y=" {
			t.Errorf("%s is written as %s", flag, again)
		}
	}
	if got := ParseData("y=d.csv#time").At("{run}/inputs/1-d.csv"); got != "y={run}/inputs/1-d.csv#time" {
		t.Errorf("moved: %s", got)
	}
}
