import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

import { expect, it } from 'vitest';

const promtool = async (...words: string[]) =>
  (await promisify(execFile)('promtool', words, { cwd: 'docs/monitoring' })).stdout;

it('Prometheus takes the alert rules, fires each by its fault, and none for a platform that works', async () => {
  expect(await promtool('check', 'rules', 'alerts.yml')).toContain('SUCCESS');
  expect(await promtool('test', 'rules', 'alerts.test.yml')).toContain('SUCCESS');
});
