"""Trust models: each makes a plan of a question, with all that it promises and to whom.

What a plan is made of stands beside: what runs on a device in `device`, what a server adds in
`server`. Whom people trust decides both (`Central`, `Local`, `Shuffled`, `Aggregated`, `Federated`,
`NonPrivate`, at the top of `tacit`); `people` says what all of them have in common.
"""
