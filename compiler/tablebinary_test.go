package compiler_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// binaryForms returns the files of testdata/survey/make.py: Parquet, Feather and Arrow, as pandas and pyarrow write
// them. Some have ordered categories with the order of the model's `order`, which is then omitted; others have none.
func binaryForms(t *testing.T) (all []tableForm) {
	t.Helper()
	paths, err := filepath.Glob("testdata/survey/*.[pfa][are]*")
	if err != nil || len(paths) == 0 {
		t.Fatal("no files of the survey", err)
	}
	unordered := strings.Replace(surveyModel, ` order "never", "sometimes", "often"`, "", 1)
	for _, path := range paths {
		content, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		name := filepath.Base(path)
		f := one(name, name, content)
		all = append(all, f)
		f.name, f.model = name+" with its own order", unordered
		if !strings.HasPrefix(name, "ordered") && name != "lz4.feather" {
			f.refused = "order"
		}
		all = append(all, f)
	}
	for _, name := range []string{"d.parquet", "d.feather", "d.arrow"} {
		f := one("a table of text named "+name, name, []byte(plainWriting.write(survey())))
		f.refused = name
		all = append(all, f)
	}
	return all
}

// keyForms returns tables whose columns, object keys or rows are in another order.
func keyForms() (all []tableForm) {
	t := survey()
	for seed := range uint64(6) {
		names := slices.Clone(t.names)
		swap := int(seed) + 1
		names = append(names[swap:], names[:swap]...)
		if seed%2 == 1 {
			slices.Reverse(names)
		}
		moved := t.shuffled(seed).only(names...)
		label := strings.Join(names, ", ")
		all = append(all, one("columns "+label, "d.csv", []byte(plainWriting.write(moved))),
			one("keys "+label, "d.json", []byte(moved.json())),
			one("records "+label, "d.json", moved.records()))
	}
	return all
}

// records returns a JSON list with an object for each row, as to_json(orient="records") of pandas writes it.
func (t table) records() []byte {
	var rows []string
	for _, row := range t.rows {
		var fields []string
		for i, c := range row {
			value := any(c.number)
			switch {
			case c.missing():
				value = nil
			case c.isText:
				value = c.text
			}
			text, _ := json.Marshal(value)
			key, _ := json.Marshal(t.names[i])
			fields = append(fields, string(key)+":"+string(text))
		}
		rows = append(rows, "{"+strings.Join(fields, ",")+"}")
	}
	return []byte("[" + strings.Join(rows, ",") + "]")
}

// workbookForms returns spreadsheets, also under names with a wrong extension.
func workbookForms() (all []tableForm) {
	zip := slices.Concat([]byte("PK\x03\x04"), make([]byte, 26), []byte("xl/workbook.xml"))
	old := []byte("\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1\x00\x00")
	for name, content := range map[string][]byte{"d.xlsx": zip, "d.xls": old, "d.ods": zip, "d.csv": zip, "d.npz": zip,
		"old.csv": old, "old.tsv": old} {
		f := one("a workbook named "+name, name, content)
		f.refused = "save the sheet as CSV"
		all = append(all, f)
	}
	return all
}
