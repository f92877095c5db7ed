// The functions of libnvrtc that package cuda calls. What they make is a library for the processor: COMPILER is a command that reads the text
// and takes the name of the library.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct { char *text, *image, *log; size_t size; } program;
enum { invalid = 3, failed = 6 };

int nvrtcVersion(int *major, int *minor) {
  const char *version = getenv("CUDASIM_NVRTC");
  *major = version && *version ? atoi(version) : 12, *minor = 8;
  return 0;
}
int nvrtcCreateProgram(program **p, const char *text, const char *name, int headers, const char *const *texts, const char *const *names) {
  *p = calloc(1, sizeof **p);
  (*p)->text = strdup(text), (*p)->log = strdup("");
  return headers || texts || names || strcmp(name, "program.cu") ? invalid : 0;
}
static char *contents(const char *path, size_t *size) {
  FILE *f = fopen(path, "rb");
  char *all = NULL;
  *size = 0;
  for (size_t n = 1; f && n > 0; *size += n) {
    all = realloc(all, *size + 65537);
    n = fread(all + *size, 1, 65536, f);
  }
  if (all) all[*size] = 0;
  if (f) fclose(f);
  return all;
}
int nvrtcCompileProgram(program *p, int n, const char *const *options) {
  if (n < 1 || strcmp(options[0], "--gpu-architecture=sm_90")) return 5;
  char path[] = "/tmp/ppl-nvrtcsim-XXXXXX", command[1024];
  if (!mkdtemp(path)) return failed;
  snprintf(command, sizeof command, "%s %s/library 2>%s/log", COMPILER, path, path);
  FILE *pipe = popen(command, "w");
  fputs(p->text, pipe);
  int code = pclose(pipe);
  char name[64];
  snprintf(name, sizeof name, "%s/log", path);
  size_t size;
  p->log = contents(name, &size);
  snprintf(name, sizeof name, "%s/library", path);
  if (!code) p->image = contents(name, &p->size);
  snprintf(command, sizeof command, "rm -r %s", path);
  return system(command) || code ? failed : 0;
}
int nvrtcGetProgramLogSize(program *p, size_t *n) { return *n = strlen(p->log) + 1, 0; }
int nvrtcGetProgramLog(program *p, char *to) { return strcpy(to, p->log), 0; }
int nvrtcGetCUBINSize(program *p, size_t *n) { return *n = p->size, 0; }
int nvrtcGetCUBIN(program *p, char *to) { return memcpy(to, p->image, p->size), 0; }
int nvrtcDestroyProgram(program **p) {
  free((*p)->text), free((*p)->image), free((*p)->log), free(*p);
  return *p = NULL, 0;
}
const char *nvrtcGetErrorString(int code) { return code == failed ? "NVRTC_ERROR_COMPILATION" : "another error"; }
