// Package rdump reads data in the form in which R's functions dump and dput write them and RStan reads them:
// assignments of numbers, texts, vectors, ranges, arrays, factors, dates, and lists and data frames of these. From
//
//	N <- 3L                                             N: a scalar
//	x <- c(1.5, NA, 2)                                  x: Shape [3]
//	M <- structure(1:6, .Dim = c(2L, 3L))               M: Shape [2, 3], Values [1, 3, 5, 2, 4, 6]
//	structure(list(y = 1:2), class = "data.frame")      y: a column
//
// it reads the arrays on the right, with values in row-major order; in R the index of the first axis changes fastest.
// The syntax is the part of the R Language Definition, chapter "Parser", that these functions write.
package rdump

import (
	"fmt"
	"strings"

	"ppl/compiler/datasets/datafile/content"
)

// Read reads the values of a file. Errors contain the line.
func Read(path, text string) (*content.File, error) {
	r := &parser{scan: scanner{text: text}}
	r.next()
	f := content.NewFile(path, false)
	for r.token != "" {
		first := len(f.Order) == 0
		name, v, err := r.statement()
		if err == nil {
			f.Table = first && r.token == "" && v.is("data.frame")
			err = addValue(f, name, v)
		}
		if err != nil {
			return nil, fmt.Errorf("%s:%d: %w", path, 1+strings.Count(text[:min(r.place, len(text))], "\n"), err)
		}
	}
	return f, nil
}

// addValue adds a value with its name. It adds the items of a list, and the columns of a data frame, with their names.
func addValue(f *content.File, name string, v *rValue) error {
	if v.list {
		for i, item := range v.items {
			item.scalar = item.scalar && !v.is("data.frame")
			if err := addValue(f, v.nameOf(i), item); err != nil {
				return err
			}
		}
		if rows := v.attributes["row.names"]; rows != nil && rows.text && f.Table {
			f.RowNames = rows.array("the names of rows", f.Path)
		}
		return nil
	}
	if name == "" {
		return fmt.Errorf("a value has no name; write `name <- value`")
	}
	if _, twice := f.Arrays[content.Visible(name)]; twice {
		return fmt.Errorf("`%s` is defined twice", name)
	}
	a, err := v.shaped(name, f.Path)
	if err != nil {
		return fmt.Errorf("`%s`: %w", name, err)
	}
	f.Add(a)
	return nil
}
