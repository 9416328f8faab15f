"""The state of one Lawsmith home: stage tables, catalogue, keys, locks and run logs."""

from lawsmith.gateways.store.catalogue import rebuild_catalogue
from lawsmith.gateways.store.keys import collection_key
from lawsmith.gateways.store.layout import TABLES, Store, columns_of
from lawsmith.gateways.store.locks import catalogue_lock, holder_of, partition_lock
from lawsmith.gateways.store.queries import QueryResult, query
from lawsmith.gateways.store.run_log import RunLog
from lawsmith.gateways.store.tables import (
    Row,
    has_partition,
    partitions_of,
    read_partition,
    read_table,
    row_of,
    set_aside_if_damaged,
    write_partition,
)

__all__ = (
    "TABLES",
    "QueryResult",
    "Row",
    "RunLog",
    "Store",
    "catalogue_lock",
    "collection_key",
    "columns_of",
    "has_partition",
    "holder_of",
    "partition_lock",
    "partitions_of",
    "query",
    "read_partition",
    "read_table",
    "rebuild_catalogue",
    "row_of",
    "set_aside_if_damaged",
    "write_partition",
)
