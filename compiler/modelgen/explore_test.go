package modelgen_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"strconv"
	"testing"
	"time"
	"runtime/debug"

	"ppl/compiler"
	"ppl/compiler/modelgen"
	"ppl/lang/diag"
)

func loadTry(t *testing.T, text string) (p *compiler.Program, said string) {
	path := filepath.Join(t.TempDir(), "m.ppl")
	os.WriteFile(path, []byte(text), 0o600)
	defer func() {
		if r := recover(); r != nil {
			st := strings.Split(string(debug.Stack()), "\n")
			said = fmt.Sprintf("PANIC %v\n%s", r, strings.Join(st[:min(len(st), 30)], "\n"))
		}
	}()
	p, ds := compiler.Load(path, nil)
	var errs []diag.Diagnostic
	for _, d := range ds {
		if d.Severity == diag.Error {
			errs = append(errs, d)
		}
	}
	var b strings.Builder
	diag.Render(&b, errs, false)
	return p, b.String()
}

func TestExplore(t *testing.T) {
	n, _ := strconv.Atoi(os.Getenv("N"))
	from, _ := strconv.Atoi(os.Getenv("FROM"))
	codes := map[string]int{}
	for seed := from; seed < from+n; seed++ {
		text := modelgen.Model(uint64(seed), nil)
		start := time.Now()
		_, said := loadTry(t, text)
		if d := time.Since(start); d > time.Second {
			fmt.Println("SLOW", seed, d)
		}
		if said != "" {
			first, _, _ := strings.Cut(said, "\n")
			i := strings.Index(first, "[")
			key := first
			if i >= 0 && len(first) > i+4 {
				key = first[i : i+5]
			}
			if codes[key]++; codes[key] <= 3 {
				fmt.Println("== seed", seed)
				if os.Getenv("V") != "" {
					fmt.Println(text)
				}
				fmt.Println(said)
			}
		}
	}
	fmt.Println(codes)
}
