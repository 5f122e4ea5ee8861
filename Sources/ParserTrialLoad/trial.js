// Asks a loaded bundle for a parser of each source of the catalog, and returns the ids that have none, with the reason.
probes.tryLoading = function (asked) {
  const context = page.context();
  const parsers = page.global(asked.globalName);
  if (!parsers) throw new ReferenceError(`the bundle defines no ${asked.globalName}`);
  for (const name of ['getParser', 'getAllSources']) {
    if (typeof parsers[name] !== 'function') throw new TypeError(`${asked.globalName}.${name} is not a function`);
  }
  if (!Array.isArray(parsers.getAllSources())) throw new TypeError('getAllSources() returns no array');
  const missing = [];
  for (const id of asked.ids) {
    try {
      if (!parsers.getParser(id, context)) missing.push([id, 'there is no parser']);
    } catch (error) {
      missing.push([id, String(error && error.message || error)]);
    }
  }
  return missing;
};
