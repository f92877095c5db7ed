package ir

import "ppl/numbers"

// Bytes reports, for each buffer, whether a device may store it with one byte per element, which saves 7/8 of the
// memory. This holds for large data that are integers from 0 to 255, such as pixels, and that only kernels read. No
// buffer qualifies unless the layout is Apart.
func (p *Program) Bytes() []bool {
	bytes := make([]bool, len(p.Buffers))
	if p.Layout != Apart {
		return bytes
	}
	for i, b := range p.Buffers {
		bytes[i] = b.Space == Shared && b.Init.Len() >= numbers.Many && b.Init.AreBytes()
	}
	clearOthers(p.Setup, bytes)
	for _, e := range p.Entries {
		clearOthers(e.Body, bytes)
	}
	return bytes
}

// clearOthers clears the flags of buffers that are read by statements other than kernels.
func clearOthers(body []Stmt, bytes []bool) {
	for _, s := range body {
		switch s := s.(type) {
		case *Kernel:
		case *Loop:
			clearOthers(s.Body, bytes)
		case *Tiles:
			clearOthers(s.Body, bytes)
		default:
			for _, id := range Reads(s) {
				bytes[id] = false
			}
		}
	}
}
