// A link to a fold opens it: browsers open a fold only for what lies inside.
(() => {
  const reveal = () => {
    const named = document.getElementById(decodeURIComponent(location.hash.slice(1)));
    if (!named?.matches("details:not([open])")) return;
    named.open = true;
    named.scrollIntoView();
  };
  addEventListener("hashchange", reveal);
  reveal();
})();
