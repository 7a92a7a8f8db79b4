"""Two thousand lines of many scripts, the same in every run: what a tokeniser is held to."""

import gzip
import random
import unicodedata
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
LINES = 2000
BLOCKS = [  # letters of many scripts, marks, signs, pictures; the last ones are younger than the models' own tables
    (0x20, 0x7F), (0xA0, 0x180), (0x180, 0x250), (0x250, 0x2B0), (0x300, 0x370), (0x370, 0x400), (0x400, 0x530), (0x530,
    0x590), (0x590, 0x600), (0x600, 0x700),
    (0x700, 0x750), (0x780, 0x7C0), (0x900, 0x980), (0x980, 0xA00), (0xA00, 0xA80), (0xB80, 0xC00), (0xC00, 0xC80),
    (0xD00, 0xD80), (0xE00, 0xE80), (0xE80, 0xF00),
    (0xF00, 0x1000), (0x1000, 0x10A0), (0x10A0, 0x1100), (0x1100, 0x1200), (0x1200, 0x1380), (0x13A0, 0x1400), (0x1400,
    0x1680), (0x1680, 0x1700), (0x1780, 0x1800),
    (0x1800, 0x18B0), (0x1E00, 0x1F00), (0x1F00, 0x2000), (0x2000, 0x2070), (0x2070, 0x20D0), (0x20D0, 0x2190), (0x2190,
    0x2400), (0x2400, 0x2600), (0x2600, 0x27C0),
    (0x2C00, 0x2E00), (0x2E00, 0x2E80), (0x2E80, 0x3000), (0x3000, 0x3100), (0x3100, 0x3400), (0x4E00, 0x9FFF), (0xA000,
    0xA4D0), (0xA4D0, 0xA720), (0xA720, 0xA800),
    (0xAC00, 0xD7B0), (0xF900, 0xFB00), (0xFB00, 0xFE00), (0xFE00, 0xFE70), (0xFF00, 0x10000), (0x10000, 0x10100),
    (0x10300, 0x10400), (0x10400, 0x10500), (0x10900, 0x10A00),
    (0x11000, 0x11080), (0x12000, 0x12400), (0x1D100, 0x1D200), (0x1D400, 0x1D800), (0x1F100, 0x1F200), (0x1F300,
    0x1F700), (0x1F900, 0x1FA00), (0x20000, 0x20200),
    (0x0860, 0x0900), (0x10EC0, 0x10F00), (0x11DB0, 0x11DF0), (0x1E6C0, 0x1E700), (0xE000, 0xE010), (0xE0100, 0xE01F0),
]  # fmt: skip
BITS = [
    "don't", "it's we'll they've I'd you're I'm", "'S 'LL x's", "3.14", "1,024 ½ ² ٣", "  two  spaces",
    "tab\tand\nnew line", "\r\n\r\n", "　ideographic　space", "no\u00a0break", "e\u0301 o\u0308 n\u0303", "ﬁne ﬂag",
    "Straße ΣΟΦΟΣ İstanbul ǅ", "👩‍👩‍👧 👍🏽 🇮🇹 ❤️", "zero\u200bwidth\u200djoin\ufeff", "\u202eright to left\u202c",
    "[MASK] [CLS] [sep] [UNK]", "<|im_start|>user<|im_end|>", "<|endoftext|", "<reponame> <repo_name>x", "##ing ## #",
    "a" * 101, "Donaudampfschifffahrtsgesellschaft", "\x00\x07\x1b[0m", "\ufffd\uffff",
    "http://example.org/a?b=c&d=%20#e", "snake_case camelCase x+=1;", "if (a && b) { return !c; }", "…—–“”‘’«»",
    "Zalgo: h̷̛e̸͝l̵p̶",
]  # fmt: skip


def lines() -> list[str]:
    """A third of it sentences and code of the project itself, a third letters of one script with gaps, a third of all
    at once."""
    draw = random.Random(2031)
    files = [
        *sorted((ROOT / "course_lib" / "text").glob("*.py")),
        *sorted((ROOT / "chapters" / "03_transformer").glob("*.myst.md")),
    ]
    packed = sorted((ROOT / "course_lib" / "text" / "data").glob("*.gz"))
    texts = [
        *(path.read_text(encoding="utf-8") for path in files),
        *(gzip.decompress(path.read_bytes()).decode() for path in packed),
    ]
    own = [line for text in texts for line in text.split("\n") if line.strip()]

    def of(block: tuple[int, int], many: int) -> str:
        return "".join(chr(draw.randrange(*block)) for _ in range(many))

    def mixed() -> str:
        parts = [
            draw.choice([draw.choice(BITS), of(draw.choice(BLOCKS), draw.randrange(1, 6)), draw.choice(own)[:40]])
            for _ in range(draw.randrange(2, 7))
        ]
        return draw.choice(["", " ", "  "]).join(parts)

    made = [*BITS, "", " ", "\n", *draw.sample(own, LINES // 3)]
    made += [" ".join(of(block, draw.randrange(1, 9)) for _ in range(5)) for block in BLOCKS for _ in range(9)]
    made += [unicodedata.normalize(draw.choice(["NFC", "NFD", "NFKC"]), mixed()) for _ in range(LINES - len(made))]
    return made
