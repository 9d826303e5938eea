"""Pictures drawn as SVG, with the standard library alone: heat maps and lines. They live inside the HTML page."""

import html
import math

from .tables import number, size_text

SERIES = (
    "#1b6ca8",
    "#d1495b",
    "#3a7d44",
    "#e28413",
    "#6d597a",
    "#2a9d8f",
    "#8d6e63",
    "#444444",
)


def colour_of(value):
    """Spec: 0 perfect (dark) … 1 none … 2 and more worse than one after the other (bright red)."""
    if value is None:
        return "#ffffff"
    stops = (
        (0.0, (12, 16, 38)),
        (0.5, (52, 70, 150)),
        (1.0, (238, 214, 120)),
        (2.0, (208, 30, 30)),
    )
    value = min(max(value, 0.0), 2.0)
    for (low, dark), (high, light) in zip(stops, stops[1:], strict=False):
        if value <= high:
            part = (value - low) / (high - low)
            return "#" + "".join(f"{round(a + part * (b - a)):02x}" for a, b in zip(dark, light, strict=True))
    return "#d01e1e"


def _text(x, y, words, anchor="middle", size=11, fill="#222", turn=None):
    rotate = f" transform='rotate({turn} {x} {y})'" if turn is not None else ""
    return (
        f"<text x='{x:.1f}' y='{y:.1f}' font-size='{size}' text-anchor='{anchor}' fill='{fill}'{rotate}>"
        f"{html.escape(words)}</text>"
    )


def duration_text(microseconds):
    for unit, factor in (("s", 1e6), ("ms", 1e3)):
        if microseconds >= factor:
            return f"{microseconds / factor:g} {unit}"
    return f"{microseconds:g} µs"


def _scale(left, top, height):
    parts = []
    for step in range(40):
        value = 2 * (1 - step / 39)
        parts.append(
            f"<rect x='{left}' y='{top + step * height / 40:.1f}' width='14' height='{height / 40 + 0.6:.1f}' "
            f"fill='{colour_of(value)}'/>"
        )
    for value, words in ((0, "0 perfect"), (1, "1 none"), (2, "2+ worse")):
        parts.append(_text(left + 18, top + height * (1 - value / 2) + 4, words, "start", 10))
    return "".join(parts)


def heat_map(title, sizes, computations, values):
    """values[(size, computation µs)] = colour value. x = message size, y = computation time, growing upwards."""
    cell_w, cell_h, left, top = 54, 30, 74, 34
    width, height = (
        left + cell_w * len(sizes) + 100,
        top + cell_h * len(computations) + 46,
    )
    parts = [
        f"<svg viewBox='0 0 {width} {height}' width='{width}' role='img' xmlns='http://www.w3.org/2000/svg' "
        "font-family='sans-serif'>",
        f"<title>{html.escape(title)}</title>",
        _text(left, 20, title, "start", 13),
    ]
    for row, computation in enumerate(sorted(computations, reverse=True)):
        y = top + row * cell_h
        parts.append(_text(left - 6, y + cell_h / 2 + 4, duration_text(computation), "end"))
        for column, size in enumerate(sorted(sizes)):
            value = values.get((size, computation))
            x = left + column * cell_w
            ink = "#ffffff" if value is not None and (value < 0.7 or value > 1.6) else "#222"
            parts.append(
                f"<rect x='{x}' y='{y}' width='{cell_w - 1}' height='{cell_h - 1}' fill='{colour_of(value)}'/>"
            )
            parts.append(_text(x + cell_w / 2, y + cell_h / 2 + 4, number(value), size=10, fill=ink))
    bottom = top + cell_h * len(computations)
    for column, size in enumerate(sorted(sizes)):
        parts.append(_text(left + (column + 0.5) * cell_w, bottom + 15, size_text(size)))
    parts.append(_text(left + cell_w * len(sizes) / 2, bottom + 34, "message size"))
    parts.append(_text(14, top + cell_h * len(computations) / 2, "computation", turn=-90))
    parts.append(_scale(left + cell_w * len(sizes) + 12, top, max(cell_h * len(computations), 60)))
    return "".join(parts) + "</svg>"


def _decades(low, high):
    return [10.0**power for power in range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1)]


def lines(title, x_labels, series, unit):
    """series = [(name, [value or None for each label])], on a logarithmic axis."""
    known = [value for _, values in series for value in values if value and value > 0]
    if not known or not x_labels:
        return ""
    ticks = _decades(min(known), max(known) * 1.0001)
    low, high = (
        math.log10(ticks[0]),
        math.log10(ticks[-1]) if len(ticks) > 1 else math.log10(ticks[0]) + 1,
    )
    left, top, width, height = 70, 34, 520, 280

    def place(column, value):
        x = left + (column + 0.5) * width / len(x_labels)
        return x, top + height * (1 - (math.log10(value) - low) / (high - low))

    parts = [
        f"<svg viewBox='0 0 {left + width + 150} {top + height + 50}' width='{left + width + 150}' role='img' "
        "xmlns='http://www.w3.org/2000/svg' font-family='sans-serif'>",
        f"<title>{html.escape(title)}</title>",
        _text(left, 20, title, "start", 13),
    ]
    for tick in ticks:
        _, y = place(0, tick)
        parts.append(f"<line x1='{left}' x2='{left + width}' y1='{y:.1f}' y2='{y:.1f}' stroke='#ddd'/>")
        parts.append(_text(left - 6, y + 4, f"{tick:g} {unit}", "end", 10))
    for column, label in enumerate(x_labels):
        parts.append(
            _text(
                left + (column + 0.5) * width / len(x_labels),
                top + height + 16,
                label,
                size=10,
            )
        )
    for index, (name, values) in enumerate(series):
        stroke = SERIES[index % len(SERIES)]
        points = [place(column, value) for column, value in enumerate(values) if value and value > 0]
        path = " ".join(f"{x:.1f},{y:.1f}" for x, y in points)
        parts.append(f"<polyline points='{path}' fill='none' stroke='{stroke}' stroke-width='2'/>")
        parts += [f"<circle cx='{x:.1f}' cy='{y:.1f}' r='3' fill='{stroke}'/>" for x, y in points]
        parts.append(_text(left + width + 12, top + 14 + 18 * index, name, "start", 12, stroke))
    return "".join(parts) + "</svg>"
