"""What tests of a widget's page ask again and again."""


def holds(page, root: str, **state: object) -> None:
    """Wait until the widget's root has these attributes."""
    for name, value in state.items():
        asked = [root, name, str(value)]
        page.wait_for_function("([root, name, value]) => document.querySelector(root).dataset[name] === value", arg=asked)
