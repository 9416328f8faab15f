"""The Oracle: it answers experiments; while episodes play it alone opens sealed/."""
