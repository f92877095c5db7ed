package terminal

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"ppl/app/fault"
)

// README has the table of exit codes, and each kind of error has a row in it.
func TestExitCodes(t *testing.T) {
	var rows []string
	kinds := map[fault.Kind]bool{}
	for _, row := range exitCodes() {
		rows, kinds[row.kind] = append(rows, fmt.Sprint(row.code, " ", row.means)), true
	}
	text, err := os.ReadFile("../../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	sentence := "Exit codes: " + strings.Join(rows, "; ") + "."
	if !strings.Contains(strings.Join(strings.Fields(string(text)), " "), sentence) {
		t.Errorf("README lacks: %s", sentence)
	}
	for k := fault.Input; k <= fault.Interruption; k++ {
		if !kinds[k] {
			t.Errorf("an error that is %v has no exit code", k)
		}
	}
}
