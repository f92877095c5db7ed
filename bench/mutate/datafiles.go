package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
)

// dataFiles changes data files: sizes and counts in the headers of binary formats, the contents of compressed files,
// and rows and values of text files.
type dataFiles struct {
	from  string
	seeds []seedFile
}

// A seedFile is a file to change, and a model that reads all of it.
type seedFile struct {
	name, model string
	text        []byte
	byRows      bool // the file can also be streamed by rows
}

func (d *dataFiles) name() string { return "data" }

const regression = "a, s ~ HalfNormal(10)\n%s[i in N] ~ Normal(a, s)\n"

// prepare reads the seed files.
func (d *dataFiles) prepare(_, dir string) error {
	for _, s := range []struct {
		name, model string
		byRows      bool
	}{
		{"mixed.parquet", "data y[N] missing from \"FILE\"\n" + fmt.Sprintf(regression, "y"), true},
		{"dates.parquet", "data day[N] from \"FILE\"\n" + fmt.Sprintf(regression, "day"), true},
		{"packed1.parquet", "data plain[N], dict[N]: index(G), delta[N] from \"FILE\"\n" +
			fmt.Sprintf(regression, "plain"), true},
		{"packed2.parquet", "data split[N], shared[N]: index(G), delta[N] from \"FILE\"\n" +
			fmt.Sprintf(regression, "split"), true},
		{"mixed.feather", "data u[N], g[N]: index(G) from \"FILE\"\n" + fmt.Sprintf(regression, "u"), false},
		{"mixed.arrow", "data u[N], g[N]: index(G) from \"FILE\"\n" + fmt.Sprintf(regression, "u"), false},
		{"mixed.arrows", "data u[N], g[N]: index(G) from \"FILE\"\n" + fmt.Sprintf(regression, "u"), false},
		{"row_major.npy", "data x[N, K] missing from \"FILE\"\na ~ Normal(0, 9)\nx[i in N, k in K] ~ Normal(a, 1)\n",
			true},
		{"column_major.npy",
			"data x[N, K, L] from \"FILE\"\na ~ Normal(0, 9)\nx[i in N, k in K, l in L] ~ Normal(a, 1)\n",
			false},
		{"several.npz", "data x[N, K] missing from \"FILE\"\na ~ Normal(0, 9)\nx[i in N, k in K] ~ Normal(a, 1)\n",
			false},
		{"images-idx3-ubyte.gz", "data x[N, H, W] from \"FILE\"\na ~ Normal(0, 99)\n" +
			"x[i in N, h in H, w in W] ~ Normal(a, 50)\n", true},
		{"table.csv.gz", "data y[N], x[N] from \"FILE\"\n" + fmt.Sprintf(regression, "y"), true},
	} {
		text, err := os.ReadFile(filepath.Join(d.from, s.name))
		if err != nil {
			return err
		}
		d.seeds = append(d.seeds, seedFile{s.name, s.model, text, s.byRows})
	}
	d.seeds = append(d.seeds, writtenSeeds()...)
	return nil
}

// writtenSeeds returns seed files generated here.
func writtenSeeds() []seedFile {
	table, records := "y,x,g\n", []byte(nil)
	for i := range 40 {
		table += fmt.Sprintf("%.2f,%d,%s\n", float64(i)/7, i*i, []string{"Oslo", "Bergen", "Voss"}[i%3])
		records = append(append(records, byte(i%10)), bytes.Repeat([]byte{byte(i)}, 3072)...)
	}
	const of = "data y[N], x[N], g[N]: index(G) from \"FILE\"\n"
	lists := `{"y": [1.5, -2, 3e2], "x": [1, 2, 3], "g": ["a", "b", "a"], "m": [[1, 2, 3], [4, 5, 6]]}`
	return []seedFile{
		{"table.csv", of + fmt.Sprintf(regression, "y"), []byte(table), true},
		{"table.tsv", of + fmt.Sprintf(regression, "y"), []byte(strings.ReplaceAll(table, ",", "\t")), true},
		{"table.json", of + fmt.Sprintf(regression, "y"), []byte(lists), false},
		{"words.txt", "data word[N]: index(V) from \"FILE\"\np[V] ~ Dirichlet(1)\nword[i in N] ~ Categorical(p)\n",
			[]byte("It was the best of times,\nit was the worst of times.\n"), false},
		{"images.bin", "data label[N] from \"FILE\"\n" + fmt.Sprintf(regression, "label"), records, true},
		{"picture.png", "data image[N, H, W] from \"DIR\"\na ~ Normal(0, 99)\n" +
			"image[i in N, h in H, w in W] ~ Normal(a, 50)\n", picture(), false},
	}
}

