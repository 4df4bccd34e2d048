/** The floor: node:http that sends the request on to the vendor and its bytes back, and knows nothing of them. */
import { Agent, createServer, request } from 'node:http';

import { listenAndReport } from '../report.ts';

const [vendor = ''] = process.argv.slice(2);
const agent = new Agent({ keepAlive: true });

const server = createServer((req, res) => {
  const headers = {
    'content-type': 'application/json',
    'content-length': req.headers['content-length'],
  };
  const url = `${vendor}${req.url}`;
  const outgoing = request(url, { method: 'POST', agent, headers }, (answer) => {
    res.writeHead(answer.statusCode ?? 502, { 'content-type': 'text/event-stream' });
    answer.pipe(res);
  });
  outgoing.on('error', () => res.destroy());
  req.pipe(outgoing);
});
server.keepAliveTimeout = 120_000;
listenAndReport(server);
