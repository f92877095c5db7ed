package arrow

import flatbuffers "github.com/google/flatbuffers/go"

// fields is a FlatBuffers table, whose fields are identified by numbers. Its methods panic if they read outside the
// message.
type fields struct{ flatbuffers.Table }

func rootOf(text []byte) fields {
	return fields{flatbuffers.Table{Bytes: text, Pos: flatbuffers.GetUOffsetT(text)}}
}

// at returns the offset of a field in the message; ok is false if the field has its default value.
func (t fields) at(field int) (flatbuffers.UOffsetT, bool) {
	o := flatbuffers.UOffsetT(t.Offset(flatbuffers.VOffsetT(4 + 2*field)))
	return t.Pos + o, o != 0
}

func (t fields) int64(field int) (v int64) {
	if at, ok := t.at(field); ok {
		v = t.GetInt64(at)
	}
	return v
}

func (t fields) int32(field int) (v int32) {
	if at, ok := t.at(field); ok {
		v = t.GetInt32(at)
	}
	return v
}

// int16 returns a field, or v if the field has its default value.
func (t fields) int16(field int, v int16) int16 {
	if at, ok := t.at(field); ok {
		v = t.GetInt16(at)
	}
	return v
}

func (t fields) byte(field int) (v byte) {
	if at, ok := t.at(field); ok {
		v = t.GetByte(at)
	}
	return v
}

// text returns a slice of the message, not a copy, because in a damaged file many fields may have the same long text.
func (t fields) text(field int) (v []byte) {
	if at, ok := t.at(field); ok {
		v = t.ByteVector(at)
	}
	return v
}

func (t fields) table(field int) (fields, bool) {
	at, ok := t.at(field)
	if ok {
		at = t.Indirect(at)
	}
	return fields{flatbuffers.Table{Bytes: t.Bytes, Pos: at}}, ok
}

// vector returns the offset of the first element of a list and the number of elements. Each element has each bytes.
func (t fields) vector(field, each int) (from flatbuffers.UOffsetT, n int) {
	at, ok := t.at(field)
	if !ok {
		return 0, 0
	}
	at -= t.Pos
	from, n = t.Vector(at), t.VectorLen(at)
	if n < 0 || int64(from)+int64(n)*int64(each) > int64(len(t.Bytes)) {
		panic("a list is longer than its message")
	}
	return from, n
}
