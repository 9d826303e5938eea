/* The C interface, from C. Returns 0, or the line that failed. */
#include <string.h>
#include <vif/memory.h>

int vif_test_c_api(void);

#define CHECK(condition) \
  if (!(condition)) return __LINE__

int vif_test_c_api(void) {
  vif_place here = vif_this_place();
  char* text = vif_allocate(100);
  char* other = vif_allocate_for(here, 5000);
  CHECK(text != NULL && other != NULL);
  CHECK(vif_usable_bytes(text) >= 100);
  CHECK(vif_usable_bytes(other) >= 5000);
  memset(text, 1, 100);
  memset(other, 2, 5000);
  CHECK(text[99] == 1 && other[4999] == 2);
  vif_release(text);
  vif_release(other);
  vif_release(NULL);
  vif_trim();
  return 0;
}
