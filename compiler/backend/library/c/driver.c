
// The implementation of ppl_density.h. BUFFERS, B and the macros for lane buffers and entries are defined before this
// text.
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
  char *memory;
} ppl_density;

static void *shared[BUFFERS + 1];
static char state; // of shared: 0 not allocated, 1 allocated, 2 setup has run

static size aligned(size bytes) { return (bytes + 63) & ~(size)63; }

// private_bytes returns the size of a ppl_density's own memory for buffer i, 0 for a shared buffer. Of a lane buffer it
// is the memory of one block.
static size private_bytes(long i) { return B[i].owner == SHARED ? 0 : aligned(B[i].bytes * (size)lanes()); }

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
  if (!make_shared()) return 0;
  ppl_density *d = aligned_alloc(64, aligned(sizeof *d));
  if (!d) return 0;
  memset(d, 0, sizeof *d);
  size bytes = aligned(work() + 1);
  for (long i = 0; i < BUFFERS; i++) bytes += private_bytes(i);
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
    at += private_bytes(i);
  }
  d->c.buffer = (void *const *)d->table;
  d->c.moving = d->moved;
  d->c.group = 1;
  d->c.lanes = lanes();
  place(&d->c, lanes());
  if (!__atomic_test_and_set(&set, __ATOMIC_ACQ_REL)) {
    setup(&d->c);
    __atomic_store_n(&state, 2, __ATOMIC_RELEASE);
  }
  while (__atomic_load_n(&state, __ATOMIC_ACQUIRE) != 2) {} // another thread runs setup
  return d;
}

#define INLINED static inline __attribute__((always_inline))

// Transposes a matrix whose rows are contiguous: to[column · wide_to + row] = from[row · wide_from + column].
INLINED void transpose_one_by_one(const double *from, size wide_from, size rows, size columns, double *to,
                                  size wide_to) {
  for (size row = 0; row < rows; row++)
    for (size column = 0; column < columns; column++) to[column * wide_to + row] = from[row * wide_from + column];
}

#if LANES >= 4
typedef double quad __attribute__((vector_size(32)));
typedef double loose_quad __attribute__((vector_size(32), aligned(8)));
#ifdef __clang__
#define PICK(x, y, ...) __builtin_shufflevector(x, y, __VA_ARGS__)
#else
typedef long long places __attribute__((vector_size(32)));
#define PICK(x, y, ...) __builtin_shuffle(x, y, (places){__VA_ARGS__})
#endif

INLINED void transpose_quads(const double *from, size wide_from, double *to, size wide_to) {
  quad row[4], half[4];
  for (int r = 0; r < 4; r++) row[r] = *(const loose_quad *)(from + r * wide_from);
  for (int r = 0; r < 4; r += 2) {
    half[r] = PICK(row[r], row[r + 1], 0, 4, 2, 6);
    half[r + 1] = PICK(row[r], row[r + 1], 1, 5, 3, 7);
  }
  for (int r = 0; r < 2; r++) {
    *(loose_quad *)(to + r * wide_to) = PICK(half[r], half[r + 2], 0, 1, 4, 5);
    *(loose_quad *)(to + (r + 2) * wide_to) = PICK(half[r], half[r + 2], 2, 3, 6, 7);
  }
}

INLINED void transpose(const double *from, size wide_from, size rows, size columns, double *to, size wide_to) {
  const size even_rows = rows & ~(size)3, even_columns = columns & ~(size)3;
  for (size row = 0; row < even_rows; row += 4)
    for (size column = 0; column < even_columns; column += 4)
      transpose_quads(from + row * wide_from + column, wide_from, to + column * wide_to + row, wide_to);
  transpose_one_by_one(from + even_columns, wide_from, even_rows, columns - even_columns, to + even_columns * wide_to,
                       wide_to);
  transpose_one_by_one(from + even_rows * wide_from, wide_from, rows - even_rows, columns, to + even_rows, wide_to);
}
#else
#define transpose transpose_one_by_one
#endif

// write_points copies contiguous points to the lanes of the block; copies of the last point fill the other lanes.
static void write_points(double *restrict to, const double *restrict theta, size points) {
  const size width = lanes();
  if (points >= width) transpose(theta, DIMENSION, width, DIMENSION, to, width);
  else
    for (size e = 0; e < DIMENSION; e++)
      for (size l = 0; l < width; l++) to[e * width + l] = theta[(l < points ? l : points - 1) * DIMENSION + e];
}

INLINED void evaluate(ppl_density *d, void entry(const context *), const double *theta, size points) {
  write_points(d->table[THETA], theta, points);
  entry(&d->c);
}

// read_points copies `count` numbers of each point from the lanes of the block.
static void read_points(const double *restrict from, size count, double *restrict to, size points) {
  const size width = lanes();
  if (points >= width) transpose(from, width, count, width, to, count);
  else transpose_one_by_one(from, width, count, points, to, count);
}

INLINED void densities(ppl_density *d, void entry(const context *), const double *found, const double *slope,
                       size points, const double *theta, double *value, double *gradient) {
  const size width = lanes();
  for (size first = 0; first < points; first += width) {
    const size left = points - first;
    evaluate(d, entry, theta + first * DIMENSION, left);
    read_points(found, 1, value + first, left);
    if (gradient) read_points(slope, DIMENSION, gradient + first * DIMENSION, left);
  }
}

EXPORT void ppl_log_density(ppl_density *d, size points, const double *theta, double *value, double *gradient,
                            int jacobian) {
  void *const *b = d->table;
  if (jacobian) densities(d, DENSITY, b[VALUE], b[GRADIENT], points, theta, value, gradient);
  else densities(d, OWN_DENSITY, b[OWN_VALUE], b[OWN_GRADIENT], points, theta, value, gradient);
}

EXPORT void ppl_constrain(ppl_density *d, size points, const double *theta, double *values) {
  for (size first = 0; first < points; first += lanes()) {
    evaluate(d, CONSTRAIN, theta + first * DIMENSION, points - first);
    read_points(d->table[PARAMETERS], VALUES, values + first * VALUES, points - first);
  }
}
