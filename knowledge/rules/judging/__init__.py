"""How one note relates to another: what the server may conclude by itself, and what it asks.

Theory of operation. Two notes on one subject can say the same, replace each other, oppose each other, belong together,
or merely read alike. Only somebody who understands both can tell, and that is the agent that deposits, a person, or a
language model. So the rules here decide next to nothing. `reading` reads a text by pattern; `differences` lists what
two readings differ in; `careful` merges only what is the same in every word, and supersedes only what is announced;
`closeness` tells which neighbours are worth a question, by how much two notes stand out from everything around them.

Why it is so, and what was measured: docs/decisions/0014-relations.md
"""
