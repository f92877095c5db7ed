package compiler_test

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode/utf16"

	"ppl/compiler"
	"ppl/compiler/compilertest"
	"ppl/compiler/datasets/datafile"
	"ppl/lang/diag"
)

// These tests read one table in the forms in which people and programs write it. Each form must give the same density,
// or an error message that names the cause.

// surveyModel reads nested groups, an order of texts, counts, decimals, and missing values.
const surveyModel = `data school[N]: index(S), district[S]: index(D), income[D]
data answer[N]: index(K) order "never", "sometimes", "often", x[N], count[N], y[N], w[N] missing
mu, b ~ Normal(0, 1)
d[j in D] ~ Normal(mu + income[j] / 1000, 1)
s[j in S] ~ Normal(d[district[j]], 1)
cut[1..2] ~ Normal(0, 2) ordered
answer[i in N] ~ OrderedLogistic(b * x[i], cut)
count[i in N] ~ Poisson(log = 5 + s[school[i]])
y[i in N] ~ Normal(s[school[i]] + x[i], 1)
w[i in N] ~ Normal(mu, 2)
`

// A cell is a text or a number.
type cell struct {
	text   string
	number float64
	isText bool
}

func text(s string) cell            { return cell{text: s, isText: true} }
func numeral(x float64) cell        { return cell{number: x} }
func (c cell) missing() bool        { return !c.isText && math.IsNaN(c.number) }
func (t table) column(i int) string { return t.names[i] }

type table struct {
	names []string
	rows  [][]cell
}

// survey returns the table without faults.
func survey() table {
	t := table{names: []string{"school", "district", "income", "answer", "x", "count", "y", "w"}}
	schools := []struct {
		name, district string
		income         float64
	}{{"Møre", "Nord", 1234.5}, {"Zürich", "Süd", 987.25}, {"St. Mary's", "Nord", 1234.5}, {"Oak", "West", 12345.75}}
	answers := []string{"never", "often", "sometimes"}
	for i := range 24 {
		s := schools[i*7%4]
		w := float64(i*i%9) - 3.5
		if i%5 == 2 {
			w = math.NaN()
		}
		t.rows = append(t.rows, []cell{text(s.name), text(s.district), numeral(s.income), text(answers[i%3]),
			numeral(float64(i%7)*0.5 - 1), numeral(float64(100 + 97*i)), numeral(float64(i%5) - 1.75), numeral(w)})
	}
	return t
}

// A writing describes how a table is written as text.
type writing struct {
	separator, decimal, thousands, missing, newline string
	quoted                                          bool
}

func (w writing) number(x float64) string {
	s := strconv.FormatFloat(math.Abs(x), 'f', -1, 64)
	whole, part, _ := strings.Cut(s, ".")
	for at := len(whole) - 3; at > 0 && w.thousands != ""; at -= 3 {
		whole = whole[:at] + w.thousands + whole[at:]
	}
	if part != "" {
		whole += w.decimal + part
	}
	if x < 0 {
		return "-" + whole
	}
	return whole
}

func (w writing) field(c cell) string {
	s := c.text
	switch {
	case c.missing():
		return w.missing
	case !c.isText:
		s = w.number(c.number)
	}
	if w.quoted || strings.ContainsAny(s, w.separator+"\"\n") {
		return `"` + strings.ReplaceAll(s, `"`, `""`) + `"`
	}
	return s
}

func (w writing) write(t table) string {
	var b strings.Builder
	for i, name := range t.names {
		if i > 0 {
			b.WriteString(w.separator)
		}
		b.WriteString(w.field(text(name)))
	}
	b.WriteString(w.newline)
	for _, row := range t.rows {
		for i, c := range row {
			if i > 0 {
				b.WriteString(w.separator)
			}
			b.WriteString(w.field(c))
		}
		b.WriteString(w.newline)
	}
	return b.String()
}

// shuffled returns the table with its rows in another order.
func (t table) shuffled(seed uint64) table {
	rows := append([][]cell(nil), t.rows...)
	rand.New(rand.NewPCG(seed, 1)).Shuffle(len(rows), func(i, j int) { rows[i], rows[j] = rows[j], rows[i] })
	return table{t.names, rows}
}

// with returns the table with an additional first or last column.
func (t table) with(name string, first bool, value func(row int) cell) table {
	out := table{names: append(append([]string(nil), t.names...), name)}
	if first {
		out.names = append([]string{name}, t.names...)
	}
	for i, row := range t.rows {
		if first {
			out.rows = append(out.rows, append([]cell{value(i)}, row...))
		} else {
			out.rows = append(out.rows, append(append([]cell(nil), row...), value(i)))
		}
	}
	return out
}

