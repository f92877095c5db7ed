package arrow

// schemaMost is the largest memory, in bytes, that a schema may take.
const schemaMost = 64 << 20

// Categories reads an Arrow schema, and maps each column of categories to whether these are ordered. It returns nil for
// a damaged schema.
func Categories(path string, raw []byte) map[string]bool {
	defer func() { _ = recover() }() // a damaged schema may panic; the schema only describes the columns
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
