from .building import (
    PacketLimits as PacketLimits,
)
from .building import (
    build_packet as build_packet,
)
from .building import (
    packet_of_paper as packet_of_paper,
)
from .building import (
    packets_of_papers as packets_of_papers,
)
from .failure import PacketError as PacketError
from .tex import main_file as main_file
from .tex import reachable_tex as reachable_tex
