"""Problems: data sets with published laws, their records, splits, metrics and admission."""
