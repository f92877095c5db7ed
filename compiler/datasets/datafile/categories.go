package datafile

import (
	"encoding/base64"
	"encoding/json"
	"slices"

	"github.com/parquet-go/parquet-go"
)

// Ordered categories, as pandas and R have them, keep their order. Arrow and Feather files mark them; Parquet files of
// both hold the Arrow schema of the table, and those of pandas a description of their own. The categories are the
// dictionary of the column, also those that no row has.

// ordered gives a column of texts the order of categories. Texts that are no categories leave it as it is.
func (a *Array) ordered(categories []string) {
	place := map[string]float64{}
	for i, c := range categories {
		if place[visible(c)] != 0 {
			return
		}
		place[visible(c)] = float64(i + 1)
	}
	for _, label := range a.Labels {
		if place[label] == 0 {
			return
		}
	}
	labels := a.Labels
	a.Values = a.Values.Map(func(v float64) float64 {
		if v != v {
			return v
		}
		return place[labels[int(v)-1]]
	})
	a.Labels, a.Ordered = make([]string, len(categories)), true
	for i, c := range categories {
		a.Labels[i] = visible(c)
	}
}

// orderedColumns are the names of the columns of a Parquet file that have ordered categories.
func orderedColumns(path string, in *parquet.File) (names []string) {
	if text, ok := in.Lookup("ARROW:schema"); ok {
		if raw, err := base64.StdEncoding.DecodeString(text); err == nil {
			return orderedInSchema(path, raw)
		}
	}
	text, _ := in.Lookup("pandas")
	var about struct {
		Columns []struct {
			Name     string `json:"field_name"`
			Metadata struct {
				Ordered bool `json:"ordered"`
			} `json:"metadata"`
		} `json:"columns"`
	}
	if json.Unmarshal([]byte(text), &about) == nil {
		for _, c := range about.Columns {
			if c.Metadata.Ordered {
				names = append(names, c.Name)
			}
		}
	}
	return names
}

// schemaMost bounds the memory that a schema may take.
const schemaMost = 64 << 20

// orderedInSchema reads an Arrow schema; one that cannot be read says nothing.
func orderedInSchema(path string, raw []byte) (names []string) {
	defer func() { _ = recover() }() // of a damaged schema, which only describes the columns
	arrow := &arrowFile{path: path, most: schemaMost, left: schemaMost, words: map[int64]cells{}}
	if _, err := arrow.next(raw); err != nil {
		return nil
	}
	for _, f := range arrow.fields {
		if f.ordered {
			names = append(names, f.name)
		}
	}
	return names
}

// categoriesOf are the texts of the dictionaries of a column, in order; nil if row groups have different ones.
func categoriesOf(in *parquet.File, column int) (all []string) {
	for _, group := range in.RowGroups() {
		pages := group.ColumnChunks()[column].Pages()
		page, err := pages.ReadPage()
		var words []string
		if err == nil {
			if d := page.Dictionary(); d != nil {
				for i := range d.Len() {
					words = append(words, string(d.Index(int32(i)).ByteArray()))
				}
			}
			parquet.Release(page)
		}
		if err := pages.Close(); err != nil {
			return nil
		}
		switch {
		case words == nil, all != nil && !slices.Equal(all, words):
			return nil
		}
		all = words
	}
	return all
}
