// The functions of libcublas that package cuda calls, on the processor. A product is a launch of libcuda of this directory, so that a graph
// keeps it. CUDASIM_CUBLAS_VERSION is its major version; CUDASIM_CUBLAS=cublasCreate_v2:3 answers a function with a status.
#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef int status;
typedef uint64_t address;
enum { invalid = 7 };

static status answer(const char *name) {
  const char *failure = getenv("CUDASIM_CUBLAS");
  char which[64];
  int code;
  return failure && sscanf(failure, "%63[^:]:%d", which, &code) == 2 && !strcmp(which, name) ? code : 0;
}

// What a handle has been given; it is ready with all of it, the stream before the workspace.
typedef struct {
  void *stream;
  int workspace, math;
} handle;

status cublasGetProperty(int which, int *value) {
  const char *version = getenv("CUDASIM_CUBLAS_VERSION");
  *value = which ? 8 : version && *version ? atoi(version) : 12;
  return 0;
}
status cublasCreate_v2(handle **h) {
  *h = calloc(1, sizeof **h);
  return answer(__func__);
}
status cublasDestroy_v2(handle *h) { return free(h), 0; }
status cublasSetStream_v2(handle *h, void *stream) { return h->stream = stream, h->workspace = 0; }
status cublasSetWorkspace_v2(handle *h, void *at, size_t bytes) {
  h->workspace = at && (address)at % 256 == 0 && bytes == 32 << 20;
  return !h->workspace * invalid;
}
status cublasSetMathMode(handle *h, int mode) { return h->math = 1, mode ? invalid : 0; }

// Matrices are stored by columns.
typedef struct {
  int transA, transB, m, n, k, lda, ldb, ldc, batch;
  int64_t eachA, eachB, eachC;
  address a, b, c;
} product;
#define PRODUCT(name, number) \
  static void name(address of, address x, address y, address z, uint64_t threads) { \
    const product *p = (const product *)of; \
    for (int n = 0; n < p->batch; n++) \
      for (int i = 0; i < p->m; i++) \
        for (int j = 0; j < p->n; j++) { \
          const number *a = (const number *)p->a + n * p->eachA, *b = (const number *)p->b + n * p->eachB; \
          number sum = 0; \
          for (int k = p->k - 1; k >= 0; k--) \
            sum += a[p->transA ? k + (long)i * p->lda : i + (long)k * p->lda] * b[p->transB ? j + (long)k * p->ldb : k + (long)j * p->ldb]; \
          ((number *)p->c + n * p->eachC)[i + (long)j * p->ldc] = sum; \
        } \
  }
PRODUCT(ofSingles, float)
PRODUCT(ofDoubles, double)

// The product is kept for good: a graph launches it again.
static status start(handle *h, void *f, const product *p) {
  typedef int launcher(void *, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, void *, void **, void **);
  launcher *launch = (launcher *)dlsym(RTLD_DEFAULT, "cuLaunchKernel");
  if (!launch || !h->stream || !h->workspace || !h->math) return invalid;
  product *copy = malloc(sizeof *copy);
  *copy = *p;
  address arg[4] = {(address)copy};
  void *args[4] = {&arg[0], &arg[1], &arg[2], &arg[3]};
  return launch(f, 1, 1, 1, 32, 1, 1, 0, h->stream, args, NULL) ? 13 : 0;
}
#define STRIDED(name, f, number) \
  status name(handle *h, int transA, int transB, int m, int n, int k, const number *alpha, address a, int lda, int64_t eachA, address b, int ldb, \
              int64_t eachB, const number *beta, address c, int ldc, int64_t eachC, int batch) { \
    status s = answer(__func__); \
    if (s || *alpha != 1 || *beta != 0) return s ? s : invalid; \
    return start(h, (void *)f, &(product){transA, transB, m, n, k, lda, ldb, ldc, batch, eachA, eachB, eachC, a, b, c}); \
  }
STRIDED(cublasSgemmStridedBatched, ofSingles, float)
STRIDED(cublasDgemmStridedBatched, ofDoubles, double)
