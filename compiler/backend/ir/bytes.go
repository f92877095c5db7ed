package ir

import "ppl/numbers"

// Bytes reports, by buffer, large data that are whole numbers from 0 to 255, such as pixels, and that only kernels
// read: a device may keep a byte of each, an eighth of the memory. Only programs whose lanes are apart have them.
func (p *Program) Bytes() []bool {
	bytes := make([]bool, len(p.Buffers))
	if p.Layout != Apart {
		return bytes
	}
	for i, b := range p.Buffers {
		bytes[i] = b.Space == Shared && b.Init.Len() >= numbers.Many && b.Init.AreBytes()
	}
	others(p.Setup, bytes)
	for _, e := range p.Entries {
		others(e.Body, bytes)
	}
	return bytes
}

// others takes out what statements other than kernels read.
func others(body []Stmt, bytes []bool) {
	for _, s := range body {
		switch s := s.(type) {
		case *Kernel:
		case *Loop:
			others(s.Body, bytes)
		case *Tiles:
			others(s.Body, bytes)
		default:
			for _, id := range Reads(s) {
				bytes[id] = false
			}
		}
	}
}
