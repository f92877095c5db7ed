package bind

// An Arg is one --data flag: NAME=PATH, or PATH alone (Name empty) for a file whose entries are arrays by name.
type Arg struct {
	Name, Path string
	Key        string // key of the entry or column in the file; if empty, it is Name
}
