"""The page around the text: scripts that the book does not use are dropped, landmarks and labels completed."""


def page(app, pagename, templatename, context, doctree):
    # sphinx-thebe's scripts name a CDN and throw; nobody asked for them here
    context["script_files"][:] = [
        script
        for script in context.get("script_files", [])
        if "THEBE_JS_URL" not in str((getattr(script, "attributes", None) or {}).get("body", ""))
        and "sphinx-thebe" not in str(getattr(script, "filename", script))
    ]


def setup(app):
    app.connect("html-page-context", page, priority=900)
