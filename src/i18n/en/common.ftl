# Messages that all checks share. $check is the check's id, $reason what went wrong, $source what was looked at.
common-cannot-tell = { $check } could not look: { $reason }
common-skipped = { $check } did not look ({ $reason })
common-absent = { $check }: nothing there to look at
