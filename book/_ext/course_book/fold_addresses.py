"""Every named fold (proof, what we found, for readers of the sources) has an address, and a link to it opens it.

The address is that of its section and its name: `l22-hull-proof`; a second one of the name gets a number.
"""

from docutils import nodes


def address(app, doctree) -> None:
    taken = set(doctree.ids)
    for fold in doctree.findall(
        lambda node: isinstance(node, nodes.container) and node.get("design_component") == "dropdown"
    ):
        if not fold["has_title"] or fold[0]["ids"]:
            continue
        section = fold
        while section is not None and not isinstance(section, nodes.section):
            section = section.parent
        begin = (
            f"{section['ids'][-1]}-{nodes.make_id(fold[0].astext())}"
            if section is not None
            else nodes.make_id(fold[0].astext())
        )
        name = next(name for name in (begin, *(f"{begin}-{number}" for number in range(2, 99))) if name not in taken)
        taken.add(name)
        fold[0]["ids"] = [name]


def setup(app):
    app.add_js_file("course/keep_target.js", defer="defer")
    app.connect("doctree-read", address)
