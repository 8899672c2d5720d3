# What a model of a role is good and bad at, in a few words that stand in brackets.
model-role-strongest = for large and hard work; fills first
model-role-sibling-smaller = quick; weak on long chains of steps
model-role-general = steady for everyday work
model-role-economical = cheap and roomy; cuts corners on long context
