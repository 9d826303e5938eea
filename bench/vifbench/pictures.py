"""The same figures as PNG files, when matplotlib is there."""

from .figures import HeatMap
from .svg import SERIES, duration_text, size_text


def available():
    try:
        import matplotlib  # noqa: F401  (only asked whether it is there)
    except ImportError:
        return False
    return True


def _heat_map(axes, figure, drawing):
    from matplotlib.colors import LinearSegmentedColormap

    stops = [
        (0.0, (12, 16, 38)),
        (0.25, (52, 70, 150)),
        (0.5, (238, 214, 120)),
        (1.0, (208, 30, 30)),
    ]
    colours = LinearSegmentedColormap.from_list(
        "overlap", [(at, tuple(part / 255 for part in rgb)) for at, rgb in stops]
    )
    rows = [
        [drawing.values.get((size, computation), float("nan")) for size in drawing.sizes]
        for computation in drawing.computations
    ]
    image = axes.imshow(rows, origin="lower", aspect="auto", vmin=0, vmax=2, cmap=colours)
    axes.set_xticks(range(len(drawing.sizes)), [size_text(size) for size in drawing.sizes])
    axes.set_yticks(
        range(len(drawing.computations)),
        [duration_text(value) for value in drawing.computations],
    )
    axes.set_xlabel("message size")
    axes.set_ylabel("computation")
    figure.colorbar(image, ax=axes, label="0 perfect · 1 none · 2+ worse than one after the other")


def _lines(axes, drawing):
    for index, (name, values) in enumerate(drawing.series):
        known = [(at, value) for at, value in enumerate(values) if value and value > 0]
        axes.plot(
            [at for at, _ in known],
            [value for _, value in known],
            marker="o",
            markersize=3,
            color=SERIES[index % len(SERIES)],
            label=name,
        )
    axes.set_yscale("log")
    axes.set_xticks(range(len(drawing.labels)), drawing.labels, rotation=45)
    axes.set_ylabel(drawing.unit or "count")
    axes.grid(True, alpha=0.3)
    axes.legend(fontsize=8)


def write(drawings, folder):
    """Writes one PNG for each drawing; returns the paths."""
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    paths = []
    for drawing in drawings:
        figure, axes = pyplot.subplots(figsize=(7, 4.2))
        axes.set_title(drawing.title, fontsize=10)
        if isinstance(drawing, HeatMap):
            _heat_map(axes, figure, drawing)
        else:
            _lines(axes, drawing)
        path = folder / f"{drawing.name}.png"
        figure.tight_layout()
        figure.savefig(path, dpi=120)
        pyplot.close(figure)
        paths.append(path)
    return paths
