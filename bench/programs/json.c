// The JSON document of a benchmark program, written as it comes, one line per element of a list. Context: app.
#include <math.h>

#include "support.h"

static void begin_member(struct json* json, const char* name) {
  if (!json->first) fputc(',', json->out);
  if (json->depth > 0 && json->depth <= 2) fprintf(json->out, "\n%*s", 2 * json->depth, "");
  json->first = false;
  if (name != NULL) fprintf(json->out, "\"%s\": ", name);
}

void json_open(struct json* json, const char* name, char bracket) {
  if (json->depth == 0) json->first = true;
  begin_member(json, name);
  fputc(bracket, json->out);
  ++json->depth;
  json->first = true;
}

void json_close(struct json* json, char bracket) {
  --json->depth;
  if (json->depth < 2) fprintf(json->out, "\n%*s", 2 * json->depth, "");
  fputc(bracket, json->out);
  json->first = false;
  if (json->depth == 0) {
    fputc('\n', json->out);
    fflush(json->out);
  }
}

void json_text(struct json* json, const char* name, const char* value) {
  begin_member(json, name);
  fputc('"', json->out);
  for (const char* at = value; *at != '\0'; ++at) {
    unsigned char letter = (unsigned char)*at;
    if (letter == '"' || letter == '\\')
      fprintf(json->out, "\\%c", letter);
    else if (letter < 0x20)
      fprintf(json->out, "\\u%04x", letter);
    else
      fputc(letter, json->out);
  }
  fputc('"', json->out);
}

void json_number(struct json* json, const char* name, double value) {
  begin_member(json, name);
  // JSON has no infinities and no NaN: a value that does not exist is null.
  if (isfinite(value))
    fprintf(json->out, "%.6g", value);
  else
    fputs("null", json->out);
}

void json_integer(struct json* json, const char* name, int64_t value) {
  begin_member(json, name);
  fprintf(json->out, "%lld", (long long)value);
}

void json_flag(struct json* json, const char* name, bool value) {
  begin_member(json, name);
  fputs(value ? "true" : "false", json->out);
}

void json_samples(struct json* json, const char* name, struct samples* samples) {
  double mean = 0, squares = 0;
  for (size_t at = 0; at < samples->count; ++at) mean += samples->values[at] / (double)samples->count;
  for (size_t at = 0; at < samples->count; ++at) {
    double distance = samples->values[at] - mean;
    squares += distance * distance / (double)samples->count;
  }
  json_open(json, name, '{');
  json_number(json, "median", samples_quantile(samples, 0.5));
  json_number(json, "p10", samples_quantile(samples, 0.1));
  json_number(json, "p25", samples_quantile(samples, 0.25));
  json_number(json, "p75", samples_quantile(samples, 0.75));
  json_number(json, "p95", samples_quantile(samples, 0.95));
  json_number(json, "min", samples_quantile(samples, 0));
  json_number(json, "max", samples_quantile(samples, 1));
  json_number(json, "mean", samples->count ? mean : NAN);
  json_number(json, "deviation", samples->count ? sqrt(squares) : NAN);
  json_integer(json, "count", (int64_t)samples->count);
  json_close(json, '}');
}
