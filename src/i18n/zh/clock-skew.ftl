clock-in-step = 本机时钟与 { $host } 一致，误差不超过 { $within }。
clock-off = 本机时钟比 { $host } { $direction ->
    [ahead] 快
   *[behind] 慢
}了 { $offset }；消息里的时间会有同样的偏差，偏差大时登录令牌也会出问题。
clock-token-from-future = 已保存的登录令牌签发于 { $at }，比本机时间还晚 { $offset }：本机时钟至少慢了这么多。
clock-tokens-look-expired = 本机时钟比 { $host } { $direction ->
    [ahead] 快
   *[behind] 慢
}了 { $offset }，刚签发的登录令牌看上去都已过期；Codex 会不停地刷新令牌，却始终发不出请求。
