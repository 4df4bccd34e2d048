/** The floor: node:http that reads the request and answers the same bytes. */
import { once } from 'node:events';
import { createServer } from 'node:http';

import { z } from 'zod';

import { listenAndReport } from '../report.ts';

const [message]: unknown[] = await once(process, 'message');
const answers = new Map(
  Object.entries(z.record(z.string(), z.string()).parse(message)).map(([method, text]) => [
    method,
    Buffer.from(text),
  ]),
);

const server = createServer((request, response) => {
  const body = answers.get(String(request.headers['mcp-method']));
  request.resume().on('end', () => {
    response
      .writeHead(body ? 200 : 404, {
        'content-type': 'application/json',
        'content-length': body?.length ?? 0,
      })
      .end(body);
  });
});
listenAndReport(server);
