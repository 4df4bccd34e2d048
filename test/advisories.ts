import { spawnSync } from 'node:child_process';

import { z } from 'zod';

const Report = z.object({
  vulnerabilities: z.record(
    z.string(),
    z.object({ severity: z.string(), range: z.string(), isDirect: z.boolean() }),
  ),
});
const GRAVE = ['high', 'critical'];

type Verdict = { lines: string[]; isGrave: boolean };

/**
 * What `npm audit --json` printed, in words. A registry that offers no list of advisories has compared nothing, which
 * is said and is no failure.
 */
export function verdictOn(printed: string): Verdict {
  const report = Report.safeParse(parsed(printed));
  if (!report.success) {
    const line = 'No list of advisories was had from this registry: nothing was compared.';
    return { lines: [line], isGrave: false };
  }
  const found = Object.entries(report.data.vulnerabilities);
  if (found.length === 0)
    return { lines: ['No package of the lock file has a known advisory.'], isGrave: false };
  return {
    lines: found.map(([name, { severity, range, isDirect }]) =>
      [severity, name, range, ...(isDirect ? ['(of package.json)'] : [])].join(' '),
    ),
    isGrave: found.some(([, { severity }]) => GRAVE.includes(severity)),
  };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

if (import.meta.main) {
  const words = ['audit', '--json', '--omit=dev', '--audit=true'];
  const { stdout } = spawnSync('npm', words, {
    encoding: 'utf8',
    timeout: 120_000,
    maxBuffer: 64 * 1024 ** 2,
  });
  const { lines, isGrave } = verdictOn(stdout ?? '');
  console.log(lines.join('\n'));
  if (isGrave) process.exitCode = 1;
}
