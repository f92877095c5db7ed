// The functions of libcuda that package cuda calls, on a "device" that is the processor, with the arguments of cuda.h. The environment says
// what goes wrong: CUDASIM_FAIL=cuLaunchKernel:3:700 answers the third launch with 700, and whatever comes after it too if that is a fault;
// CUDASIM_FAIL=cuLaunchKernel:/FILE:700 the first launch after there is such a file. There are CUDASIM_DEVICES devices, of which the first
// CUDASIM_ALIKE have one name.
#include <dlfcn.h>
#include <elf.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef int result;
typedef uint64_t address;
enum { mostNames = 32, invalid = 1, fault = 700, noFault = 800, unknown = 999 };

// Each name has a count of calls.
static result answer(const char *name) {
  static struct { const char *name; int calls; } counts[mostNames];
  static result lost;
  int i = 0;
  while (i < mostNames - 1 && counts[i].name && strcmp(counts[i].name, name)) i++;
  counts[i].name = name, counts[i].calls++;
  if (lost) return lost;
  const char *failure = getenv("CUDASIM_FAIL");
  char which[64], when[1024];
  int code;
  if (!failure || sscanf(failure, "%63[^:]:%1023[^:]:%d", which, when, &code) != 3 || strcmp(which, name)) return 0;
  if (*when == '/' ? access(when, F_OK) : atoi(when) != counts[i].calls) return 0;
  if (code >= fault && code < noFault || code == unknown) lost = code;
  return code;
}
static long setting(const char *name, long otherwise) {
  const char *value = getenv(name);
  return value && *value ? atol(value) : otherwise;
}

#define ANSWER \
  do { \
    result r = answer(__func__); \
    if (r) return r; \
  } while (0)

result cuInit(unsigned flags) {
  ANSWER;
  return flags ? invalid : 0;
}
result cuDriverGetVersion(int *version) { return *version = setting("CUDASIM_VERSION", 12080), 0; }
result cuDeviceGetCount(int *n) { return *n = setting("CUDASIM_DEVICES", 1), 0; }
result cuDeviceGet(int *d, int number) { return *d = 40 + number, 0; }
result cuDeviceGetName(char *name, int length, int d) {
  return snprintf(name, length, d - 40 < setting("CUDASIM_ALIKE", 99) ? "simulated GPU" : "another GPU"), 0;
}
result cuDeviceGetAttribute(int *value, int which, int d) {
  switch (which) {
    case 16: *value = 2; return d < 40; // multiprocessors
    case 75: *value = 9; return 0;      // compute capability
    case 76: *value = 0; return 0;
    case 87: *value = setting("CUDASIM_RATIO", 2); return 0; // speed in single precision by that in double
  }
  return invalid;
}
static uintptr_t current, made = 0xC0;
result cuDevicePrimaryCtxRetain(uintptr_t *context, int d) {
  ANSWER;
  return *context = made, d < 40;
}
result cuDevicePrimaryCtxRelease_v2(int d) { return d < 40; }
result cuDevicePrimaryCtxRelease(int d) { return d < 40; }
result cuCtxSetCurrent(uintptr_t context) { return current = context, context != made; }
result cuMemGetInfo_v2(size_t *free, size_t *total) {
  ANSWER;
  *free = setting("CUDASIM_FREE", 1l << 30), *total = 1l << 30;
  return current != made;
}
result cuMemAlloc_v2(address *p, size_t bytes) {
  ANSWER;
  *p = (address)aligned_alloc(256, (bytes + 255) / 256 * 256);
  memset((void *)*p, 0xff, bytes);
  return 0;
}
result cuMemFree_v2(address p) {
  ANSWER;
  free((void *)p);
  return 0;
}
result cuMemHostAlloc(void **p, size_t bytes, unsigned flags) {
  ANSWER;
  *p = malloc(bytes);
  return flags ? invalid : 0;
}
result cuMemFreeHost(void *p) {
  ANSWER;
  free(p);
  return 0;
}
static char stream;
result cuMemcpyHtoDAsync_v2(address to, const void *from, size_t bytes, void *on) {
  ANSWER;
  memcpy((void *)to, from, bytes);
  return on != &stream;
}
result cuMemcpyDtoHAsync_v2(void *to, address from, size_t bytes, void *on) {
  ANSWER;
  memcpy(to, (void *)from, bytes);
  return on != &stream;
}
// The same without a stream, for gorgonia.org/cu.
result cuMemcpyHtoD_v2(address to, const void *from, size_t bytes) { return cuMemcpyHtoDAsync_v2(to, from, bytes, &stream); }
result cuMemcpyDtoH_v2(void *to, address from, size_t bytes) { return cuMemcpyDtoHAsync_v2(to, from, bytes, &stream); }
result cuCtxSynchronize(void) {
  ANSWER;
  return 0;
}
result cuStreamCreate(void **on, unsigned flags) { return *on = &stream, flags != 1; }
result cuStreamDestroy_v2(void *on) { return on != &stream; }
result cuStreamSynchronize(void *on) {
  ANSWER;
  return on != &stream;
}

