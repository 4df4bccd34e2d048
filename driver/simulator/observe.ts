import type { IncomingMessage, ObserveWriteStream } from 'coap';

import { composite, namesIn } from './composite.ts';
import type { SimulatedDevice } from './contract.ts';
import { encode, Format } from './encoding.ts';
import { type Model, resourceAt } from './model.ts';
import type { Reports } from './reports.ts';
import { formatOf, tokenOf } from './stack.ts';

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