// only returns the given columns. If there are at most three, duplicate rows are removed.
func (t table) only(names ...string) table {
	out, seen := table{names: names}, map[string]bool{}
	for _, row := range t.rows {
		var part []cell
		for _, name := range names {
			for i, n := range t.names {
				if n == name {
					part = append(part, row[i])
				}
			}
		}
		if key := fmt.Sprint(part); len(names) > 3 || !seen[key] {
			seen[key] = true
			out.rows = append(out.rows, part)
		}
	}
	return out
}

// A tableForm is one form of the table.
type tableForm struct {
	name    string
	files   map[string][]byte // given in the order of args
	args    []string
	model   string // empty: surveyModel
	refused string // part of the error message; empty: the form is read without error
}

func one(name, file string, content []byte) tableForm {
	return tableForm{name: name, files: map[string][]byte{file: content}, args: []string{file}}
}

var plainWriting = writing{separator: ",", decimal: ".", missing: "NA", newline: "\n"}

// writtenForms returns tables with various separators, number formats, quotes, line ends and encodings.
func writtenForms() (all []tableForm) {
	seed := uint64(0)
	for _, sep := range []struct{ mark, file string }{{",", "d.csv"}, {";", "d.csv"}, {"\t", "d.tsv"}, {"\t", "d.csv"},
		{"|", "d.csv"}} {
		for _, decimal := range []string{".", ","} {
			for _, thousands := range []string{"", ",", ".", " ", "\u00a0", "\u202f", "'", "’"} {
				for _, quoted := range []bool{false, true} {
					if decimal == thousands {
						continue
					}
					seed++
					w := writing{sep.mark, decimal, thousands, "NA", "\n", quoted}
					all = append(all, one(fmt.Sprintf("separator %q, decimals %q, thousands %q, quotes %v in %s",
						sep.mark,
						decimal, thousands, quoted, sep.file), sep.file, []byte(w.write(survey().shuffled(seed)))))
				}
			}
		}
	}
	for _, newline := range []string{"\n", "\r\n", "\r"} {
		for encoding, encode := range encodings() {
			w := writing{";", ",", ".", "", newline, false}
			all = append(all, one(fmt.Sprintf("%s with %q", encoding, newline), "d.csv", encode(w.write(survey()))))
		}
	}
	return all
}

func encodings() map[string]func(string) []byte {
	return map[string]func(string) []byte{
		"UTF-8":      func(s string) []byte { return []byte(s) },
		"UTF-8, BOM": func(s string) []byte { return []byte("\ufeff" + s) },
		"UTF-16": func(s string) (out []byte) {
			for _, u := range utf16.Encode([]rune("\ufeff" + s)) {
				out = append(out, byte(u), byte(u>>8))
			}
			return out
		},
		"UTF-16, big-endian": func(s string) (out []byte) {
			for _, u := range utf16.Encode([]rune("\ufeff" + s)) {
				out = append(out, byte(u>>8), byte(u))
			}
			return out
		},
		"Windows-1252": func(s string) (out []byte) {
			for _, r := range s {
				out = append(out, byte(r))
			}
			return out
		},
		"gzip": func(s string) []byte {
			var b bytes.Buffer
			z := gzip.NewWriter(&b)
			_, _ = z.Write([]byte(s))
			_ = z.Close()
			return b.Bytes()
		},
	}
}

