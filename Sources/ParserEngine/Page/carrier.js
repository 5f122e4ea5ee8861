// Runs in a script world of its own, which shares the document with the page and no object: what the bridge says under a
// name that only it knows goes to the engine. A bundle can reach neither this listener nor the handler.
(function (channel, name) {
  'use strict';
  const handler = window.webkit.messageHandlers[name];
  document.addEventListener(channel, (event) => handler.postMessage(event.detail));
})
