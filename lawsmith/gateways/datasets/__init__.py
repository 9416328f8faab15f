"""Tables of problems: files, NIST data files and data sets of installed packages."""
