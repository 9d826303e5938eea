// The PMI-1 wire format. Context: app.
#include "launch/wire.hpp"

#include <charconv>
#include <utility>

namespace vif::launch {

namespace {

int hex_digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

// Characters that no PMI-1 parser gives a meaning to.
bool plain(unsigned char c) {
  return c > ' ' && c < 0x7f && c != '%' && c != '=' && c != ';' && c != '"' && c != '\'' && c != '\\';
}

}  // namespace

Message& Message::add(std::string key, std::string value) {
  fields_.emplace_back(std::move(key), std::move(value));
  return *this;
}

const std::string* Message::find(std::string_view key) const {
  for (const auto& [name, value] : fields_) {
    if (name == key) return &value;
  }
  return nullptr;
}

std::optional<long> Message::number(std::string_view key) const {
  const std::string* value = find(key);
  return value != nullptr ? parse_number(*value) : std::nullopt;
}

std::optional<int> Message::small_number(std::string_view key) const {
  const std::optional<long> value = number(key);
  if (!value || !std::in_range<int>(*value)) return std::nullopt;
  return static_cast<int>(*value);
}

std::string Message::line() const {
  std::string text = "cmd=" + command_;
  for (const auto& [key, value] : fields_) text += " " + key + "=" + value;
  return text + "\n";
}

std::optional<Message> parse(std::string_view line, std::string& error) {
  std::optional<Message> message;
  std::size_t at = 0;
  while (at < line.size()) {
    if (line[at] == ' ') {
      ++at;
      continue;
    }
    const std::size_t end = std::min(line.find(' ', at), line.size());
    const std::string_view token = line.substr(at, end - at);
    const std::size_t equals = token.find('=');
    at = end;
    if (equals == 0 || equals == std::string_view::npos) {
      error = "a word of the message is not of the form key=value: " + quote(token);
      return std::nullopt;
    }
    const std::string_view key = token.substr(0, equals);
    const std::string_view value = token.substr(equals + 1);
    if (!message) {
      if ((key != "cmd" && key != "mcmd") || value.empty()) {
        error = "the message does not begin with a command: " + quote(token);
        return std::nullopt;
      }
      message.emplace(std::string(value));
    } else if (message->find(key) != nullptr) {
      error = "the message gives " + quote(key) + " twice";
      return std::nullopt;
    } else if (message->fields() == Message::most_fields) {
      error = "the message has more than " + std::to_string(Message::most_fields) + " fields";
      return std::nullopt;
    } else {
      message->add(std::string(key), std::string(value));
    }
  }
  if (!message) error = "the message is empty";
  return message;
}

std::optional<long> parse_number(std::string_view text) {
  long value = 0;
  const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (code != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

std::string escape(std::string_view text) {
  static constexpr char digits[] = "0123456789ABCDEF";
  std::string out;
  out.reserve(text.size());
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (plain(byte)) {
      out += c;
    } else {
      out += {'%', digits[byte >> 4], digits[byte & 15]};
    }
  }
  return out;
}

std::string unescape(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for (std::size_t i = 0; i < text.size(); ++i) {
    const int high = text[i] == '%' && i + 2 < text.size() ? hex_digit(text[i + 1]) : -1;
    const int low = high >= 0 ? hex_digit(text[i + 2]) : -1;
    if (low >= 0) {
      out += static_cast<char>(high * 16 + low);
      i += 2;
    } else {
      out += text[i];
    }
  }
  return out;
}

std::string quote(std::string_view text) {
  std::string out(1, '\'');
  out += escape(text.substr(0, 80));
  out += '\'';
  return out;
}

bool LineBuffer::append(std::string_view bytes) {
  if (begin_ > 0 && begin_ >= bytes_.size() / 2) {
    bytes_.erase(0, begin_);
    scanned_ -= begin_;
    begin_ = 0;
  }
  bytes_.append(bytes);
  const std::size_t newline = bytes_.find('\n', scanned_);
  if (newline == std::string::npos) scanned_ = bytes_.size();
  const std::size_t line = newline == std::string::npos ? pending() : newline - begin_;
  return line <= limit_;
}

bool LineBuffer::take(std::string& line) {
  const std::size_t newline = bytes_.find('\n', scanned_);
  if (newline == std::string::npos) {
    scanned_ = bytes_.size();
    return false;
  }
  std::size_t length = newline - begin_;
  if (length > 0 && bytes_[newline - 1] == '\r') --length;
  line.assign(bytes_, begin_, length);
  begin_ = scanned_ = newline + 1;
  return true;
}

}  // namespace vif::launch