// layoutForms returns tables with other columns, or in several files.
func layoutForms() (all []tableForm) {
	t, w := survey(), plainWriting
	add := func(name string, content string) { all = append(all, one(name, "d.csv", []byte(content))) }
	count := func(i int) cell { return numeral(float64(i)) }
	add("pandas index", w.write(t.with("", true, count)))
	add("R's names of rows", w.write(t.with("", true, func(i int) cell { return text(strconv.Itoa(i + 1)) })))
	header, rest, _ := strings.Cut(w.write(t.with("", true, count)), "\n")
	add("R's write.table", strings.TrimPrefix(header, ",")+"\n"+rest)
	add("a column without a name and without content", strings.ReplaceAll(w.write(t), "\n", ",\n"))
	add("a first line that is empty", "\n"+w.write(t))
	add("a line for the separator", "sep=,\n"+w.write(t))
	add("spaces after separators", strings.ReplaceAll(w.write(t), ",", ", "))
	add("no end of the last line", strings.TrimSuffix(w.write(t), "\n"))
	add("unused columns", w.write(t.with("note", false, func(int) cell { return text("a, \"b\"") })))
	add("two unused columns of a name", w.write(t.with("note", false, count).with("note", true, count)))
	add("an unused column in two ways of writing", w.write(t.with("note", false, func(i int) cell {
		return text([]string{"1.5", "1,5"}[i%2])
	})))
	add("numbers as texts", w.write(t.with("note", false, count)))
	for code, name := range map[string]string{"": "empty", "NaN": "NaN", "nan": "nan", "na": "na"} {
		w := w
		w.missing = code
		add("missing as "+name, w.write(t))
	}
	for code, declared := range map[string]string{".": `"."`, "#N/A": `"#N/A"`, "NULL": `"NULL"`, "-99": "-99",
		"n/a": `"x", "n/a"`, "-": `"-"`} {
		w := w
		w.missing = code
		f := one("missing as "+code, "d.csv", []byte(w.write(t)))
		f.model = strings.Replace(surveyModel, "w[N] missing", "w[N] missing "+declared, 1)
		all = append(all, f)
		f.name = "missing in the file as " + code
		f.model = strings.Replace(surveyModel, "w[N] missing", "w[N] missing from \"d.csv\" missing "+declared, 1)
		f.model = strings.Replace(f.model, "income[D]", `income[D] from "d.csv"`, 1)
		f.args = nil
		all = append(all, f)
	}
	rows, schools, districts := t.only("school", "answer", "x", "count", "y", "w"), t.only("school", "district"),
		t.only("district", "income")
	parts := map[string][]byte{"rows.csv": []byte(w.write(rows.shuffled(1))), "schools.csv": []byte(w.write(
		schools.shuffled(2))), "districts.csv": []byte(w.write(districts.shuffled(3)))}
	for _, args := range [][]string{{"rows.csv", "schools.csv", "districts.csv"}, {"schools.csv", "districts.csv",
		"rows.csv"}, {"districts.csv", "rows.csv", "schools.csv"}} {
		all = append(all, tableForm{name: "files " + strings.Join(args, ", "), files: parts, args: args})
	}
	two := map[string][]byte{"rows.csv": []byte(w.write(t.only("school", "district", "answer", "x", "count", "y",
		"w"))),
		"districts.csv": []byte(writing{";", ",", ".", "", "\r\n", true}.write(districts.shuffled(4)))}
	all = append(all, tableForm{name: "two files", files: two, args: []string{"rows.csv", "districts.csv"}},
		tableForm{name: "two files, the other order", files: two, args: []string{"districts.csv", "rows.csv"}})
	return append(all, one("JSON", "d.json", []byte(t.json())))
}

// json returns the table as a JSON object with a list for each column.
func (t table) json() string {
	var parts []string
	for i := range t.names {
		var list []string
		for _, row := range t.rows {
			switch c := row[i]; {
			case c.missing():
				list = append(list, "null")
			case c.isText:
				list = append(list, strconv.Quote(c.text))
			default:
				list = append(list, strconv.FormatFloat(c.number, 'g', -1, 64))
			}
		}
		parts = append(parts, strconv.Quote(t.column(i))+": ["+strings.Join(list, ", ")+"]")
	}
	return "{" + strings.Join(parts, ",\n") + "}"
}

// changed returns the table with one cell changed.
func (t table) changed(column string, row int, to string) table {
	out := table{names: t.names}
	for i, old := range t.rows {
		cells := append([]cell(nil), old...)
		for k, name := range t.names {
			if name == column && (i == row || row < 0) {
				cells[k] = text(strings.ReplaceAll(to, "@", plainWriting.number(old[k].number)))
			}
		}
		out.rows = append(out.rows, cells)
	}
	return out
}

