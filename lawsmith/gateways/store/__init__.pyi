from .catalogue import rebuild_catalogue as rebuild_catalogue
from .irreplaceable import (
    check_not_lost as check_not_lost,
)
from .irreplaceable import (
    mark_of as mark_of,
)
from .irreplaceable import (
    remember as remember,
)
from .keys import collection_key as collection_key
from .layout import TABLES as TABLES
from .layout import Store as Store
from .layout import columns_of as columns_of
from .locks import (
    catalogue_lock as catalogue_lock,
)
from .locks import (
    holder_of as holder_of,
)
from .locks import (
    partition_lock as partition_lock,
)
from .queries import QueryResult as QueryResult
from .queries import query as query
from .run_log import RunLog as RunLog
from .tables import (
    Cell as Cell,
)
from .tables import (
    Row as Row,
)
from .tables import (
    has_partition as has_partition,
)
from .tables import (
    partitions_of as partitions_of,
)
from .tables import (
    read_partition as read_partition,
)
from .tables import (
    read_table as read_table,
)
from .tables import (
    row_of as row_of,
)
from .tables import (
    set_aside_if_damaged as set_aside_if_damaged,
)
from .tables import (
    write_partition as write_partition,
)
from .whole_files import open_whole as open_whole
from .whole_files import write_whole as write_whole