func picture() []byte {
	m := image.NewGray(image.Rect(0, 0, 6, 5))
	for i := range m.Pix {
		m.Pix[i] = color.Gray{uint8(8 * i)}.Y
	}
	var b bytes.Buffer
	if err := png.Encode(&b, m); err != nil {
		panic(err)
	}
	return b.Bytes()
}

// change makes one to three changes of a seed file.
func (d *dataFiles) change(r *rand.Rand, dir string, number int) (scene, error) {
	s := d.seeds[r.IntN(len(d.seeds))]
	text, what := s.text, s.name
	for range 1 + r.IntN(3) {
		var how string
		text, how = changedFile(r, s.name, text)
		if how != "" {
			what += ", " + how
		}
	}
	file := caseName(number) + "_" + s.name
	path, named := file, file
	if strings.HasSuffix(s.name, ".png") {
		path = filepath.Join(caseName(number)+"_pictures", s.name)
		named = filepath.Dir(path)
		if err := os.MkdirAll(filepath.Join(dir, named), 0o755); err != nil {
			return scene{}, err
		}
	}
	model := caseName(number) + ".ppl"
	source := strings.NewReplacer("FILE", file, "DIR", named).Replace(s.model)
	if err := os.WriteFile(filepath.Join(dir, model), []byte(source), 0o644); err != nil {
		return scene{}, err
	}
	if err := os.WriteFile(filepath.Join(dir, path), text, 0o644); err != nil {
		return scene{}, err
	}
	run := caseName(number) + ".run"
	sample := []string{"sample", model, "--device", "host", "--draws", "4", "--warmup", "4", "--chains", "1", "--quiet",
		"--seed", "1", "--max-time", "4s", "--out", run}
	commands := [][]string{{"check", model}}
	switch {
	case s.byRows && r.IntN(3) == 0:
		const noMemory = "GOMEMLIMIT=1KiB"
		commands = [][]string{append([]string{noMemory}, append(sample, "--set", "batch=1", "--set", "replicas=1")...)}
	case r.IntN(4) == 0:
		commands = append(commands, sample)
	}
	return scene{what: what, names: caseName(number), commands: commands, stop: true}, nil
}

// changedFile makes one change that suits the format.
func changedFile(r *rand.Rand, name string, text []byte) ([]byte, string) {
	switch {
	case strings.HasSuffix(name, ".gz") && r.IntN(3) > 0:
		return inGzip(r, text, strings.TrimSuffix(name, ".gz"))
	case strings.HasSuffix(name, ".npz") && r.IntN(3) > 0:
		return inZip(r, text)
	case strings.HasSuffix(name, ".npy") && r.IntN(3) > 0:
		return inNumpyHeader(r, text)
	case strings.HasSuffix(name, ".png") && r.IntN(3) > 0:
		return inPNG(r, text)
	case strings.HasSuffix(name, ".json") && r.IntN(4) > 0:
		return inJSON(r, text)
	case strings.HasSuffix(name, ".csv"), strings.HasSuffix(name, ".tsv"), strings.HasSuffix(name, ".txt"):
		return inTable(r, text)
	}
	return inBytes(r, text)
}

// inJSON changes one value of a JSON document.
func inJSON(r *rand.Rand, text []byte) ([]byte, string) {
	in := json.NewDecoder(bytes.NewReader(text))
	in.UseNumber()
	var root any
	if in.Decode(&root) != nil {
		return inBytes(r, text)
	}
	how := changeValue(r, &root)
	out, err := json.Marshal(root)
	if err != nil {
		return inBytes(r, text)
	}
	return out, how
}

