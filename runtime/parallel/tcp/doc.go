// Package tcp joins ranks over TCP, where no launcher of MPI starts them: rank 0 listens, the others call it.
//
//	l, err := tcp.Listen(":7437", party)         on rank 0; party has the secret and the build
//	comm, err := l.Join(ctx, 3, note)            with three workers: comm is a ranks.Comm of size 4
//	comm, err := tcp.Connect(ctx, "host:7437", party, note)   on each of the others
//	comm.Close()
//
// Connections are encrypted by TLS 1.3, with a certificate that a process makes for itself and that proves nothing. Who
// is there is proved by the secret: each side sends the HMAC of the secret and of a number that both have by their TLS
// handshake (RFC 9266, "Channel Bindings for TLS 1.3"). Somebody between them who does not have the secret has another
// such number on each side, and what was recorded of one connection is of no use for another. Before a worker has
// proved that it has the secret, rank 0 reads 41 bytes of it and sends no proof of its own.
//
// The connections are a star with rank 0 in the middle. A gather of n ranks that has T bytes in all takes 2(n − 1)
// messages, one to rank 0 from each worker and one back, and (n − 1)·T bytes of data: as many as in a ring, but all of
// them over the network of rank 0, and in two steps, whatever n is. To collect parts at rank 0 takes one message of
// each worker that has a part, and each byte is sent once.
//
// A rank whose connection ends, or that sends nothing for Party.Silence, has gone: all calls of the others fail, with a
// message that names it. Ranks send a sign of life ten times in that time, also while they compute.
package tcp
