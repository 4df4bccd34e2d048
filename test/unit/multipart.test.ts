import { describe, expect, it } from 'vitest';

import { readFilePart } from '../../src/kernel/input/multipart.ts';
import { createRandom } from '../support/hostile/random.ts';

const TYPE = 'multipart/form-data; boundary=XX';
const part = (head: string, body: string): string => `--XX\r\n${head}\r\n\r\n${body}\r\n`;
const file = (name = 'a.txt', body = 'hi', field = 'file'): string =>
  part(`Content-Disposition: form-data; name="${field}"; filename="${name}"`, body);
const END = '--XX--\r\n';
const read = (body: string | Buffer, type = TYPE) =>
  readFilePart(type, Buffer.isBuffer(body) ? body : Buffer.from(body), 'file');

describe('a multipart body', () => {
  it('gives its file byte for byte, also one that looks like a boundary', () => {
    const bytes = Buffer.concat([
      Buffer.from(Array.from({ length: 256 }, (_, byte) => byte)),
      Buffer.from('\r\n--X\r\n--YY\r\n\r\n--'),
    ]);
    const body = Buffer.concat([
      Buffer.from('--XX\r\nContent-Disposition: form-data; name="file"; filename="b"\r\n\r\n'),
      bytes,
      Buffer.from(`\r\n${END}`),
    ]);
    expect(read(body).bytes.equals(bytes)).toBe(true);
  });

  it('is read as fetch, curl and browsers write it', async () => {
    const form = new FormData();
    form.set('conversation_id', 'c1');
    form.set('file', new Blob(['inhalt']), 'Müller "1".txt');
    const request = new Request('http://x', { method: 'POST', body: form });
    const body = Buffer.from(await request.arrayBuffer());
    const { name, bytes } = read(body, request.headers.get('content-type') ?? '');
    expect([name, bytes.toString()]).toEqual(['Müller "1".txt', 'inhalt']);
    expect(read(`${file('a\\"b.txt')}${END}`).name).toBe('a"b.txt');
    expect(read(`${file()}${END}`, 'multipart/form-data; boundary="XX"').name).toBe('a.txt');
  });

  it.each([
    ['no boundary', `${file()}${END}`, 'multipart/form-data'],
    ['a boundary too long', `${file()}${END}`, `multipart/form-data; boundary=${'X'.repeat(71)}`],
    ['another boundary', `${file()}${END}`, 'multipart/form-data; boundary=YY'],
    ['nothing', '', TYPE],
    ['no end', file(), TYPE],
    ['half a part', file().slice(0, -8), TYPE],
    ['a header without an end', '--XX\r\nContent-Disposition: form-data', TYPE],
    ['a header of 9 kB', `${file('a'.repeat(9_000))}${END}`, TYPE],
    ['no disposition', `${part('X-Other: 1', 'x')}${END}`, TYPE],
    ['no file', `${part('Content-Disposition: form-data; name="file"', 'x')}${END}`, TYPE],
    ['a file in another field', `${file('a', 'x', 'upload')}${END}`, TYPE],
    ['two files', `${file()}${file()}${END}`, TYPE],
    ['eleven parts', `${file('a', 'x').repeat(11)}${END}`, TYPE],
    ['no parts', END, TYPE],
  ])('is refused with %s', (_what, body, type) => {
    expect(() => read(body, type)).toThrow(expect.objectContaining({ status: 400 }));
  });

  it('is a file or a BadRequest, whatever happened to it on the way', () => {
    const random = createRandom(7);
    const whole = Buffer.from(`${file('a.txt', 'x\r\n--X\r\n')}${END}`);
    let taken = 0;
    for (let n = 0; n < 20_000; n += 1) {
      const body = Buffer.from(whole);
      for (let changes = 1 + random.upTo(3); changes > 0; changes -= 1)
        body[random.upTo(body.length - 1)] = random.pick([0, 10, 13, 34, 45, 58, 88, 92, 255]);
      try {
        read(body.subarray(random.chance(0.2) ? random.upTo(20) : 0));
        taken += 1;
      } catch (error) {
        expect(error).toMatchObject({ status: 400 });
      }
    }
    expect(taken).toBeGreaterThan(100);
  });
});
