/* Coloured events from C. Words come through a pipe; each is counted under the colour of its first letter, so that the
 * counters need no lock; a timer then says what was counted. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <vif/event.h>
#include <vif/memory.h>

struct counter {
  vif_runtime* runtime;
  int words; /* of the colour of the letter */
};

static struct counter counters[26];
static int input[2];
static vif_watch* reader;

static void check(int error) {
  if (error == 0) return;
  fprintf(stderr, "%s\n", vif_error_text());
  exit(1);
}

/* Colours a to z: each counter is touched by events of its colour alone. */
static void count(void* word) {
  ++counters[*(char*)word - 'a'].words;
  vif_release(word);
}

/* Colour 0. */
static void read_words(void* argument) {
  vif_runtime* runtime = argument;
  char text[256];
  ssize_t length = read(input[0], text, sizeof text - 1);
  if (length <= 0) {
    vif_watch_cancel(reader);
    vif_stop(runtime);
    return;
  }
  text[length] = '\0';
  for (char *rest = NULL, *word = strtok_r(text, " ", &rest); word != NULL; word = strtok_r(NULL, " ", &rest)) {
    vif_colour colour = (vif_colour)word[0];
    /* The copy lies in memory of the core that will count the word and release it. */
    char* copy = vif_allocate_for(vif_place_of(runtime, colour), strlen(word) + 1);
    if (copy == NULL) abort();
    strcpy(copy, word);
    check(vif_post(runtime, colour, count, copy));
  }
}

/* A timer: one piece of text, then the end of the input. */
static void write_words(void* argument) {
  static const char text[] = "many cores and many colours count many words";
  (void)argument;
  if (write(input[1], text, sizeof text - 1) != sizeof text - 1) abort();
  close(input[1]);
}

int main(void) {
  vif_runtime* runtime;
  check(vif_runtime_create(0, &runtime));
  if (pipe(input) != 0) return 1;
  check(vif_on_readable(runtime, input[0], 0, read_words, runtime, &reader));
  check(vif_after(runtime, 1000000, 1, write_words, NULL, NULL));
  vif_run(runtime);
  vif_runtime_destroy(runtime);
  for (int letter = 0; letter < 26; ++letter) {
    if (counters[letter].words != 0) printf("%c: %d\n", 'a' + letter, counters[letter].words);
  }
  return counters['m' - 'a'].words == 3 && counters['c' - 'a'].words == 3 ? 0 : 1;
}
