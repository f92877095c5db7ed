// Simulate writes the data of the simulated examples, and the true parameters to simulate/truth.json. Run it in
// examples/ with `go run ./simulate`. The seed is fixed, so the files do not change.
package main

import (
	"encoding/json"
	"fmt"
	"log"
	"math/rand/v2"
	"os"
	"strconv"
	"strings"
)

// A study is one simulated example. tables maps a file name to a table, and truth a parameter to its values in
// row-major order.
type study struct {
	tables map[string]table
	truth  map[string][]float64
}

// A table has a header line and columns of numbers. NaN is a missing entry.
type table struct {
	head    string
	columns [][]float64
}

// A simulator draws one study. The random stream depends only on its position in the list, so that no data set is
// selected for its results.
type simulator struct {
	model string
	draw  func(r random) study
}

func simulators() []simulator {
	return []simulator{
		{"ratings", ratings}, {"exam", exam}, {"capture", capture}, {"curve", curve}, {"crash", crash},
		{"regions", regions}, {"slopes", slopes}, {"visits", visits}, {"parasites", parasites},
		{"calibration", calibration}, {"health", health}, {"volatility", volatility}, {"garch", garch},
		{"elimination", elimination}, {"occupancy", occupancy}, {"dosing", dosing},
	}
}

// simulate maps the name of every file to its text.
func simulate() (map[string]string, error) {
	files, truths := map[string]string{}, map[string]map[string][]float64{}
	for i, s := range simulators() {
		drawn := s.draw(random{rand.New(rand.NewPCG(20261121, uint64(i)))})
		truths[s.model] = drawn.truth
		for name, t := range drawn.tables {
			files[name] = t.text()
		}
	}
	text, err := json.MarshalIndent(truths, "", " ")
	files["simulate/truth.json"] = compact(string(text))
	return files, err
}

// compact writes the numbers of a list on one line.
func compact(text string) string {
	lists := strings.NewReplacer("[\n   ", "[", ",\n   ", ", ", "\n  ]", "]")
	return lists.Replace(text) + "\n"
}

func (t table) text() string {
	var b strings.Builder
	fmt.Fprintln(&b, t.head)
	for i := range t.columns[0] {
		row := make([]string, len(t.columns))
		for j, c := range t.columns {
			row[j] = number(c[i])
		}
		fmt.Fprintln(&b, strings.Join(row, ","))
	}
	return b.String()
}

func number(x float64) string {
	if x != x {
		return "NA"
	}
	return strconv.FormatFloat(round(x), 'f', -1, 64)
}

func main() {
	files, err := simulate()
	if err != nil {
		log.Fatal(err)
	}
	for name, text := range files {
		if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
			log.Fatal(err)
		}
	}
}
