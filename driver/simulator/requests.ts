import { type IncomingMessage, ObserveWriteStream, type OutgoingMessage } from 'coap';

import { composite } from './composite.ts';
import type { DeviceEvent, DeviceOptions } from './contract.ts';
import { decodeNumber, encode, Format } from './encoding.ts';
import { type Firmware, NO_ANSWER } from './firmware.ts';
import { type Model, MUTE_SEND, REBOOT, resourceAt, SET_POINT } from './model.ts';
import { observe, type Reports } from './reports.ts';
import { formatOf, tokenOf } from './stack.ts';

type Parts = {
  model: Model;
  reports: Reports;
  firmware: Firmware | undefined;
  hold: DeviceOptions['hold'];
  restart(): void;
  tell(event: DeviceEvent): void;
};

/** Answers the requests of the server, and counts them. */
export class Requests {
  readonly #parts: Parts;
  readonly counts = { reads: 0, composite: 0, writes: 0, reboots: 0 };

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  handle(request: IncomingMessage, response: OutgoingMessage | ObserveWriteStream): void {
    const { model, reports } = this.#parts;
    const [path = '', query] = request.url.split('?');
    const isAttributes = request.method === 'PUT' && query !== undefined;
    if (response instanceof ObserveWriteStream)
      return observe(request, response, {
        reports,
        model,
        requests: this.counts,
        write: this.#hold,
      });
    if (request.headers['Observe'] === 1) reports.cancel(tokenOf(request));
    if (request.method === 'FETCH' || request.method === 'iPATCH') {
      const { code, payload } = composite(request, { model, write: this.#hold });
      if (payload) {
        this.counts.reads += 1;
        this.counts.composite += 1;
        response.setOption('Content-Format', Format.SENML_JSON);
      }
      response.statusCode = code;
      response.end(payload);
      return;
    }
    if (isAttributes && request.payload.length === 0) {
      response.statusCode =
        resourceAt(path, model) && reports.attributes(path, query) ? '2.04' : '4.00';
      response.end();
      return;
    }
    const code = this.#answer(request, path);
    if (code === NO_ANSWER) return;
    response.statusCode = code;
    response.end(code === '2.05' ? this.#read(path, request, response) : undefined);
  }

  #answer(request: IncomingMessage, path: string): string {
    const { model, firmware, restart, tell } = this.#parts;
    const { method, payload } = request;
    const resource = resourceAt(path, model);
    if (method === 'GET') {
      if (!resource) return path === REBOOT ? '4.05' : '4.04';
      return encode(formatOf(request, 'Accept'), resource, resource.read(model), model.sent())
        ? '2.05'
        : '4.06';
    }
    if (method === 'POST' && path === REBOOT) {
      this.counts.reboots += 1;
      tell({ event: 'reboot' });
      restart();
      return '2.04';
    }
    const updated = firmware?.answer(`${method} ${path}`, payload);
    if (updated !== undefined) return updated;
    if (method === 'PUT' && path === MUTE_SEND) {
      model.mute(/^(?:1|true)$/.test(payload.toString()));
      return '2.04';
    }
    if (method === 'PUT' && path === SET_POINT) return this.#setPointBy(request);
    return resource ? '4.05' : '4.04';
  }

  #setPointBy(request: IncomingMessage): string {
    const format = formatOf(request, 'Content-Format');
    if (!Object.values<number>(Format).includes(format)) return '4.15';
    const value = decodeNumber(format, request.payload);
    if (value === null) return '4.00';
    this.#hold(value);
    return '2.04';
  }

  readonly #hold = (value: number): void => {
    const { model, hold, tell } = this.#parts;
    this.counts.writes += 1;
    const held = hold?.(value) ?? value;
    model.setSetPoint(held);
    tell({ event: 'set-point', value: held });
  };

  #read(path: string, request: IncomingMessage, response: OutgoingMessage): Buffer | undefined {
    const { model } = this.#parts;
    const resource = resourceAt(path, model);
    const format = formatOf(request, 'Accept');
    this.counts.reads += 1;
    response.setOption('Content-Format', format);
    return resource
      ? (encode(format, resource, resource.read(model), model.sent()) ?? undefined)
      : undefined;
  }
}
