"""Hidden laws: structural variants of published laws, screened and chosen by stated rules."""
