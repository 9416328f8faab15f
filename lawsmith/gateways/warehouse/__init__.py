"""The state of one Lawsmith home: stage tables, catalogue, keys, locks and run logs."""

from lawsmith.gateways.warehouse.catalogue import rebuild_catalogue
from lawsmith.gateways.warehouse.keys import collection_key
from lawsmith.gateways.warehouse.layout import TABLES, Store, columns_of
from lawsmith.gateways.warehouse.locks import catalogue_lock, holder_of, partition_lock
from lawsmith.gateways.warehouse.queries import QueryResult, query
from lawsmith.gateways.warehouse.run_log import RunLog
from lawsmith.gateways.warehouse.tables import (
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
