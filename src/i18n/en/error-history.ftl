# The check error-history.

history-recovered = { $model } answered again after this error: { $at }.
history-other-model-worked = Within minutes of this error another model, { $other }, did answer.
history-same-model-elsewhere = Within minutes of this error { $model } did answer through { $other }: it is refused here, not everywhere.
history-all-models-refused = { $models } models were asked since { $since }, and none of them had room for this account.
history-constant = { $model } has failed at every try since { $since }, { $failures } times and at several times of the day. Capacity comes and goes.
history-intermittent = { $recoveries } times { $model } failed and answered again, mostly within { $median }: it comes and goes.
history-first-days = { $model } was in its first days here, and everybody tries a new model.
history-crowded-hours = It fell between { $from }:00 and { $to }:00, when { $refused } of your { $turns } turns were refused.
