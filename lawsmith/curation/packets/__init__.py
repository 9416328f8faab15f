"""Packets: the frozen, numbered text that a card is read from."""

from lawsmith.curation.packets.building import (
    PacketLimits,
    build_packet,
    packet_of_paper,
    packets_of_papers,
)
from lawsmith.curation.packets.failure import PacketError
from lawsmith.curation.packets.tex import reachable_tex

__all__ = (
    "PacketError",
    "PacketLimits",
    "build_packet",
    "packet_of_paper",
    "packets_of_papers",
    "reachable_tex",
)
