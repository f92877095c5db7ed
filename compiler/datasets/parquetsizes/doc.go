// Package parquetsizes checks the sizes that a Parquet file declares before a library allocates memory for them:
//
//	err := parquetsizes.Footer(in, size)                      // the lists of the metadata fit into the file
//	f, err := parquet.OpenFile(in, size, …)
//	err = parquetsizes.Shapes(f)                              // groups of rows have the columns of the file
//	n, err := parquetsizes.Group(in, f, 0, limits)            // pages of the first group of rows take n bytes
//
// The library (parquet-go) allocates what a file declares: elements of lists, values of pages, lengths of runs and the
// sizes of decompressed pages; for LZ4 it doubles the size until decompression succeeds. So a single wrong byte could
// use up the memory of a machine. This package decompresses each page within a bound and compares the declared sizes
// with the contents. It decodes no values except the lengths of texts.
//
// The formats are those of https://parquet.apache.org/docs/file-format and of Thrift's compact protocol
// (https://github.com/apache/thrift/blob/master/doc/specs/thrift-compact-protocol.md).
package parquetsizes