// changeValue changes one value of a JSON document, chosen at random among all of them.
func changeValue(r *rand.Rand, root *any) (how string) {
	type place struct {
		name string
		get  func() any
		put  func(any)
		drop func()
	}
	var all []place
	var visit func(name string, x any)
	visit = func(name string, x any) {
		switch x := x.(type) {
		case map[string]any:
			for key, value := range x {
				all = append(all, place{name + "." + key, func() any { return x[key] }, func(v any) { x[key] = v },
					func() { delete(x, key) }})
				visit(name+"."+key, value)
			}
		case []any:
			for i, value := range x {
				if i < 20 {
					at := fmt.Sprintf("%s[%d]", name, i)
					all = append(all, place{at, func() any { return x[i] }, func(v any) { x[i] = v },
						func() { x[i] = nil }})
					visit(at, value)
				}
			}
		}
	}
	visit("", *root)
	// map order is random, and a seed must determine the case
	sortBy(all, func(p place) string { return p.name })
	if len(all) == 0 {
		*root = oddValue(r)
		return "another document"
	}
	p := all[r.IntN(len(all))]
	switch r.IntN(6) {
	case 0:
		p.drop()
		return p.name + " removed"
	case 1:
		other := all[r.IntN(len(all))]
		a, b := p.get(), other.get()
		if strings.HasPrefix(p.name, other.name) || strings.HasPrefix(other.name, p.name) {
			return ""
		}
		p.put(b)
		other.put(a)
		return p.name + " and " + other.name + " exchanged"
	}
	v := oddValue(r)
	p.put(v)
	return p.name + " is another value"
}

// oddValue returns an unexpected value.
func oddValue(r *rand.Rand) any {
	deep := any(1)
	for range 200 {
		deep = []any{deep}
	}
	return pick[any](r, nil, true, "", "x", "../../../etc/passwd", strings.Repeat("long", 2000), json.Number("-1"),
		json.Number("0"), json.Number("1"), json.Number("1e308"), json.Number("1e999"),
		json.Number("9223372036854775807"),
		json.Number("9223372036854775808"), json.Number("-9223372036854775808"), json.Number("2147483648"),
		json.Number("0.5"), "NaN", "Infinity", []any{}, map[string]any{}, []any{"a", json.Number("1")}, deep,
		[]any{json.Number("1000000"), json.Number("1000000")}, "\x00\x1b[2J")
}

// inTable changes rows, columns and fields.
func inTable(r *rand.Rand, text []byte) ([]byte, string) {
	mark := pick(r, ",", "\t")
	if bytes.Contains(text, []byte("\t")) {
		mark = "\t"
	}
	lines := strings.Split(string(text), "\n")
	k := r.IntN(len(lines))
	fields := strings.Split(lines[k], mark)
	f := r.IntN(len(fields))
	how := ""
	switch how = pick(r, "field", "field removed", "field repeated", "line removed", "line repeated", "lines exchanged",
		"bytes", "quote", "long", "separator", "column repeated", "encoding"); how {
	case "field":
		fields[f] = pick(r, "", "NA", "1e999", "-0", "0x1F", "1,5", "inf", "é", "\x00", "\xff", "\"", "1_000",
			"2020-01-02",
			"99999999999999999999", " ", "1e-400", strings.Repeat("9", 400), "=1+1", "\r", "true", "00017")
	case "field removed":
		fields = append(fields[:f:f], fields[f+1:]...)
	case "field repeated":
		fields = append(fields, fields[f])
	case "quote":
		fields[f] = `"` + fields[f]
	case "long":
		fields[f] = strings.Repeat(pick(r, "x", "ü", ","), 1<<pick(r, 10, 16, 20))
	}
	lines[k] = strings.Join(fields, mark)
	switch how {
	case "line removed":
		lines = append(lines[:k:k], lines[k+1:]...)
	case "line repeated":
		lines = append(lines[:k+1:k+1], lines[k:]...)
	case "lines exchanged":
		o := r.IntN(len(lines))
		lines[k], lines[o] = lines[o], lines[k]
	case "separator":
		for i := range lines {
			lines[i] = strings.ReplaceAll(lines[i], mark, pick(r, ";", " ", "|", ","))
		}
	case "column repeated":
		for i := range lines {
			lines[i] += mark + lines[i]
		}
	}
	out := []byte(strings.Join(lines, "\n"))
	switch how {
	case "bytes":
		return inBytes(r, out)
	case "encoding":
		return pick(r, append([]byte("\xef\xbb\xbf"), out...), append([]byte("\xff\xfe"), widened(out)...),
			bytes.ReplaceAll(out, []byte("\n"), []byte("\r"))), how
	}
	return out, how
}

// widened converts ASCII text to UTF-16.
func widened(text []byte) (out []byte) {
	for _, b := range text {
		out = append(out, b, 0)
	}
	return out
}
