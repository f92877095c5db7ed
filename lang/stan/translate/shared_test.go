package translate_test

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sort"
	"strings"
	"testing"

	"ppl/compiler"
	"ppl/compiler/datasets/datafile"
	"ppl/lang/diag"
	"ppl/lang/source"
	"ppl/lang/stan"
	"ppl/lang/stan/translate"
)

const collection = "../../../../shared/stan"

func dataOf(path string) (string, translate.Data) {
	base := strings.TrimSuffix(path, ".stan")
	for _, p := range []string{base + ".data.json", base + ".json"} {
		f, err := datafile.Read(p)
		if err != nil {
			continue
		}
		d := translate.Data{}
		for _, a := range f.Columns() {
			v := make([]float64, a.Values.Len())
			for i := range v {
				v[i] = a.Values.At(i)
			}
			d[a.Name] = translate.Array{Dims: a.Shape, Values: v}
		}
		return p, d
	}
	return "", nil
}

func TestTrial(t *testing.T) {
	only := os.Getenv("STAN_ONLY")
	out := os.Getenv("STAN_OUT")
	reasons := map[string]int{}
	total, complete, checks, withData, boundOK := 0, 0, 0, 0, 0
	filepath.WalkDir(collection, func(path string, d fs.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(path, ".stan") || only != "" && !strings.Contains(path, only) {
			return nil
		}
		text, _ := os.ReadFile(path)
		p, ds := stan.Parse(source.New(path, string(text)))
		info, _ := stan.Check(p)
		_ = ds
		total++
		file, data := dataOf(path)
		func() {
			defer func() {
				if c := recover(); c != nil {
					reasons[fmt.Sprint("PANIC ", c)]++
					fmt.Println(path, "PANIC", c)
					if os.Getenv("STAN_PANIC") != "" {
						panic(c)
					}
				}
			}()
			m := translate.Program(p, info, data)
			if out != "" {
				os.WriteFile(filepath.Join(out, strings.ReplaceAll(strings.TrimPrefix(path, collection+"/"), "/", "+")+".ppl"), []byte(m.Text), 0o644)
			}
			if len(m.Unsaid) == 0 {
				complete++
			}
			for _, u := range m.Unsaid {
				reasons["unsaid: "+u.Reason]++
				fmt.Printf("%s:%d UNSAID %s\n", path, u.At.Line(), u.Reason)
				break
			}
			_, cs := compiler.CheckText("model.ppl", m.Text)
			if diag.HasErrors(cs) {
				for _, c := range cs {
					if c.Severity == diag.Error {
						reasons["check: "+c.Code]++
						fmt.Printf("%s CHECK %d %s %s | %s\n", path, c.Span.Line(), c.Code, c.Message, c.Span.File.Line(c.Span.Line()))
						break
					}
				}
			} else if len(m.Unsaid) == 0 {
				checks++
			}
			if file != "" {
				withData++
				if len(m.Unsaid) == 0 && !diag.HasErrors(cs) {
					_, bs := compiler.LoadText("model.ppl", m.Text, []compiler.DataArg{{Path: file}}, compiler.DefaultRowCache())
					if diag.HasErrors(bs) {
						for _, c := range bs {
							if c.Severity == diag.Error {
								reasons["bind: "+c.Code]++
								fmt.Printf("%s BIND %s %s\n", path, c.Code, c.Message)
								break
							}
						}
					} else {
						boundOK++
					}
				}
			}
		}()
		return nil
	})
	var keys []string
	for k := range reasons {
		keys = append(keys, k)
	}
	sort.Slice(keys, func(i, j int) bool { return reasons[keys[i]] > reasons[keys[j]] })
	for _, k := range keys {
		fmt.Println(reasons[k], k)
	}
	fmt.Println("total", total, "complete", complete, "check", checks, "with data", withData, "bound", boundOK)
}
