// A library for wine 8, which lacks the one function of Windows' bcryptprimitives.dll that Go calls. It is built for
// release-check alone and is part of no release:
//
//	x86_64-w64-mingw32-gcc -shared -o bcryptprimitives.dll prng.c -ladvapi32
#include <stddef.h>

// Windows exports it as SystemFunction036.
unsigned char __stdcall SystemFunction036(void *buffer, unsigned long length);

__declspec(dllexport) int __stdcall ProcessPrng(unsigned char *buffer, size_t length)
{
	const size_t most = 65536;
	while (length > 0) {
		size_t part = length < most ? length : most;
		if (!SystemFunction036(buffer, (unsigned long)part))
			return 0;
		buffer += part;
		length -= part;
	}
	return 1;
}
