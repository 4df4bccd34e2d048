/**
 * Node's HTTP. An `import` of `node:http` reads every export, also the one that loads `fetch` and all behind it: 30 ms
 * of each start and 6 MB.
 */
export const { Agent, createServer, IncomingMessage, request } =
  process.getBuiltinModule('node:http');
