# 各类模型的长处与短处，几个字，放在括号里。
model-role-strongest = 适合大而难的任务，但最先满
model-role-sibling-smaller = 快，但长链条任务较弱
model-role-general = 日常工作稳定
model-role-economical = 便宜、宽裕，但长上下文会偷工减料
