package export

import (
	"io"

	"github.com/parquet-go/parquet-go"
)

// columns is a group whose columns keep their order. A parquet.Group sorts columns by name: x[1], x[10], x[2].
type columns struct {
	parquet.Group
	order []string
}

// Fields returns the columns in the given order.
func (c columns) Fields() []parquet.Field {
	named := map[string]parquet.Field{}
	for _, f := range c.Group.Fields() {
		named[f.Name()] = f
	}
	fields := make([]parquet.Field, len(c.order))
	for i, name := range c.order {
		fields[i] = named[name]
	}
	return fields
}

// groupNumbers is the maximum number of values in a row group. The writer holds one row group in memory.
const groupNumbers = 1 << 21

// writeParquet writes the columns chain and draw, counted from 1, and a column of doubles or integers for each element.
func writeParquet(w io.Writer, t table, _ int) error {
	group := columns{parquet.Group{"chain": parquet.Int(64), "draw": parquet.Int(64)}, []string{"chain", "draw"}}
	for _, c := range t.columns {
		node := parquet.Leaf(parquet.DoubleType)
		if c.variable.Int {
			node = parquet.Int(64)
		}
		name := c.heading()
		group.Group[name], group.order = node, append(group.order, name)
	}
	schema := parquet.NewSchema("draws", group)
	places := map[string]int{}
	for i, name := range group.order {
		places[name] = i
	}
	out := parquet.NewGenericWriter[any](w, schema, parquet.Compression(&parquet.Snappy),
		parquet.MaxRowsPerRowGroup(int64(max(1, groupNumbers/len(places)))))
	row := make(parquet.Row, len(places))
	set := func(name string, v parquet.Value) {
		row[places[name]] = v.Level(0, 0, places[name])
	}
	err := t.allRows(func(chain, draw int, numbers []float64) error {
		set("chain", parquet.Int64Value(int64(chain+1)))
		set("draw", parquet.Int64Value(int64(draw+1)))
		for k, c := range t.columns {
			v := parquet.DoubleValue(numbers[k])
			if c.variable.Int {
				v = parquet.Int64Value(int64(numbers[k]))
			}
			set(c.heading(), v)
		}
		_, err := out.WriteRows([]parquet.Row{row})
		return err
	})
	if err != nil {
		return err
	}
	return out.Close()
}
