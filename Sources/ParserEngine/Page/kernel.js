// Runs in the world of the bundle, before it, and makes the realm of the bridge: a frame that no bundle can find, with a
// language of its own, so that nothing that a bundle does to `Array`, `JSON` or `Promise` reaches the bridge and the probes.
// What is defined here is all of the gate that a bundle can hold in its hands. It must never look anything up that a bundle
// can change: no method of an object, no iterator, no property of an object that has a prototype.
(function (bridge, channel) {
  'use strict';
  const root = document.body.attachShadow({ mode: 'closed' });
  const frame = document.createElement('iframe');
  frame.style.display = 'none';
  // The slot keeps what a bundle puts into the body in its place.
  root.append(document.createElement('slot'), frame);
  const TooDeep = RangeError;
  const Mask = Proxy;

  // `work` belongs to the bridge. It returns what came of it and throws nothing, unless the stack is full; then its error,
  // which belongs to the bridge as well, must not get out.
  function enter(work, self, given) {
    let end;
    try { end = work(self, given); } catch { throw new TooDeep('Maximum call stack size exceeded.'); }
    if (end.isThrown) throw end.value;
    return end.value;
  }
  // A function of the page for a function of the bridge.
  const expose = (work) => ({ method(...given) { return enter(work, this, given); } }).method;
  // The same in the place of a function of the page, and looking like it.
  const replace = (original, work) => new Mask(original, {
    __proto__: null,
    apply(_, self, given) { return enter(work, self, given); },
  });
  return frame.contentWindow.eval(bridge)(window, channel, expose, replace);
})
