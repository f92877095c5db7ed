package export

import (
	"io"

	"github.com/parquet-go/parquet-go"
)

// writeParquet has the columns chain and draw, from 1, and one of doubles, or integers, for each element.
func writeParquet(w io.Writer, t table, _ int) error {
	group := parquet.Group{"chain": parquet.Int(64), "draw": parquet.Int(64)}
	for _, c := range t.columns {
		node := parquet.Leaf(parquet.DoubleType)
		if c.variable.Int {
			node = parquet.Int(64)
		}
		group[c.variable.Element(c.element)] = node
	}
	schema := parquet.NewSchema("draws", group)
	places := map[string]int{} // the schema's own order
	for i, path := range schema.Columns() {
		places[path[0]] = i
	}
	out := parquet.NewGenericWriter[any](w, schema, parquet.Compression(&parquet.Snappy))
	row := make(parquet.Row, len(places))
	set := func(name string, v parquet.Value) {
		row[places[name]] = v.Level(0, 0, places[name])
	}
	err := t.rows(func(chain, draw int) error {
		set("chain", parquet.Int64Value(int64(chain+1)))
		set("draw", parquet.Int64Value(int64(draw+1)))
		for _, c := range t.columns {
			v := parquet.DoubleValue(c.at(chain, draw))
			if c.variable.Int {
				v = parquet.Int64Value(int64(c.at(chain, draw)))
			}
			set(c.variable.Element(c.element), v)
		}
		_, err := out.WriteRows([]parquet.Row{row})
		return err
	})
	if err != nil {
		return err
	}
	return out.Close()
}
