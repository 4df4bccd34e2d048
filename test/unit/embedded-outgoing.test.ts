import { describe, expect, it } from 'vitest';

import { collectOutgoing } from '../../src/db/embedded/outgoing.ts';
import { query, watchAnswer, welcome } from '../../src/db/embedded/wire.ts';

const message = (type: string, body: string): Buffer => {
  const bytes = query(body);
  bytes.write(type, 'latin1');
  return bytes;
};
const sync = Buffer.from([0x53, 0, 0, 0, 4]);
const textOf = (bytes: Uint8Array | undefined): string =>
  Buffer.from(bytes ?? []).toString('latin1');

describe('what the embedded engine is handed', () => {
  it('holds an extended query back until its Sync', () => {
    const outgoing = collectOutgoing();
    outgoing.push(message('P', '\0select 1'));
    expect(outgoing.take()).toBeUndefined();
    outgoing.push(sync);
    expect(outgoing.take()).toMatchObject({ answers: 1 });
    expect(outgoing.take()).toBeUndefined();
  });

  it('puts messages together that arrive byte by byte', () => {
    const outgoing = collectOutgoing();
    const whole = Buffer.concat([query('select 1'), query('select 2')]);
    for (const byte of whole) outgoing.push(Buffer.of(byte));
    const batch = outgoing.take();
    expect(batch?.answers).toBe(2);
    expect(Buffer.from(batch?.bytes ?? [])).toEqual(whole);
  });

  it.each([
    'copy t from stdin',
    'COPY t (a, b)\nFROM  STDIN with (format csv)',
    'select 1; copy t from stdin',
    '-- a note\n/* and * another */ copy t from stdin',
  ])('replaces %j by an error the server raises', (sql) => {
    for (const bytes of [query(sql), Buffer.concat([message('P', `\0${sql}`), sync])]) {
      const outgoing = collectOutgoing();
      outgoing.push(bytes);
      const batch = outgoing.take();
      expect(batch?.answers).toBe(1);
      expect(textOf(batch?.bytes)).toContain('feature_not_supported');
    }
  });

  it.each([
    `insert into t values ('copy t from stdin')`,
    `copy t to stdout`,
    `copy t from '/dev/blob'`,
    'select copy from stdin_like',
  ])('lets %j through', (sql) => {
    const outgoing = collectOutgoing();
    outgoing.push(query(sql));
    expect(textOf(outgoing.take()?.bytes)).toContain(sql);
  });

  it('says when the client leaves', () => {
    expect(collectOutgoing().push(Buffer.from([0x58, 0, 0, 0, 4]))).toBe(true);
  });
});

describe('an answer of the engine', () => {
  it('is understood in whatever pieces it arrives', () => {
    const bytes = Buffer.concat([welcome({ server_version: '18' }), welcome({})]);
    for (const size of [1, 2, 3, 7, bytes.length]) {
      const watch = watchAnswer();
      for (let at = 0; at < bytes.length; at += size) watch.feed(bytes.subarray(at, at + size));
      expect([watch.ready(), watch.status()]).toEqual([2, 'I']);
    }
  });
});
