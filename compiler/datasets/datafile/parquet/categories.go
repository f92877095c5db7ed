package parquet

import (
	"encoding/base64"
	"encoding/json"
	"slices"

	"github.com/parquet-go/parquet-go"

	"ppl/compiler/datasets/datafile/arrow"
	"ppl/compiler/datasets/datafile/content"
)

// A column of categories (of pandas) or a factor (of R) is stored with a dictionary, which has all categories in their
// order, including those without rows. Parquet files do not record that a column has categories. But R and pandas add
// the Arrow schema of the table, which records it, and pandas adds a separate description.

// levelsOf returns the categories of a column of texts in their order, or nil if it has no categories.
func levelsOf(in *parquet.File, c *parquet.Column, categorical map[string]bool) (levels []string, ordered bool) {
	if ordered, ok := categorical[c.Name()]; ok && isText(c) {
		return content.Distinct(content.AllVisible(categoriesOf(in, c.Index()))), ordered
	}
	return nil, false
}

// categorical returns the columns of a Parquet file that have categories, and whether the order of these has a meaning.
func categorical(path string, in *parquet.File) map[string]bool {
	if text, ok := in.Lookup("ARROW:schema"); ok {
		if raw, err := base64.StdEncoding.DecodeString(text); err == nil {
			return arrow.Categories(path, raw)
		}
	}
	text, _ := in.Lookup("pandas")
	var about struct {
		Columns []struct {
			Name     string `json:"field_name"`
			Type     string `json:"pandas_type"`
			Metadata struct {
				Ordered bool `json:"ordered"`
			} `json:"metadata"`
		} `json:"columns"`
	}
	found := map[string]bool{}
	if json.Unmarshal([]byte(text), &about) == nil {
		for _, c := range about.Columns {
			if c.Type == "categorical" {
				found[c.Name] = c.Metadata.Ordered
			}
		}
	}
	return found
}

// categoriesOf returns the texts of the dictionary of a column, in order. It returns nil if a row group has no
// dictionary, or if row groups have different ones.
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
