
// The interface of ppl_density.h. BUFFERS, B and the numbers of lane buffers and entries come before this text.
typedef __SIZE_TYPE__ size;
#define EXPORT __attribute__((visibility("default")))
void *aligned_alloc(size, size);
void free(void *);
void *memcpy(void *, const void *, size);
void *memset(void *, int, size);

typedef struct {
  context c;
  void *table[BUFFERS + 1];
  moving moved[BUFFERS + 1];
  call one;
  char *memory;
} ppl_density;

static void *shared[BUFFERS + 1];
static char state; // of shared: 0 not made, 1 made

static size aligned(size bytes) { return (bytes + 63) & ~(size)63; }

// The memory that a density has of a buffer; a lane buffer has that of one block.
static size own(long i) { return B[i].owner == SHARED ? 0 : aligned(B[i].bytes * (size)lanes()); }

static int make_shared(void) {
  static char lock;
  while (__atomic_test_and_set(&lock, __ATOMIC_ACQUIRE)) {}
  int ok = state;
  if (!ok) {
    ok = 1;
    for (long i = 0; i < BUFFERS; i++) {
      if (B[i].owner != SHARED) continue;
      if (B[i].from >= 0 && !B[i].written) {
        shared[i] = (void *)(ppl_blob + B[i].from);
        continue;
      }
      if (!(shared[i] = aligned_alloc(64, aligned(B[i].bytes + 1)))) {
        ok = 0;
        break;
      }
      if (B[i].from >= 0) memcpy(shared[i], ppl_blob + B[i].from, B[i].bytes);
      else memset(shared[i], 0, B[i].bytes);
    }
    state = ok;
  }
  __atomic_clear(&lock, __ATOMIC_RELEASE);
  return ok;
}

EXPORT int ppl_abi(void) { return 1; }
EXPORT const char *ppl_describe(void) { return ppl_blob; }
EXPORT size ppl_dimension(void) { return DIMENSION; }
EXPORT size ppl_values(void) { return VALUES; }

EXPORT void ppl_close(ppl_density *d) {
  if (d) free(d->memory);
  free(d);
}

EXPORT ppl_density *ppl_open(void) {
  static char set;
  const int first = !__atomic_load_n(&state, __ATOMIC_ACQUIRE);
  if (!make_shared()) return 0;
  ppl_density *d = aligned_alloc(64, aligned(sizeof *d));
  if (!d) return 0;
  memset(d, 0, sizeof *d);
  size bytes = aligned(work() + 1);
  for (long i = 0; i < BUFFERS; i++) bytes += own(i);
  if (!(d->memory = aligned_alloc(64, bytes))) {
    free(d);
    return 0;
  }
  memset(d->memory, 0, bytes);
  char *at = d->memory;
  d->c.work = at;
  at += aligned(work() + 1);
  for (long i = 0; i < BUFFERS; i++) {
    d->table[i] = B[i].owner == SHARED ? shared[i] : at;
    if (B[i].owner == LANE) d->moved[d->c.moved++] = (moving){i, at, 0};
    at += own(i);
  }
  d->c.buffer = (void *const *)d->table;
  d->c.moving = d->moved;
  d->c.schedule = &d->one;
  d->c.calls = d->c.group = d->one.times = 1;
  d->c.lanes = lanes();
  (void)first;
  if (!__atomic_test_and_set(&set, __ATOMIC_ACQ_REL)) {
    setup(&d->c);
    __atomic_store_n(&state, 2, __ATOMIC_RELEASE);
  }
  while (__atomic_load_n(&state, __ATOMIC_ACQUIRE) != 2) {} // another thread runs setup
  return d;
}

// Writes points, which lie one after the other, into a block; copies of the last point fill it.
static void give(double *restrict to, const double *theta, size points) {
  const size width = lanes();
  typedef double pair __attribute__((vector_size(16)));
  const double *from[LANES];
  for (size l = 0; l < width; l++) from[l] = theta + (l < points ? l : points - 1) * DIMENSION;
  for (size e = 0; e < DIMENSION; e++)
    if (width == 1) to[e] = from[0][e];
    else for (size l = 0; l < width; l += 2) *(pair *)(to + e * width + l) = (pair){from[l][e], from[l + 1][e]};
}

static void evaluate(ppl_density *d, word entry, const double *theta, size points) {
  give(d->table[THETA], theta, points);
  d->one.entry = entry;
  d->c.block = 0, d->c.blocks = 1, d->c.step = 0;
  blocks(&d->c);
}

// Reads the numbers of each point from a block.
static void take(const double *from, size count, double *restrict to, size points) {
  const size width = lanes();
  if (points >= width)
    for (size e = 0; e < count; e++)
      for (size l = 0; l < width; l++) to[l * count + e] = from[e * width + l];
  else
    for (size l = 0; l < points; l++)
      for (size e = 0; e < count; e++) to[l * count + e] = from[e * width + l];
}

EXPORT void ppl_log_density(ppl_density *d, size points, const double *theta, double *value, double *gradient,
                            int jacobian) {
  const size width = lanes();
  const double *found = d->table[jacobian ? VALUE : OWN_VALUE];
  const double *slope = d->table[jacobian ? GRADIENT : OWN_GRADIENT];
  for (size first = 0; first < points; first += width) {
    const size left = points - first;
    evaluate(d, jacobian ? DENSITY : OWN_DENSITY, theta + first * DIMENSION, left);
    for (size l = 0; l < width && l < left; l++) value[first + l] = found[l];
    if (gradient) take(slope, DIMENSION, gradient + first * DIMENSION, left);
  }
}

EXPORT void ppl_constrain(ppl_density *d, size points, const double *theta, double *values) {
  for (size first = 0; first < points; first += lanes()) {
    evaluate(d, CONSTRAIN, theta + first * DIMENSION, points - first);
    take(d->table[PARAMETERS], VALUES, values + first * VALUES, points - first);
  }
}
