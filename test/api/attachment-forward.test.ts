import { type ClientRequest, request } from 'node:http';

import { describe, expect, it } from 'vitest';

import { attach, uploadFile, uploadRaw } from '../support/people/upload.ts';
import { eventually } from '../support/world/eventually.ts';
import { started } from '../support/world/prepared.ts';
import { startSplit } from '../support/world/split.ts';

const MB = 1024 * 1024;

/** Never rejects: one that is destroyed was not answered. */
const statusOf = (upload: ClientRequest): Promise<number | undefined> =>
  new Promise((resolve) => {
    upload.on('error', () => {}).on('response', (answer) => resolve(answer.resume().statusCode));
  });

describe('a gateway whose agentic center runs elsewhere', () => {
  const split = started(startSplit);

  it('200: passes a file of 10 MB on, unchanged', async () => {
    const { admin } = split;
    expect(await attach(admin, 'far', 'x'.repeat(10 * MB), 'x.md')).toMatchObject({
      fileName: 'x.md',
      contentType: 'text/markdown',
      size: 10 * MB,
    });
    const { body } = await admin.get('/api/v3/agentic/attachment/list', {
      conversation_id: 'far',
    });
    expect(body.data).toMatchObject([{ fileName: 'x.md' }]);
  });

  it('4xx: passes on what the center refuses, and refuses itself what is too large or nobody’s', async () => {
    const { admin } = split;
    expect((await uploadFile(admin, 'far', '')).status).toBe(400);
    expect((await uploadFile(admin, 'far', Buffer.from('MZ\x90\0'))).status).toBe(415);
    expect((await uploadFile(admin, 'far', 'x'.repeat(12 * MB))).status).toBe(413);
    expect((await uploadRaw(admin, 'far', 'hi', 'text/plain')).status).toBe(415);
    // Nobody's file is refused unread, however large.
    for (const size of [1, 12 * MB])
      expect((await uploadFile({ ...admin, headers: {} }, 'far', 'x'.repeat(size))).status).toBe(
        401,
      );
    // The center itself knows callers by the signed principal alone.
    expect((await uploadFile({ ...admin, base: split.at.agentic }, 'far', 'x')).status).toBe(401);
  });

  it('429: reads no more than sixteen at a time', async () => {
    const { admin } = split;
    const { hostname, port } = new URL(split.base);
    /** Each sends a part of its body and no more: what is let in stays. */
    const uploads = Array.from({ length: 17 }, () => {
      const one = request({
        hostname,
        port,
        method: 'POST',
        path: '/api/v3/agentic/attachment/upload?conversation_id=far',
        headers: {
          ...admin.headers,
          'content-type': 'multipart/form-data; boundary=b',
          'content-length': MB,
        },
      });
      one.write('--b');
      return one;
    });
    // Whichever comes last: sixteen are under way by then, and none of them can end.
    expect(await Promise.race(uploads.map(statusOf))).toBe(429);
    const refused = await uploadFile(admin, 'far', '');
    expect(refused).toMatchObject({
      status: 429,
      body: { message: 'Too many uploads of this principal are under way' },
    });
    for (const one of uploads) one.destroy();
    await eventually(
      () => uploadFile(admin, 'far', ''),
      ({ status }) => status === 400,
    );
  });

  it('passes a table on that is larger than a JSON body may be', async () => {
    const query = new URLSearchParams({ driverId: '1', profileId: '999999' }).toString();
    const answer = await fetch(`${split.base}/api/v3/manager/device/import?${query}`, {
      method: 'POST',
      headers: { ...split.admin.headers, 'content-type': 'text/csv' },
      body: `deviceName\n${'row\n'.repeat(150_000)}`,
    });
    // Read whole, and then refused for what it says.
    expect(answer.status).not.toBe(413);
    expect(answer.status).toBeLessThan(500);
  });
});
