// What the parts of the gate's script share: the bridge's functions, and turns of the page's loop.

const probes = window.__parserProbes;
const globalOf = window.__globalNamed;
const describeThrown = window.__describeThrown;
const debug = console.debug;
const parse = window.__context.parseHTML;
const decode = window.__context.decodeContent;
const MAX_MESSAGE = 400;

// What was thrown in the bridge's words, short and without its stack: there may be thousands.
function describe(thrown) {
  const { name, message, line, column, script } = describeThrown(thrown);
  return { name, message: message.slice(0, MAX_MESSAGE), line, column, script };
}

// One turn of the page's loop. Not by a timer: pages that nobody sees have theirs slowed down to one a second.
const channel = new MessageChannel();
const turns = [];
channel.port1.onmessage = () => turns.shift()();
function turn() {
  return new Promise((done) => {
    turns.push(done);
    channel.port2.postMessage(0);
  });
}
