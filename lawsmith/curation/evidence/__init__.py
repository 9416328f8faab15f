"""What a paper prints: folded text, anchors, numbers, quantities, symbols, formulas."""
