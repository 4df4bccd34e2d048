import { request } from 'node:http';

export type Reply = { status: number; retryAfter: string | undefined; text: string; ms: number };

/** Posts JSON from one of this machine's loopback addresses, which stand for clients elsewhere. */
export function postFrom(
  base: string,
  localAddress: string,
  path: string,
  body: unknown,
  headers: Record<string, string> = {},
): Promise<Reply> {
  const { promise, resolve, reject } = Promise.withResolvers<Reply>();
  const began = performance.now();
  const outgoing = request(`${base}${path}`, {
    method: 'POST',
    localAddress,
    headers: { 'content-type': 'application/json', ...headers },
    timeout: 60_000,
  });
  outgoing
    .on('timeout', () => outgoing.destroy(new Error('no answer within a minute')))
    .on('error', reject)
    .on('response', (response) => {
      const chunks: Buffer[] = [];
      response
        .on('data', (chunk: Buffer) => chunks.push(chunk))
        .on('error', reject)
        .on('end', () =>
          resolve({
            status: response.statusCode ?? 0,
            retryAfter: response.headers['retry-after'],
            text: Buffer.concat(chunks).toString(),
            ms: performance.now() - began,
          }),
        );
    })
    .end(JSON.stringify(body));
  return promise;
}
