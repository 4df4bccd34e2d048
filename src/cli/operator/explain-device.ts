import { readFileSync } from 'node:fs';

import { z } from 'zod';

const ANSWER_MS = 15_000;

export type ExplainOptions = { url?: string; keyFile?: string };

const Found = z.object({ id: z.string(), deviceName: z.string() });
const Devices = z.object({ records: z.array(Found) });
const Status = z.object({
  status: z.string(),
  statusReason: z.string(),
  description: z.string(),
});
const Registered = z.object({
  endpoint: z.string(),
  version: z.string(),
  registerTime: z.string().nullable(),
  objects: z.array(
    z.object({
      objectId: z.number(),
      instanceId: z.number().nullable(),
      objectName: z.string(),
    }),
  ),
});
const Content = z.object({
  format: z.string(),
  bytes: z.number(),
  values: z.array(z.object({ path: z.string(), resourceName: z.string(), value: z.string() })),
  leftOut: z.number(),
  text: z.string(),
  note: z.string(),
});
const Exchange = z.object({
  at: z.string(),
  ms: z.number().nullable(),
  from: z.enum(['PLATFORM', 'DEVICE']),
  operation: z.string(),
  method: z.string(),
  path: z.string(),
  resourceName: z.string(),
  query: z.string(),
  request: Content.nullable(),
  code: z.string(),
  answer: Content.nullable(),
  failure: z.string(),
  sent: z.number(),
  repeated: z.number(),
  times: z.number(),
  address: z.string(),
  secure: z.boolean(),
});
const Trace = z.object({
  stored: z.boolean(),
  since: z.string().nullable(),
  dropped: z.number(),
  exchanges: z.array(Exchange),
});
const Envelope = z.object({ ok: z.boolean(), message: z.string(), data: z.unknown() });

type Ask = <S extends z.ZodType>(schema: S, path: string, body?: object) => Promise<z.output<S>>;

/**
 * `svc explain device`: how a device is, what it registered and the last exchanges with it, over the REST API of a
 * platform that runs, because they are in the memory of its driver. Throws with words for people.
 */
export async function explainDevice(
  baseUrl: string,
  given: string,
  options: ExplainOptions,
  write: (line: string) => void = (line) => void process.stdout.write(`${line}\n`),
): Promise<void> {
  const ask = askOf(options.url ?? baseUrl, secretOf(options));
  const device = await deviceNamed(ask, given);
  const [status, registered, trace] = await Promise.all([
    ask(Status, `data/device/status/get_by_device_id?device_id=${device.id}`),
    ask(Registered, `manager/device/registration/get_by_device_id?device_id=${device.id}`),
    ask(Trace, `manager/device/trace/get_by_device_id?device_id=${device.id}`),
  ]);
  write(`${device.deviceName} (id ${device.id}) is ${status.status}`);
  for (const line of [status.statusReason, status.description]) if (line !== '') write(`  ${line}`);
  if (registered.registerTime !== null)
    write(
      `It registered as ${registered.endpoint}, LwM2M ${registered.version}: ${objectsIn(registered)}`,
    );
  for (const line of linesOf(trace)) write(line);
}

/** From the environment or a file: arguments of a process can be seen by others on the machine. */
function secretOf({ keyFile }: ExplainOptions): string {
  const secret = keyFile === undefined ? process.env['SVC_KEY'] : readFileSync(keyFile, 'utf8');
  if (secret?.trim()) return secret.trim();
  throw new Error(
    'Give a key for the API in SVC_KEY or in a file (--key-file): svc key --name explain --scopes svc:read',
  );
}

function askOf(baseUrl: string, secret: string): Ask {
  return async (schema, path, body) => {
    const response = await fetch(`${baseUrl.replace(/\/$/, '')}/api/v3/${path}`, {
      headers: { authorization: `Bearer ${secret}`, 'content-type': 'application/json' },
      ...(body && { method: 'POST', body: JSON.stringify(body) }),
      signal: AbortSignal.timeout(ANSWER_MS),
    });
    const envelope = Envelope.safeParse(await response.json().catch(() => null)).data;
    if (!envelope)
      throw new Error(`${baseUrl} answered ${response.status}, and no answer of this API`);
    if (!envelope.ok) throw new Error(envelope.message);
    return schema.parse(envelope.data);
  };
}

/** The device with this id, or else the only one with exactly this name. */
async function deviceNamed(ask: Ask, given: string): Promise<z.output<typeof Found>> {
  if (/^[1-9]\d{0,18}$/.test(given)) return ask(Found, `manager/device/get_by_id?id=${given}`);
  const page = { current: 1, size: 100 };
  const { records } = await ask(Devices, 'manager/device/list', { deviceName: given, page });
  const found = records.filter(({ deviceName }) => deviceName === given);
  const [only] = found;
  if (only && found.length === 1) return only;
  throw new Error(
    found.length === 0
      ? `there is no device ${given}`
      : `several devices are named ${given}: ${found.map(({ id }) => id).join(', ')}`,
  );
}

const objectsIn = ({ objects }: z.output<typeof Registered>): string =>
  objects
    .map(({ objectId, instanceId, objectName }) =>
      `/${objectId}${instanceId === null ? '' : `/${instanceId}`} ${objectName}`.trim(),
    )
    .join(', ');

function linesOf({ stored, since, dropped, exchanges }: z.output<typeof Trace>): string[] {
  if (!stored) return ['Its driver stores no exchanges.'];
  const left = dropped > 0 ? `, ${dropped} earlier ones are not stored any more` : '';
  if (exchanges.length === 0) return [`Nothing was exchanged since ${since}.`];
  return [
    `The last ${exchanges.length} exchanges since ${since}${left}:`,
    ...exchanges.flatMap(exchangeLines),
  ];
}

function exchangeLines(exchange: z.output<typeof Exchange>): string[] {
  const { at, ms, from, operation, path, resourceName, query, request, answer } = exchange;
  const { method, code, failure, repeated, times, address, secure } = exchange;
  const isReport = method === '';
  const end = failure || code || (isReport ? '' : 'no answer yet');
  const head = [
    at,
    from === 'PLATFORM' ? '→' : '←',
    operation,
    path,
    resourceName && `(${resourceName})`,
    end,
    ms !== null && `${ms} ms`,
    repeated > 0 && `sent again ${repeated}×`,
    times > 1 && `${times}×`,
    `${address}${secure ? ' DTLS' : ''}`,
  ].filter((part) => typeof part === 'string' && part !== '');
  return [
    head.join('  '),
    ...(query === '' ? [] : [`    ?${query}`]),
    ...contentLines(request, 'sent'),
    ...contentLines(answer, 'answered'),
  ];
}

function contentLines(content: z.output<typeof Content> | null, word: string): string[] {
  if (!content) return [];
  const { format, bytes, values, leftOut, text, note } = content;
  return [
    `    ${[word, format, `${bytes} bytes`, note && `(${note})`].filter((part) => part !== '').join(' ')}`,
    ...(text === '' ? [] : [`      ${text}`]),
    ...values.map(
      ({ path, resourceName, value }) =>
        `      ${path} ${resourceName && `${resourceName} `}= ${value}`,
    ),
    ...(leftOut > 0 ? [`      and ${leftOut} more values`] : []),
  ];
}
