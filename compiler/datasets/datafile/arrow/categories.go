package arrow

// schemaMost bounds the memory that a schema may take.
const schemaMost = 64 << 20

// Categories reads an Arrow schema; one that cannot be read says nothing.
func Categories(path string, raw []byte) map[string]bool {
	defer func() { _ = recover() }() // of a damaged schema, which only describes the columns
	arrow := &reader{path: path, memory: schemaMost, left: schemaMost, words: map[int64]cells{}}
	if _, err := arrow.next(raw); err != nil {
		return nil
	}
	found := map[string]bool{}
	for _, f := range arrow.fields {
		if f.dictionary {
			found[f.name] = f.ordered
		}
	}
	return found
}
