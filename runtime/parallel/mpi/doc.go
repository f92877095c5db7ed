// Package mpi connects the ranks that an MPI launcher has started:
//
//	comm, err := mpi.Join()     nil if no launcher has started several processes
//	comm.Gather(all, starts)
//	comm.Exit(0)
//
// The MPI library is opened at run time, without cgo, and only under a launcher: the library that belongs to the
// launcher, or the file that PPL_MPI names. Three binary interfaces are supported: those of Open MPI 4 and 5, of MPICH
// 4 and 5, and the standard one of MPI 5.0 (chapter 20, "Application Binary Interface"). All calls are made on one
// thread, at the level MPI_THREAD_FUNNELED.
package mpi
