import { timingSafeEqual } from 'node:crypto';
import type { RequestListener } from 'node:http';

import type { MetricsRegistry } from './registry.ts';

/** Answers `GET /metrics`, with a token only to who has it (`Authorization: Bearer …`), and nothing else. */
export function metricsAnswers(
  { text, contentType }: MetricsRegistry,
  token: string | null,
): RequestListener {
  const expected = token === null ? null : Buffer.from(`Bearer ${token}`);
  return (req, res) => {
    const end = (status: number, body: string, type = 'text/plain; charset=utf-8'): void =>
      void res
        .writeHead(status, { 'content-type': type, 'cache-control': 'no-store' })
        .end(req.method === 'HEAD' ? undefined : body);
    if (req.url?.split('?')[0] !== '/metrics') return end(404, 'Only /metrics is here\n');
    if (req.method !== 'GET' && req.method !== 'HEAD') {
      res.setHeader('allow', 'GET, HEAD');
      return end(405, '/metrics is read with GET\n');
    }
    const given = Buffer.from(req.headers.authorization ?? '');
    if (expected && !(given.length === expected.length && timingSafeEqual(given, expected))) {
      res.setHeader('www-authenticate', 'Bearer');
      return end(401, '/metrics needs the token of SVC_METRICS_TOKEN\n');
    }
    text().then(
      (body) => end(200, body, contentType),
      () => end(503, 'The figures cannot be read now\n'),
    );
  };
}
