import type { ObserveWriteStream } from 'coap';

import type { Clock } from '../../src/kernel/clock.ts';

const LOOK_MS = 200;
/** Between two reports, unless the server says otherwise: a changing temperature is not reported at every look. */
const PMIN_MS = 1_000;
const NOT_GIVEN = { pminMs: PMIN_MS, pmaxMs: Infinity };
const MAX_REPORTS = 100;

type Report = {
  /** One, or those of a composite observation. */
  paths: readonly string[];
  token: string;
  stream: ObserveWriteStream;
  encoded: () => Buffer | null;
  last: { text: string; at: number };
};

/** The resources that a server observes: reported when they change, and at the latest after `pmax` (RFC 7641). */
export type Reports = {
  /** Write-Attributes; false for a query that is none. */
  attributes(path: string, query: string): boolean;
  begin(report: {
    paths: readonly string[];
    token: string;
    stream: ObserveWriteStream;
    encoded: () => Buffer | null;
  }): void;
  cancel(token: string): void;
  /** A device that registers anew or reboots forgets them. */
  forget(): void;
  size(): number;
  close(): void;
};

/** `spoke` is called with each report. */
export function createReports(clock: Clock, spoke: () => void = () => {}): Reports {
  const attributes = new Map<string, { pminMs: number; pmaxMs: number }>();
  let reports: Report[] = [];

  function send(report: Report): void {
    const bytes = report.encoded();
    if (!bytes) return;
    report.last = { text: bytes.toString('latin1'), at: clock.now() };
    spoke();
    report.stream.write(bytes);
  }

  function isDue({ paths, encoded, last }: Report): boolean {
    const given = paths.map((path) => attributes.get(path) ?? NOT_GIVEN);
    const pminMs = Math.min(...given.map((each) => each.pminMs));
    const pmaxMs = Math.min(...given.map((each) => each.pmaxMs));
    const sinceMs = clock.now() - last.at;
    if (sinceMs >= pmaxMs) return true;
    return sinceMs >= pminMs && encoded()?.toString('latin1') !== last.text;
  }

  const stop = clock.every(LOOK_MS, () => {
    for (const report of reports) if (isDue(report)) send(report);
  });

  return {
    attributes(path, query) {
      const given = new Map(
        query.split('&').map((part): [string, string] => {
          const [name = '', value = ''] = part.split('=');
          return [name, value];
        }),
      );
      const secondsOf = (name: string): number | null =>
        given.has(name) ? Number(given.get(name)) * 1_000 : null;
      const [pminMs, pmaxMs] = [secondsOf('pmin') ?? PMIN_MS, secondsOf('pmax') ?? Infinity];
      if (Number.isNaN(pminMs) || Number.isNaN(pmaxMs)) return false;
      attributes.set(path, { pminMs, pmaxMs });
      return true;
    },
    begin(given) {
      const report = { ...given, last: { text: '', at: clock.now() } };
      // One for the same paths: a server that asks again has lost the former one.
      const others = reports.filter(({ paths }) => paths.join() !== given.paths.join());
      reports = [...others, report].slice(-MAX_REPORTS);
      given.stream.on('finish', () => {
        reports = reports.filter((each) => each !== report);
      });
      send(report);
    },
    cancel(token) {
      reports = reports.filter((report) => report.token !== token);
    },
    forget() {
      reports = [];
      attributes.clear();
    },
    size: () => reports.length,
    close() {
      stop();
      reports = [];
    },
  };
}
