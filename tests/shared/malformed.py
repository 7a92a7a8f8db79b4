"""What nobody means, and a file from elsewhere may hold."""

MALFORMED = [
    "<img src=x onerror='ran = 1'>",
    "__proto__",
    "constructor",
    "9" * 3000,
    10**9,
    -0.5,
    True,
    [],
    {},
    [["a"]],
    [None],
    {"length": 4},
]
