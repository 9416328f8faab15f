"""The frame of a small chart: a view box, a plotting area, two axes, ticks and grid lines."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from html import escape

from lawsmith.release.pages.axes import Axis, tick_text


@dataclass(frozen=True)
class Frame:
    """A view box with a plotting area inside it, and the two axes."""

    width: float
    height: float
    left: float
    right: float
    top: float
    bottom: float
    x: Axis
    y: Axis

    def at(self, x: float, y: float) -> tuple[str, str]:
        """View box coordinates of a point."""
        return self.across(x), self.up(y)

    def across(self, x: float) -> str:
        """The horizontal coordinate."""
        return short(self.left + self.x.place(x) * (self.width - self.left - self.right))

    def up(self, y: float) -> str:
        """The vertical coordinate."""
        span = self.height - self.top - self.bottom
        return short(self.height - self.bottom - self.y.place(y) * span)

    @property
    def floor(self) -> float:
        """Where the plotting area ends below."""
        return self.height - self.bottom


def drawing(frame: Frame, kind: str, label: str, parts: Iterable[str]) -> str:
    """A drawing of its parts as one SVG element.

    Args:
        frame: its view box.
        kind: the class of the element.
        label: what it shows, in words.
        parts: SVG elements.
    """
    head = (
        f'<svg class="{kind}" viewBox="0 0 {frame.width:g} {frame.height:g}" role="img"'
        f' aria-label="{escape(label)}" xmlns="http://www.w3.org/2000/svg">'
    )
    return f"{head}{''.join(parts)}</svg>"


def grid(frame: Frame, across: Iterable[float]) -> Iterator[str]:
    """Grid lines and texts of both axes.

    Args:
        frame: where they stand.
        across: the ticks of the lower axis.
    """
    left, right = short(frame.left), short(frame.width - frame.right)
    for tick in frame.y.ticks():
        up = frame.up(tick)
        yield f'<path class="grid" d="M{left} {up}H{right}"/>'
        yield (
            f'<text x="{short(frame.left - 6)}" y="{up}" dy=".35em" text-anchor="end">'
            f"{tick_text(tick)}</text>"
        )
    floor = short(frame.floor)
    yield f'<path class="axis" d="M{left} {floor}H{right}"/>'
    for tick in across:
        place = frame.across(tick)
        yield f'<path class="axis" d="M{place} {floor}v4"/>'
        yield (
            f'<text x="{place}" y="{short(frame.floor + 18)}" text-anchor="middle">'
            f"{tick_text(tick)}</text>"
        )


def short(value: float) -> str:
    """A coordinate to a tenth."""
    return f"{value + 0.0:.1f}".removesuffix(".0")


__all__ = ("Frame", "drawing", "grid", "short")
