import type { IncomingMessage, ObserveWriteStream } from 'coap';

import type { Clock } from '../../src/kernel/clock.ts';
import { composite, namesIn } from './composite.ts';
import type { SimulatedDevice } from './contract.ts';
import { encode, Format } from './encoding.ts';
import { type Model, resourceAt } from './model.ts';
import { formatOf, tokenOf } from './stack.ts';

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

type Parts = {
  reports: Reports;
  model: Model;
  requests: SimulatedDevice['requests'];
  write: (setPoint: number) => void;
};

/** Begins to report a resource, or several of them (FETCH: Observe-Composite, OMA Core 1.1, 6.4.5), or refuses. */
export function observe(
  request: IncomingMessage,
  stream: ObserveWriteStream,
  { reports, model, requests, write }: Parts,
): void {
  const isComposite = request.method === 'FETCH';
  const [path = ''] = request.url.split('?');
  const format = isComposite ? Format.SENML_JSON : formatOf(request, 'Accept');
  const resource = resourceAt(path, model);
  const answer = (): { code: string; payload?: Buffer } => {
    if (isComposite) return composite(request, { model, write });
    const payload = resource && encode(format, resource, resource.read(model));
    return payload ? { code: '2.05', payload } : { code: resource ? '4.06' : '4.04' };
  };
  const { code, payload } = answer();
  if (!payload) {
    stream.statusCode = code;
    stream.end();
    return;
  }
  requests.reads += 1;
  if (isComposite) requests.composite += 1;
  stream.setOption('Content-Format', format);
  const paths = isComposite ? (namesIn(request.payload) ?? []) : [path];
  const encoded = () => answer().payload ?? null;
  reports.begin({ paths, token: tokenOf(request), stream, encoded });
}
