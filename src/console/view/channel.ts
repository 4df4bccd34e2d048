import { type Fields, fieldsOf, isFields, textOf } from './fields.ts';

/** Longer than the longest wait of a tool. */
const TIMEOUT_MS = 90_000;

/** JSON-RPC with the window around this one, `heard` for its notifications and `asked` for its requests. */
export type Channel = {
  /** Rejects with what the host said, and after 90 s. */
  request(method: string, params: Fields): Promise<Fields>;
  notify(method: string, params: Fields): void;
};

type Listeners = {
  heard(method: string, params: Fields): void;
  /** Undefined for a method there is none of. */
  asked(method: string): Fields | undefined;
};

type Pending = { resolve(result: Fields): void; reject(error: Error): void };

export function openChannel({ heard, asked }: Listeners): Channel {
  const pending = new Map<number, Pending>();
  let last = 0;
  // What is sent holds no secret, and a host may have another origin for every view.
  const send = (message: Fields): void => parent.postMessage({ jsonrpc: '2.0', ...message }, '*');

  addEventListener('message', ({ source, data }: MessageEvent<unknown>) => {
    if (source !== parent || !isFields(data) || data['jsonrpc'] !== '2.0') return;
    const { id, method } = data;
    if (typeof method !== 'string') return settle(data);
    if (id === undefined) return heard(method, fieldsOf(data['params']));
    const result = asked(method);
    send(result ? { id, result } : { id, error: { code: -32_601, message: 'Method not found' } });
  });

  function settle({ id, result, error }: Fields): void {
    const waiting = typeof id === 'number' ? pending.get(id) : undefined;
    if (error === undefined) waiting?.resolve(fieldsOf(result));
    else waiting?.reject(new Error(textOf(fieldsOf(error), 'message') || 'The host refused'));
  }

  return {
    notify: (method, params) => send({ method, params }),
    request(method, params) {
      last += 1;
      const id = last;
      return new Promise<Fields>((resolve, reject) => {
        const timer = setTimeout(() => reject(new Error('The host did not answer')), TIMEOUT_MS);
        pending.set(id, {
          resolve(result) {
            clearTimeout(timer);
            resolve(result);
          },
          reject(error) {
            clearTimeout(timer);
            reject(error);
          },
        });
        send({ id, method, params });
      }).finally(() => pending.delete(id));
    },
  };
}
