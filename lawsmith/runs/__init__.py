"""What every stage run has: context, dispositions, passes over partitions, conversations."""