// A module is what libnvrtc of this directory made: a library, whose headers say how long it is.
result cuModuleLoadData(void **module, const void *image) {
  ANSWER;
  const Elf64_Ehdr *head = image;
  if (memcmp(head->e_ident, ELFMAG, SELFMAG)) return 200;
  char path[] = "/tmp/ppl-cudasim-XXXXXX";
  int file = mkstemp(path);
  size_t bytes = head->e_shoff + (size_t)head->e_shnum * head->e_shentsize;
  if (file < 0 || write(file, image, bytes) != (ssize_t)bytes) return 999;
  close(file);
  *module = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  unlink(path);
  return *module ? 0 : 200;
}
result cuModuleUnload(void *module) {
  ANSWER;
  return dlclose(module) ? invalid : 0;
}
result cuModuleGetFunction(void **f, void *module, const char *name) { return (*f = dlsym(module, name)) ? 0 : 500; }
result cuFuncGetAttribute(int *value, int which, void *f) {
  *value = which == 4 ? 96 : which == 3 ? 328 : -1; // registers, local memory
  return !f;
}
// A launch, and what a graph keeps of it. One stream captures at a time.
typedef struct {
  void *f;
  address a[4]; // what the kernels of package render take
  uint64_t threads;
} kept;
typedef struct {
  kept *all;
  int n;
} graph;
static graph *capturing;
static void start(const kept *k) {
  ((void (*)(address, address, address, address, uint64_t))k->f)(k->a[0], k->a[1], k->a[2], k->a[3], k->threads);
}
result cuLaunchKernel(void *f, unsigned x, unsigned y, unsigned z, unsigned bx, unsigned by, unsigned bz, unsigned shared, void *on,
                      void **args, void **extra) {
  ANSWER;
  if (y != 1 || z != 1 || by != 1 || bz != 1 || shared || on && on != &stream || extra || bx % 32) return invalid;
  kept k = {f, {0}, (uint64_t)x * bx};
  for (int i = 0; i < 4; i++) memcpy(&k.a[i], args[i], sizeof k.a[i]);
  if (!capturing) return start(&k), 0;
  capturing->all = realloc(capturing->all, (capturing->n + 1) * sizeof k);
  capturing->all[capturing->n++] = k;
  return 0;
}

// An executable graph is a copy, since the graph that was captured is destroyed before it.
static graph *copy(const graph *g) {
  graph *c = malloc(sizeof *c);
  c->n = g->n, c->all = malloc(g->n * sizeof *c->all);
  memcpy(c->all, g->all, g->n * sizeof *c->all);
  return c;
}
result cuStreamBeginCapture_v2(void *on, int mode) {
  ANSWER;
  if (on != &stream || mode != 1 || capturing) return invalid;
  capturing = calloc(1, sizeof *capturing);
  return 0;
}
result cuStreamEndCapture(void *on, graph **g) {
  ANSWER;
  if (on != &stream || !capturing) return invalid;
  return *g = capturing, capturing = NULL, 0;
}
result cuGraphInstantiateWithFlags(graph **executable, graph *g, uint64_t flags) {
  ANSWER;
  if (flags || !g->n) return invalid;
  return *executable = copy(g), 0;
}
result cuGraphLaunch(graph *executable, void *on) {
  ANSWER;
  if (capturing || on != &stream) return invalid;
  for (int i = 0; i < executable->n; i++) start(&executable->all[i]);
  return 0;
}
static result discard(graph *g) {
  free(g->all);
  memset(g, 0xff, sizeof *g);
  return free(g), 0;
}
result cuGraphDestroy(graph *g) { return discard(g); }
result cuGraphExecDestroy(graph *g) { return discard(g); }
