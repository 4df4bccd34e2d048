import { describe, expect, it } from 'vitest';

import { createLog } from '../../src/kernel/process/log.ts';

const SECRET = 'canary-3f9c';

describe('the log', () => {
  it('never shows a secret, however deep it sits', () => {
    const lines: string[] = [];
    const log = createLog('info', (line) => void lines.push(line));
    const error = Object.assign(new Error('bad body'), { body: `{"password":"${SECRET}"}` });
    const cyclic: Record<string, unknown> = { apiKey: SECRET };
    cyclic['self'] = cyclic;
    log.info(
      { password: SECRET, a: { b: { c: [{ 'x-auth-token': SECRET, client_secret: SECRET }] } } },
      'nested',
    );
    log.error({ error: new Error('outer', { cause: error }), cyclic }, 'failed');
    log
      .child({ pskKey: SECRET, headers: { Authorization: SECRET, cookie: SECRET } })
      .warn({}, 'child');
    expect(lines).toHaveLength(3);
    expect(lines.join('')).not.toContain(SECRET);
    expect(lines.join('')).toContain('bad body');
  });

  it('keeps one entry on one line', () => {
    const lines: string[] = [];
    createLog('info', (line) => void lines.push(line)).info({ name: 'a\nb' }, 'two\nlines');
    expect(lines.join('').trim().split('\n')).toHaveLength(1);
  });
});