// refusedForms returns tables that cannot be read, or only ambiguously.
func refusedForms() (all []tableForm) {
	t, w := survey(), plainWriting
	for _, c := range []struct{ name, content, says string }{
		{"percent signs", w.write(t.changed("x", -1, "@%")), "currencies and percent"},
		{"currency", w.write(t.changed("income", -1, "€@")), "currencies and percent"},
		{"negative numbers in parentheses", w.write(t.changed("y", 3, "(12)")), "write negative numbers with a minus"},
		{"units", w.write(t.changed("x", -1, "@ kg")), "leave units out"},
		{"a limit", w.write(t.changed("y", 2, "<0.5")), "censored"},
		{"an error of a spreadsheet", w.write(t.changed("y", 2, "#DIV/0!")), "error of a spreadsheet"},
		{"a code for missing values", w.write(t.changed("y", 2, ".")), "missing"},
		{"an unknown answer", w.write(t.changed("answer", 2, "Never")), "did you mean \"never\"?"},
		{"an income that varies", w.write(t.changed("income", 5, "7")), "has one value for each element of D"},
		{"two ways of writing", writing{";", ".", "", "NA", "\n", false}.write(t.changed("y", 2, "1,5")),
			"decimal comma"},
		{"a title", "Survey of 2024,,,,,,,\n" + w.write(t), "line 1 must contain the names of the columns"},
		{"a comment", "# exported, 2024\n" + w.write(t), "delete the lines that begin with #"},
		{"a line with too many fields", w.write(t) + "a,b,1,never,1,1,1,1,1\n", "has 9 fields"},
		{"a NUL byte", strings.Replace(w.write(t), "often", "of\x00ten", 1), "NUL byte"},
		{"two columns of a name", w.write(t.with("y", false, func(int) cell { return numeral(1) })), "both named"},
		{"a header again", w.write(t) + strings.Join(t.names, ",") + "\n", "is not in the order"},
	} {
		f := one(c.name, "d.csv", []byte(c.content))
		f.refused = c.says
		all = append(all, f)
	}
	whole := survey()
	for _, row := range whole.rows {
		for _, k := range []int{2, 4, 6, 7} { // no decimals anywhere
			row[k] = numeral(1)
		}
	}
	for _, mark := range []string{".", ","} {
		f := one("marks that could be either "+mark, "d.csv",
			[]byte(writing{";", ".", mark, "NA", "\n", false}.write(whole)))
		f.refused = "between thousands"
		all = append(all, f)
	}
	book := one("a workbook", "d.xlsx", []byte("PK\x03\x04"))
	book.refused = "save the sheet as CSV"
	return append(all, book)
}

// TestFormsOfOneTable checks that some 250 forms of one table have the same density, except those that must be refused.
func TestFormsOfOneTable(t *testing.T) {
	t.Parallel()
	forms := slices.Concat(writtenForms(), layoutForms(), binaryForms(t), keyForms(), refusedForms(), workbookForms())
	read := 0
	clean, message := densityOf(t, one("clean", "d.csv", []byte(plainWriting.write(survey()))))
	if message != "" {
		t.Fatal(message)
	}
	for _, f := range forms {
		got, message := densityOf(t, f)
		switch {
		case f.refused != "":
			if !strings.Contains(message, f.refused) {
				t.Errorf("%s: density %v, %q; want a message with %q", f.name, got, message, f.refused)
			}
		case message != "":
			t.Errorf("%s: %s", f.name, message)
		case math.Abs(got-clean) > 1e-9*math.Abs(clean):
			t.Errorf("%s: the density is %v, want %v", f.name, got, clean)
		default:
			read++
		}
	}
	t.Logf("%d of %d forms are read", read, len(forms))
	if read < 190 || len(forms) < 250 {
		t.Errorf("%d of %d forms are read", read, len(forms))
	}
	// planted fault: another table must have another density
	other, _ := densityOf(t, one("other", "d.csv", []byte(plainWriting.write(survey().changed("x", 3, "7")))))
	if math.Abs(other-clean) < 1e-6 {
		t.Error("another table has the same density")
	}
}

// densityOf returns the log density of a form at a fixed point, or the error message.
func densityOf(t *testing.T, f tableForm) (density float64, message string) {
	t.Helper()
	dir := t.TempDir()
	for name, content := range f.files {
		if err := os.WriteFile(filepath.Join(dir, name), content, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	var args []compiler.DataArg
	for _, name := range f.args {
		args = append(args, compiler.DataArg{Path: filepath.Join(dir, name)})
	}
	model := f.model
	if model == "" {
		model = surveyModel
	}
	p, ds := compiler.Load(compiler.Request{Path: filepath.Join(dir, "m.ppl"), Text: model, Data: args,
		Cache: &datafile.RowCache{Memory: 1 << 30, Dir: dir}})
	if diag.HasErrors(ds) {
		for _, d := range ds {
			message += d.Message + " " + d.Help + "\n"
		}
		return 0, message
	}
	theta := make([]float64, p.Dim())
	for i := range theta {
		theta[i] = 0.3*math.Sin(float64(i+1)) + 0.1
	}
	prior, likelihood, _ := compilertest.Density(p, theta)
	return prior + likelihood, ""
}
