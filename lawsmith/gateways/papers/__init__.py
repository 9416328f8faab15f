"""Papers: the sample, folders, arXiv and Crossref, fetched completely and politely."""
