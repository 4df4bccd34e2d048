import { describe, expect, it } from 'vitest';

import { collectOutgoing } from '../../src/db/embedded/outgoing.ts';
import { begun, query, watchAnswer, welcome, withoutBegun } from '../../src/db/embedded/wire.ts';

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

  it('gets the beginning of a transaction with its first statement', () => {
    const outgoing = collectOutgoing();
    const begin = query(`begin; set local svc.tenant_id = '7'`);
    expect(outgoing.push(begin)).toEqual({ ended: false, begun: true });
    expect(outgoing.take()).toBeUndefined();
    expect(outgoing.push(query('select 1'))).toEqual({ ended: false, begun: false });
    const batch = outgoing.take();
    expect(batch).toMatchObject({ answers: 2, begins: true });
    expect(Buffer.from(batch?.bytes ?? [])).toEqual(Buffer.concat([begin, query('select 1')]));
    outgoing.push(query('commit'));
    expect(outgoing.take()).toMatchObject({ answers: 1, begins: false });
  });

  it.each([
    ['another statement', query('begin')],
    ['more behind it', query(`begin; set local svc.tenant_id = '7'; drop table t`)],
    ['another setting', query(`begin; set local role = 'x'`)],
    [
      'one that waits before it',
      Buffer.concat([query('select 1'), query(`begin; set local svc.tenant_id = '7'`)]),
    ],
  ])('answers nothing early for %s', (_what, bytes) => {
    const outgoing = collectOutgoing();
    expect(outgoing.push(bytes)).toMatchObject({ begun: false });
    expect(outgoing.take()).toMatchObject({ begins: false });
  });

  it('says when the client leaves', () => {
    expect(collectOutgoing().push(Buffer.from([0x58, 0, 0, 0, 4]))).toMatchObject({ ended: true });
  });
});

describe('an answer of the engine', () => {
  it('loses the beginning the client has heard of, in whatever pieces it arrives', () => {
    const whole = Buffer.concat([begun, Buffer.from('the rest')]);
    for (const size of [1, 2, 5, 16, whole.length]) {
      const unheard = withoutBegun();
      const left: Buffer[] = [];
      for (let at = 0; at < whole.length; at += size)
        left.push(unheard(whole.subarray(at, at + size)));
      expect(Buffer.concat(left).toString()).toBe('the rest');
    }
  });

  it('is not taken for a beginning when it is something else', () => {
    expect(() => withoutBegun()(query('an error'))).toThrow('did not begin');
  });

  it('is understood in whatever pieces it arrives', () => {
    const bytes = Buffer.concat([welcome({ server_version: '18' }), welcome({})]);
    for (const size of [1, 2, 3, 7, bytes.length]) {
      const watch = watchAnswer();
      for (let at = 0; at < bytes.length; at += size) watch.feed(bytes.subarray(at, at + size));
      expect([watch.ready(), watch.status()]).toEqual([2, 'I']);
    }
  });
});
