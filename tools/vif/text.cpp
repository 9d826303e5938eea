// Small helpers for what the tools print. Context: app.
#include "text.hpp"

#include <algorithm>
#include <cstring>
#include <sstream>

#include <csignal>

#include "version.hpp"

namespace vif::tool {

namespace {

constexpr std::size_t width = 100;
constexpr std::size_t column = 22;

// What troff would take for its own: backslashes, hyphens, and a leading dot or quote.
std::string man_escape(const std::string& text) {
  std::string out;
  for (const char c : text) {
    if (c == '\\') {
      out += "\\e";
    } else if (c == '-') {
      out += "\\-";
    } else {
      out += c;
    }
  }
  return out.starts_with('.') || out.starts_with('\'') ? "\\&" + out : out;
}

std::size_t distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) row[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t above = row[j];
      row[j] = std::min({above + 1, row[j - 1] + 1, diagonal + (a[i - 1] == b[j - 1] ? 0U : 1U)});
      diagonal = above;
    }
  }
  return row[b.size()];
}

}  // namespace

std::string format_option(const OptionHelp& option) {
  std::string out = "  " + option.usage;
  out += out.size() + 2 > column ? "\n" + std::string(column, ' ') : std::string(column - out.size(), ' ');
  std::size_t used = column;
  std::istringstream words(option.text);
  for (std::string word; words >> word;) {
    if (used + word.size() + 1 > width) {
      out += "\n" + std::string(column, ' ');
      used = column;
    }
    out += (used == column ? "" : " ") + word;
    used += word.size() + (used == column ? 0 : 1);
  }
  return out + "\n";
}

std::string man_heading(const std::string& name, const std::string& purpose) {
  std::string upper = name;
  std::transform(upper.begin(), upper.end(), upper.begin(), [](unsigned char c) { return std::toupper(c); });
  return ".TH " + upper + " 1 \"\" \"Vif " + version + "\" \"User Commands\"\n.SH NAME\n" + name + " \\- " + purpose +
         "\n";
}

std::string man_option(const OptionHelp& option) {
  return ".TP\n.B " + man_escape(option.usage) + "\n" + man_escape(option.text) + "\n";
}

std::string nearest(std::string_view written, const std::vector<std::string>& known) {
  std::string best;
  std::size_t least = written.size() <= 3 ? 2 : written.size() <= 8 ? 3 : 4;
  for (const std::string& name : known) {
    const std::size_t far = distance(written, name);
    if (far < least) {
      least = far;
      best = name;
    }
  }
  return best;
}

std::string signal_words(int number) {
  const char* name = sigabbrev_np(number);
  const char* words = sigdescr_np(number);
  if (name == nullptr || words == nullptr) return "real-time signal";
  return "SIG" + std::string(name) + ", " + words;
}

}  // namespace vif::tool
